// What the command line says and asks. Invariant: data goes to stdout and everything else to stderr, so that pipes stay clean;
// no stored text moves the cursor, or hides.
import { createInterface } from 'node:readline/promises'
import type { Progress } from '../../../core/capability/progress.ts'
import { shownJson, shownText } from '../../../core/text/shown-text.ts'
import { UsageError } from './usage-error.ts'

export interface Terminal {
  /** A result: JSON when that was asked for, else `words`. */
  answer(value: unknown, words: string): void
  /** A remark for people. */
  note(text: string): void
  progress(step: Progress): void
  /** Takes the progress line away. */
  clear(): void
  /** Asks before something that can't be taken back. Refuses where nobody can answer. */
  confirm(question: string, flag: string): Promise<void>
  /** Asks for a text. Refuses where nobody can answer; `instead` says how it is given then. */
  ask(question: string, what: string, instead: string): Promise<string>
}

export interface TerminalOptions {
  readonly json: boolean
  readonly yes: boolean
  readonly signal: AbortSignal
}

const progressMs = 100

export function createTerminal({ json, yes, signal }: TerminalOptions): Terminal {
  const { stdin, stdout, stderr } = process
  let shownAt = 0
  let isShown = false
  const clear = () => {
    if (isShown) stderr.write('\r\u001b[K')
    isShown = false
  }
  return {
    clear,
    answer(value, words) {
      clear()
      stdout.write(json ? `${shownJson(value)}\n` : words === '' ? '' : `${shownText(words)}\n`)
    },
    note(text) {
      clear()
      stderr.write(`${shownText(text)}\n`)
    },
    progress({ done, total, what }) {
      const now = Date.now()
      if (!stderr.isTTY || (now - shownAt < progressMs && done < total)) return
      shownAt = now
      isShown = true
      const share = total > 0 ? ` (${Math.floor((100 * done) / total)} %)` : ''
      stderr.write(
        `\r${shownText(what, ' ')} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${share}\u001b[K`,
      )
    },
    async confirm(question, flag) {
      if (yes) return
      if (!stdin.isTTY || !stderr.isTTY) {
        throw new UsageError(
          `${flag} is asked about first, and nobody is here to answer; add --yes to mean it`,
        )
      }
      const answer = await askPerson(`${question} [y/N] `, signal)
      if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('Nothing was done.')
    },
    async ask(question, what, instead) {
      if (!stdin.isTTY || !stderr.isTTY)
        throw new UsageError(`${what} asks first, and nobody is here to answer; give ${instead}`)
      return (await askPerson(`${question} `, signal)).trim()
    },
  }
}

async function askPerson(question: string, signal: AbortSignal): Promise<string> {
  const ask = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await ask.question(question, { signal })
  } finally {
    ask.close()
  }
}
