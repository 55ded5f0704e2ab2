// Commands of the command line: their type, the parsing of their options, and the terminal.
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Daybook } from '../../../book/daybook.ts'
import type { PoolCarrier } from '../../../core/pool.ts'
import { createInterface } from 'node:readline/promises'
import type { Progress } from '../../../core/capability/task.ts'
import { shownJson, shownText } from '../../../core/text/shown-text.ts'

/** Exit codes. Scripts rely on them. */
export const exitCode = { ok: 0, failed: 1, usage: 2, unsound: 3, unreachable: 4, interrupted: 130 } as const

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** Address of a book's mirror. `book` is the name there if it differs. */
export interface Edge {
  readonly url: string
  readonly key: string
  readonly book?: string | undefined
}

export interface OpenChoice {
  readonly create?: boolean
  readonly file?: string
  readonly edge?: Edge
  readonly live?: boolean
  readonly carriers?: readonly PoolCarrier[]
}

export interface CommandContext {
  readonly values: Values
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /**
   * Opens the agent's book. `create`: make it if it doesn't exist. `file`: open this file instead. `edge`:
   * sync with this mirror, on demand or over a live line with `live`. `carriers`: connections to the books of
   * other agents.
   */
  open(options?: OpenChoice): Promise<Daybook>
  readonly bookFile: string
  /** Default folder for exports of the agent. */
  readonly exportFolder: string
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** Operands as in `<bundle>`. */
  readonly operands: string
  readonly options: ParseArgsOptionsConfig
  readonly help: Readonly<Record<string, string>>
  run(context: CommandContext): Promise<void>
}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** Reads a whole number in a range; throws `UsageError` otherwise. */
export function numberOf(values: Values, name: string, least: number, most: number): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}`)
}

export function listOf(values: Values, name: string): string[] | undefined {
  const list = textOf(values, name)
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (list?.length === 0) throw new UsageError(`--${name} takes names with commas between them`)
  return list
}

/** The command line can't be understood; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

// Prints and asks. Invariant: data goes to stdout and everything else to stderr, so that pipes stay clean;
// stored text can't move the cursor or hide.

export interface Terminal {
  /** Prints a result: JSON with `--json`, else `words`. */
  answer(value: unknown, words: string): void
  /** Prints a remark for people. */
  note(text: string): void
  progress(step: Progress): void
  /** Removes the progress line. */
  clear(): void
  /** Asks before an action that can't be undone. Refuses without a terminal. */
  confirm(question: string, flag: string): Promise<void>
  /** Asks for a text. Refuses without a terminal; `instead` names the option to use then. */
  ask(question: string, command: string, instead: string): Promise<string>
}

interface TerminalOptions {
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
    progress({ done, total, subject }) {
      const now = Date.now()
      if (!stderr.isTTY || (now - shownAt < progressMs && done < total)) return
      shownAt = now
      isShown = true
      const share = total > 0 ? ` (${Math.floor((100 * done) / total)} %)` : ''
      stderr.write(
        `\r${shownText(subject, ' ')} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}${share}\u001b[K`,
      )
    },
    async confirm(question, flag) {
      if (yes) return
      if (!stdin.isTTY || !stderr.isTTY) {
        throw new UsageError(`${flag} needs a confirmation, and there is no terminal to ask; add --yes`)
      }
      const answer = await askPerson(`${question} [y/N] `, signal)
      if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('Nothing was done.')
    },
    async ask(question, command, instead) {
      if (!stdin.isTTY || !stderr.isTTY)
        throw new UsageError(
          `${command} needs a confirmation, and there is no terminal to ask; add ${instead}`,
        )
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
