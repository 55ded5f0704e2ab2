// Finds the command, runs it, and returns the exit code.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { product } from '../../../bundle/format/product.ts'
import { type ErrorCode, isDaybookError } from '../../../core/errors.ts'
import type { Daybook } from '../../../book/daybook.ts'
import { type NodeBookOptions, openDaybookAs } from '../book/open-daybook.ts'
import { noneIfOwner } from '../model/default-embedder.ts'
import {
  type Command,
  exitCode,
  textOf,
  type Values,
  UsageError,
  createTerminal,
  type Terminal,
} from './command.ts'
import { createKey, listKeys, revokeKey } from './access-keys.ts'
import { shownText } from '../../../core/text/shown-text.ts'
import { isFileThere, readPassphrase } from './input-file.ts'
import { restartMemory, eraseMemory } from './erase-memory.ts'
import { archiveMemory } from './archive-command.ts'
import { cliMessage } from './cli-error.ts'
import { approveProposal, editProposal, listProposals, rejectProposal } from './decide-proposals.ts'
import { copyAssets } from './copy-assets.ts'
import { doctor } from './doctor-command.ts'
import { exportMemory } from './export-memory.ts'
import { importMemory } from './import-memory.ts'
import { openFault, placeFault, flushOut, isBrokenPipe, OutputError } from './output-file.ts'
import {
  queryCommand,
  recallCommand,
  rememberCommand,
  statsCommand,
  forgetRecord,
  storeRecord,
} from './record-commands.ts'
import { sendMessage } from './send-message.ts'
import { runHook } from './run-hook.ts'
import { runKafka } from './run-kafka.ts'
import { deadLetters, syncMemory } from './sync-memory.ts'
import { serveMcp } from './serve-mcp.ts'
import { embedderChoice } from './embedder-choice.ts'
import { serveEmbedder } from './serve-embedder.ts'
import { serveMirrors } from './serve-mirrors.ts'
import { exportKeys, importKeys, rotateKeys } from './seal-keys.ts'
import { createCompletion } from './complete-command.ts'
import { verifyBundle } from './verify-bundle.ts'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { checkBookName } from '../../../core/book.ts'
import { makeOwnFolder } from '../port/private-file.ts'

