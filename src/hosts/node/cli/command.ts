// The type of a command, readers for its option values, and the terminal.
import type { ParseArgsOptionsConfig } from 'node:util'
import { checkKey } from '../../../core/address.ts'
import type { Daybook } from '../../../book/daybook.ts'
import type { PoolCarrier } from '../../../core/pool.ts'
import { createInterface } from 'node:readline/promises'
import type { Progress } from '../../../core/capability/task.ts'
import { shownJson, shownText } from '../../../core/text/shown-text.ts'

/**
 * Exit codes. `usage`: a wrong command line, or a file that can't be opened or written. `unsound`: the file was read, but
 * its content can't be used. Don't change them: scripts depend on them.
 */
export const exitCode = { ok: 0, failed: 1, usage: 2, unsound: 3, unreachable: 4, interrupted: 130 } as const

/** Values of the options that the user gave, by name. */
export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** Address and key of a book's mirror. `book`: the book's name at the mirror; default: the agent's name. */
export interface Edge {
  readonly url: string
  readonly key: string
  readonly book?: string | undefined
}

/** How a command opens a book. */
export interface OpenChoice {
  /** Recall uses vectors too, unless the user gives `--words`. */
  readonly vectors?: boolean | undefined
  /** True: creates the book if it doesn't exist. Default: a missing book is an error. */
  readonly create?: boolean
  /** Opens this file instead of the agent's book. */
  readonly file?: string
  /** The agent of the command's calls. Default: the agent whose book it is. */
  readonly as?: string | undefined
  /** The mirror to sync with. Default: no sync. */
  readonly edge?: Edge
  /** True: syncs over a live line. Default: only on demand. */
  readonly live?: boolean
  /** Connections of the book's pool to other books. */
  readonly carriers?: readonly PoolCarrier[]
}

export interface CommandContext {
  readonly values: Values
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** Opens the agent's book; `runCli` closes it. */
  open(options?: OpenChoice): Promise<Daybook>
  /** Path of the agent's book; it may not exist. */
  readonly bookFile: string
  /** Default folder for exports of the agent; it may not exist. */
  readonly exportFolder: string
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** The operands for the help text, as in `<bundle>`; empty: the command takes none. */
  readonly operands: string
  readonly options: ParseArgsOptionsConfig
  /** Help text of each option: its value as `<file>`, then two or more spaces, then its description. */
  readonly help: Readonly<Record<string, string>>
  run(context: CommandContext): Promise<void>
}

/** The text of an option; undefined without the option. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * Reads an option as a whole number from `least` to `most`; undefined without the option. Throws `UsageError`
 * for any other text.
 */
export function numberOf(values: Values, name: string, least: number, most: number): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}`)
}

/**
 * Reads an option as names separated by commas; undefined without the option. Throws `UsageError` for an
 * empty list.
 */
export function listOf(values: Values, name: string): string[] | undefined {
  const list = textOf(values, name)
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (list?.length === 0) throw new UsageError(`--${name} takes names with commas between them`)
  return list
}

/** The key of an edge: every process of the machine can read arguments, so it comes from the environment. */
export function readKey(): string {
  const key = process.env['DAYBOOK_KEY'] ?? ''
  if (key === '') throw new UsageError('DAYBOOK_KEY is not set: it is the key of the edge')
  return checkKey(key, 'DAYBOOK_KEY')
}

/** Throws `UsageError` if `option` was given without the option `needed`: alone it would do nothing. */
export function checkNeeded(values: Values, option: string, needed: string): void {
  if (values[option] !== undefined && values[needed] === undefined)
    throw new UsageError(`--${option} goes with --${needed}`)
}

/** The error for a wrong command line, or a file that can't be opened or written; `runCli` exits with code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

// Prints results and asks questions.
// Invariant: only results are written to stdout, all other text to stderr. Control characters of stored text
// are not printed.

export interface Terminal {
  /** Prints a result: `value` as JSON with `--json`, otherwise `words`, or nothing if these are empty. */
  answer(value: unknown, words: string): void
  /** Prints a note on stderr. */
  note(text: string): void
  progress(step: Progress): void
  /** Removes the progress line. */
  clear(): void
  /**
   * Asks before an action that can't be undone; `flag` names the action. With `--yes` it doesn't ask. Rejects
   * with `UsageError` if the answer isn't yes, or without a terminal.
   */
  confirm(question: string, flag: string): Promise<void>
  /**
   * Asks for a text. Rejects with `UsageError` without a terminal; the error names the command `command`, and
   * recommends the option `instead`.
   */
  ask(question: string, command: string, instead: string): Promise<string>
}

interface TerminalOptions {
  readonly json: boolean
  readonly yes: boolean
  readonly signal: AbortSignal
}

/** Shortest time between two updates of the progress line. */
const progressMs = 100

/** `json`: results as JSON. `yes`: doesn't ask in `confirm`. `signal`: ends a question. */
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