/** A command with its own `book` only reaches books elsewhere, by their names. */
const sharedOptions = {
  book: { type: 'string' },
  home: { type: 'string' },
  agent: { type: 'string' },
  'unlock-file': { type: 'string' },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

const sharedHelp: Readonly<Record<string, string>> = {
  book: '<file>    the file of the memory, instead of --home and --agent',
  home: '<folder>   the folder of all memories, default ~/.p3394',
  agent: '<name>    the agent whose memory it is, default agent',
  'unlock-file': '<file>  the passphrase of the memory, if it has one: the first line',
  json: '           answer in JSON',
  yes: '            do not ask for confirmation',
  help: '           show this text',
}

const optionsOf = ({ options }: Command) => ({ ...sharedOptions, ...options })
const helpTexts = ({ help }: Command) => ({ ...sharedHelp, ...help })

const commands: readonly Command[] = [
  exportMemory,
  importMemory,
  verifyBundle,
  archiveMemory,
  rememberCommand,
  storeRecord,
  forgetRecord,
  recallCommand,
  queryCommand,
  statsCommand,
  listProposals,
  approveProposal,
  rejectProposal,
  editProposal,
  syncMemory,
  deadLetters,
  sendMessage,
  createKey,
  listKeys,
  revokeKey,
  serveMcp,
  runHook,
  serveEmbedder,
  serveMirrors,
  runKafka,
  exportKeys,
  importKeys,
  rotateKeys,
  eraseMemory,
  restartMemory,
  copyAssets,
  doctor,
  createCompletion(() => commands, { options: sharedOptions, help: sharedHelp }),
]
/** Errors with exit code 3: the input file can't be used. */
const unusableFile = new Set<ErrorCode>([
  'invalid-file',
  'incomplete-file',
  'not-encrypted',
  'bundle-newer',
  'wrong-passphrase',
  'too-large',
])

/** Runs `daybook <args>`. Resolves with the exit code when stdout is flushed. Prints errors on stderr. */
export async function runCli(args: readonly string[], signal: AbortSignal): Promise<number> {
  const code = await runCommand(args, signal)
  if (code !== exitCode.ok) return code
  try {
    await flushOut(signal)
    return code
  } catch (error) {
    return explain(error, args[0], signal)
  }
}

async function runCommand(args: readonly string[], signal: AbortSignal): Promise<number> {
  // New files are readable by their owner only.
  process.umask(0o077)
  let terminal: Terminal | undefined
  const opened: Daybook[] = []
  try {
    const [name = '', ...rest] = args
    if (name === '--version') return say(product.version)
    if (name === '') return usage(overview())
    if (name === 'help' && /^[^-]/.test(rest[0] ?? '')) return say(helpOf(commandOf(rest[0] ?? '')))
    if (['--help', '-h', 'help'].includes(name)) return say(overview())
    const command = commandOf(name)
    const { values: given, positionals } = parse(command, rest)
    const values = withBookPlace(command, given)
    if (values['help']) return say(helpOf(command))
    if (command.operands === '' && positionals.length > 0)
      throw new UsageError(`${command.name} takes no \`${positionals[0]}\``)
    terminal = createTerminal({ json: values['json'] === true, yes: values['yes'] === true, signal })
    const place = placeOf(values, 'book' in command.options ? undefined : textOf(values, 'book'))
    await command.run({
      values,
      positionals,
      terminal,
      signal,
      exportFolder: place.exportFolder,
      bookFile: place.bookFile,
      async open({ create = false, file, as, edge, live = false, carriers, vectors = false } = {}) {
        const unlockFile = textOf(values, 'unlock-file')
        const passphrase =
          unlockFile === undefined ? {} : { passphrase: await readPassphrase(unlockFile, signal) }
        if (file === undefined) requirePlace(place, create)
        const { agent } = place
        const path = file ?? place.bookFile
        const sync = edge && {
          url: edge.url,
          key: edge.key,
          // `manual`: syncs only when the command calls `book.sync`.
          ...(live ? {} : { triggers: 'manual' as const }),
          live,
        }
        const options: NodeBookOptions = {
          // A book is opened by the name that it has at its mirror.
          name: edge?.book ?? agent,
          agent,
          path,
          // A command makes few searches: building the index would take longer.
          textIndexInMemory: false,
          // A command with its own mirror or carriers must own the book, because the owner process has other
          // options.
          share: { join: !sync && !carriers },
          ...passphrase,
          ...embedderOf(vectors, values),
          ...(sync ? { sync } : {}),
          ...(carriers ? { pool: { carriers, edge: live } } : {}),
        }
        const book = await openDaybookAs(options, as).catch(async (cause: unknown) => {
          throw await openFault(path, cause)
        })
        opened.push(book)
        return book
      },
    })
    return exitCode.ok
  } catch (error) {
    terminal?.clear()
    return explain(error, args[0], signal)
  } finally {
    terminal?.clear()
    for (const book of opened) await book.close()
  }
}

/** Commands without `vectors` end before vectors would be of use. */
function embedderOf(vectors: boolean, values: Values): Pick<NodeBookOptions, 'embedder'> {
  if (!vectors) return { embedder: noneIfOwner }
  if (values['words'] === true) return { embedder: { provider: 'none' } }
  const embedder = embedderChoice(textOf(values, 'embedder'), process.env)
  return embedder ? { embedder } : {}
}

function commandOf(name: string): Command {
  const command = commands.find((one) => one.name === name)
  if (command) return command
  throw new UsageError(`There is no command \`${name}\``)
}

function parse(command: Command, args: readonly string[]): { values: Values; positionals: string[] } {
  let parsed: { values: Values; positionals: string[] }
  try {
    parsed = parseArgs({ args: [...args], options: optionsOf(command), allowPositionals: true, strict: true })
  } catch (cause) {
    // Keep the first sentence: the rest is advice for users of `parseArgs`.
    const [message = ''] = (cause instanceof Error ? cause.message : String(cause)).split('. ')
    throw new UsageError(message)
  }
  for (const [option, text] of Object.entries(helpTexts(command)))
    if (parsed.values[option] === '' && /^<(?:file|folder)>/.test(text))
      throw new UsageError(`--${option} is empty; give it a ${text.slice(1, text.indexOf('>'))}`)
  return parsed
}

/** Endings of the files of books. */
const bookFile = /[/\\]|\.(?:daybook|sqlite3?|db)$|^:memory:$/

/**
 * Decides what `--book` means for a command that may name a book at an edge too: a file, unless the command has the
 * address of an edge and the value is neither a path nor a file here. Then it is the same as `--at <name>`.
 */
function withBookPlace({ options }: Command, values: Values): Values {
  const { book, ...others } = values
  const hasEdge = (values['edge'] ?? values['url']) !== undefined
  if (!('at' in options) || typeof book !== 'string' || !hasEdge) return values
  if (bookFile.test(book) || isFileThere(book)) return values
  if (values['at'] === undefined) return { ...others, at: book }
  throw new UsageError(`There is no file ${book}: --book names the file here, --at the book at the edge`)
}

/** Prints an error on stderr; returns the exit code. */
function explain(cause: unknown, name: string | undefined, signal: AbortSignal): number {
  const { stderr } = process
  // A failure of stdout aborts the signal too, with its error as the reason.
  const isFault = signal.reason instanceof OutputError
  // The reader of stdout wants no more, as `head` does.
  if (isBrokenPipe(signal.reason)) return exitCode.ok
  if (signal.aborted && !isFault) {
    stderr.write('Interrupted; nothing was left half done.\n')
    return exitCode.interrupted
  }
  const error = isFault ? signal.reason : placeFault(cause)
  if (isBrokenPipe(error)) return exitCode.ok
  if (error instanceof UsageError) {
    const isCommand = commands.some((one) => one.name === name)
    const sentence = shownText(error.message).replace(/\.?$/, '.')
    stderr.write(`${sentence}\nSee \`daybook ${isCommand ? `${name} ` : ''}--help\`.\n`)
    return exitCode.usage
  }
  const command = commands.find((one) => one.name === name)
  const message = isDaybookError(error)
    ? `${error.code}: ${cliMessage(error, command)}`
    : error instanceof Error
      ? error.message
      : String(error)
  stderr.write(`${shownText(message)}\n`)
  if (isDaybookError(error, 'invalid-input') || isDaybookError(error, 'invalid-filter')) return exitCode.usage
  if (isDaybookError(error, 'no-transport')) return exitCode.unreachable
  return isDaybookError(error) && unusableFile.has(error.code) ? exitCode.unsound : exitCode.failed
}

/** Widest column for options in a help text; a longer option moves only its own text. */
const widestOption = 26

function say(text: string): number {
  process.stdout.write(`${text}\n`)
  return exitCode.ok
}

function usage(text: string): number {
  process.stderr.write(`${text}\n`)
  return exitCode.usage
}

function overview(): string {
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`)
  return [
    'daybook <command> [options]: the memory of an agent, on this machine.',
    '',
    ...rows,
    '',
    '`daybook <command> --help` says more. Exit codes: 0 done, 1 failed, 2 wrong usage or not confirmed,',
    '3 unusable file (changed, cut off, too large, wrong passphrase, not encrypted, from a newer version),',
    '4 the agent can not be reached, 130 interrupted.',
  ].join('\n')
}

function helpOf(command: Command): string {
  const { name, summary, operands, help } = command
  const all: ParseArgsOptionsConfig = optionsOf(command)
  const rows = Object.entries({ ...help, ...helpTexts(command) }).map(([option, text]) => {
    // A help text begins with the option's value, then two or more spaces.
    const [, takes = '', description = text] =
      all[option]?.type === 'string' ? (/^(\S.*?) {2,}(.*)$/.exec(text) ?? []) : []
    const short = all[option]?.short
    const shown = [`--${option}`, ...(short === undefined ? [] : [`-${short}`]), takes].filter(Boolean)
    return { shown: shown.join(' '), description: description.trim() }
  })
  const width = Math.min(widestOption, Math.max(...rows.map(({ shown }) => shown.length)))
  return [
    `daybook ${[name, operands, '[options]'].filter(Boolean).join(' ')}`,
    '',
    summary,
    '',
    ...rows.map(({ shown, description }) => `  ${shown.padEnd(width)}  ${description}`),
  ].join('\n')
}

// Folders of an agent: the book at `<home>/agents/<agent>/memory/book.daybook`, exports in
// `<home>/agents/<agent>/export`.
// Invariant: folders and files are readable by their owner only: see private-file.ts.

interface BookPlace {
  readonly agent: string
  readonly bookFile: string
  readonly exportFolder: string
  /** True: `--book` names the file. */
  readonly isNamed: boolean
}

/** The place of the agent's book, or of the book in `file`. */
function placeOf(values: Values, file: string | undefined): BookPlace {
  const agent = textOf(values, 'agent') ?? 'agent'
  try {
    checkBookName(agent)
  } catch (error) {
    if (isDaybookError(error))
      throw new UsageError('--agent takes 1 to 64 letters, digits, dots, dashes and underscores')
    throw error
  }
  if (file !== undefined) return { agent, bookFile: file, exportFolder: dirname(file), isNamed: true }
  const folder = join(resolve(textOf(values, 'home') ?? join(homedir(), '.p3394')), 'agents', agent)
  return {
    agent,
    bookFile: join(folder, 'memory', 'book.daybook'),
    exportFolder: join(folder, 'export'),
    isNamed: false,
  }
}

/** `create`: makes the folder of the book. Otherwise throws if the book doesn't exist or can't be found. */
function requirePlace({ agent, bookFile, isNamed }: BookPlace, create: boolean): void {
  if (create) {
    if (!isNamed) makeOwnFolder(dirname(bookFile))
  } else if (!isFileThere(bookFile)) {
    const fault = isNamed ? 'There is no memory there' : `Agent \`${agent}\` has no memory here`
    throw new Error(`${fault}: there is no ${bookFile}`)
  }
}
