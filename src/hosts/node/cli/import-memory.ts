// `daybook import-memory`: imports a bundle, or a file of another program, into the memory of an agent.
import { defined } from '../../../core/defined.ts'
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Daybook, ImportOptions, ImportResult } from '../../../book/daybook.ts'
import { isS3Address, openArchiveSource } from '../archive/node-archives.ts'
import { type Command, type CommandContext, listOf, textOf, UsageError } from './command.ts'
import { isFileThere, openInput, openStdin, readPassphrase } from './input-file.ts'
import { hasCopy } from '../book/checkpoint-file.ts'
import { randomBytes } from 'node:crypto'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { openNodeDatabase } from '../book/node-database.ts'
import { filesOfBook, makeOwnFolder, removeOfBook } from '../port/private-file.ts'

/** Opens an import source: a file, stdin (`-`) or an archive (`s3://…`). */
export async function openSource(path: string, signal: AbortSignal) {
  if (isS3Address(path)) return openArchiveSource(path, signal)
  if (path === '-') return Object.assign(openStdin(signal), { name: 'stdin' })
  return Object.assign(await openInput(path, signal), { name: basename(path) })
}

export const importMemory: Command = {
  name: 'import-memory',
  summary: 'Imports a bundle, or a file of another program, into the memory of an agent.',
  operands: '',
  options: {
    from: { type: 'string' },
    types: { type: 'string' },
    replace: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    'passphrase-file': { type: 'string' },
    'signed-by': { type: 'string' },
    'include-tokens': { type: 'boolean' },
    'allow-incomplete': { type: 'boolean' },
    format: { type: 'string' },
  },
  help: {
    from: '<file>     the file to import; - for stdin, s3://bucket/key for an archive',
    types: '<list>    only these of a bundle, as in facts,skills',
    replace: '         replace the memory with the bundle instead of merging; asks first',
    'dry-run': '         say what would happen, and change nothing',
    'passphrase-file': '<file>  for an encrypted bundle: its first line is the passphrase',
    'signed-by': '<key>  refuse a bundle that this key did not sign',
    'include-tokens': '  import control tokens too: they give their holders rights here',
    'allow-incomplete': '  import the rest of a file that is cut off',
    format: '<name>   the format of the file, if neither its content nor its name shows it',
  },
  async run({ values, terminal, signal, open, bookFile }) {
    const path = textOf(values, 'from')
    if (path === undefined) throw new UsageError('import-memory needs --from <file>')
    const secretFile = textOf(values, 'passphrase-file')
    const options = defined({
      kinds: listOf(values, 'types'),
      mode: values['replace'] ? ('replace' as const) : undefined,
      dryRun: values['dry-run'] === true ? true : undefined,
      signedBy: textOf(values, 'signed-by'),
      includeTokens: values['include-tokens'] === true ? true : undefined,
      allowIncomplete: values['allow-incomplete'] === true ? true : undefined,
      // The engine rejects an unknown format with a list of the known formats.
      format: textOf(values, 'format') as ImportOptions['format'],
      passphrase: secretFile === undefined ? undefined : await readPassphrase(secretFile, signal),
    })
    if (options.mode && !options.dryRun) {
      await terminal.confirm(
        'Records that are not in the bundle will be forgotten. Replace the memory?',
        '--replace',
      )
    }
    if (options.includeTokens && !options.dryRun) {
      await terminal.confirm(
        'The control tokens of the bundle give their holders rights in this memory. Import them?',
        '--include-tokens',
      )
    }
    const source = await openSource(path, signal)
    const importInto = async (book: Daybook) => {
      book.on('progress', (step) =>
        terminal.progress({ ...step, subject: words[step.subject] ?? 'Imported' }),
      )
      return book.import(source, { ...options, signal })
    }
    const result = await importOnce(importInto, { isDryRun: options.dryRun === true, bookFile, open })
    terminal.answer(result, inWords(result))
  },
}

interface Place extends Pick<CommandContext, 'bookFile' | 'open'> {
  /** True: the import changes nothing. */
  readonly isDryRun: boolean
}

/** Runs an import. If there is no book, a new book gets its name only after the import has succeeded. */
async function importOnce(
  importInto: (book: Daybook) => Promise<ImportResult>,
  { isDryRun, bookFile, open }: Place,
): Promise<ImportResult> {
  if (!isDryRun) dropAbandoned(bookFile)
  // If the book's file is lost but its checkpoint exists, opening restores the book.
  if (isFileThere(bookFile) || hasCopy(bookFile)) return importInto(await open())
  if (isDryRun) return importInto(await open({ file: ':memory:' }))
  const staged = stageBook(bookFile)
  try {
    staged.takeKeys()
    const book = await open({ file: staged.file })
    const result = await importInto(book).finally(() => book.close())
    staged.keep()
    return result
  } catch (error) {
    staged.drop()
    throw isDaybookError(error) ? renamed(error, staged.file, bookFile) : error
  }
}

/** The error with the final name of the book: no file has the temporary one any more. */
function renamed(error: DaybookError, from: string, to: string): DaybookError {
  if (!error.message.includes(from)) return error
  const { code, message, retry, details } = error
  return DaybookError.from({ code, message: message.replaceAll(from, to), retry, details })
}

/** Words for the progress line, by the subject of a progress event. */
const words: Readonly<Record<string, string>> = { read: 'Read', import: 'Imported' }

function inWords({ imported, skipped, omitted: left = {}, bundle, dryRun }: ImportResult): string {
  // A bundle says in its own result whether it was a dry run, any other file in `dryRun`.
  const would = (bundle?.dryRun ?? dryRun) ? 'would be ' : ''
  const lines = [`${count(imported)} ${would}imported, ${count(skipped)} were already there`]
  if (bundle?.tokensSkipped !== undefined)
    lines.push(`${count(bundle.tokensSkipped)} control tokens left out; add --include-tokens to import them`)
  if (bundle?.missing !== undefined)
    lines.push(`${count(bundle.missing)} records that the bundle refers to are not in it`)
  const rest = Object.entries(left).map(([what, n]) => `${count(n)} ${what}`)
  if (rest.length > 0) lines.push(`left out: ${rest.join(', ')}`)
  if (!bundle) return lines.join('\n')
  if (bundle.updated > 0) lines.push(`${count(bundle.updated)} ${would}changed`)
  if (bundle.forgotten > 0) lines.push(`${count(bundle.forgotten)} ${would}forgotten`)
  for (const { id, kind, winner, forgotten } of bundle.conflicts) {
    lines.push(`conflict: ${kind} ${id}: ${forgotten ? 'forgotten here' : `kept what the ${winner} says`}`)
  }
  const more = bundle.conflictCount - bundle.conflicts.length
  if (more > 0) lines.push(`and ${count(more)} more conflicts`)
  return lines.join('\n')
}

function count(n: number): string {
  return n.toLocaleString('en')
}

// Creates a new book under a temporary name in the same folder, and renames it after the import.
// Invariant: a failure leaves no book; an existing book is never replaced, nor a key that is not the new book's.

/** Suffixes of the files with keys. The vault may get more keys; the others never change. */
const vault = '.vault'
const keySuffixes = ['.key', '.vault-key', vault]
/** Suffix of the new book until it gets its name: 8 random hex digits. */
const stagedName = /^\.new-[0-9a-f]{8}$/

interface StagedBook {
  readonly file: string
  /**
   * Gives the new book the keys that an earlier one left, as it gets them when it is opened in place. Call it
   * before the book is opened.
   */
  takeKeys(): void
  /**
   * Renames the new book to its final name. Call it only after the book is closed. Throws `conflict` if
   * another process has created the book.
   */
  keep(): void
  /**
   * Deletes the new book, and the folders that were made for it if they are empty. Call it only after the
   * book is closed.
   */
  drop(): void
}

function stageBook(bookFile: string): StagedBook {
  const folder = dirname(bookFile)
  // The topmost folder that was missing; undefined for none.
  const firstCreated = makeOwnFolder(folder)
  const file = `${bookFile}.new-${randomBytes(4).toString('hex')}`
  const suffixes = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith(basename(file)))
      .map((name) => name.slice(basename(file).length))
  /** Suffixes of key files that an earlier book left. */
  const earlier = keySuffixes.filter((suffix) => existsSync(bookFile + suffix))
  /** Renames a new file. Unlike a rename, a link fails if another process has created the file. */
  const link = (suffix: string) => {
    try {
      linkSync(file + suffix, bookFile + suffix)
    } catch (error) {
      throw existsSync(bookFile + suffix) ? createdMeanwhile(bookFile) : error
    }
    rmSync(file + suffix)
  }
  return {
    file,
    takeKeys() {
      for (const suffix of earlier) copyFileSync(bookFile + suffix, file + suffix)
    },
    keep() {
      if (existsSync(bookFile)) throw createdMeanwhile(bookFile)
      // Move the key files first: a process that opens the book needs them.
      for (const suffix of suffixes().filter((one) => one !== '')) {
        // Copies of the earlier keys, which never change, are no longer needed.
        if (earlier.includes(suffix) && suffix !== vault) rmSync(file + suffix)
        else if (keySuffixes.includes(suffix) && !earlier.includes(suffix)) link(suffix)
        else renameSync(file + suffix, bookFile + suffix)
      }
      link('')
    },
    drop() {
      for (const suffix of suffixes()) rmSync(join(folder, basename(file) + suffix), { force: true })
      if (firstCreated === undefined) return
      for (let at = folder; at.length >= firstCreated.length; at = dirname(at)) {
        // Keep a folder in which another process has created files.
        if (readdirSync(at).length > 0) return
        rmdirSync(at)
      }
    },
  }
}

/** Longer than an import takes to rename a book that it has closed. */
const abandonedMs = 60_000

/** Deletes the new books of imports that were killed. A book that was changed lately, or is open, stays. */
function dropAbandoned(bookFile: string): void {
  const folder = dirname(bookFile)
  const names = filesOfBook(bookFile)
  const staged = names.filter((name) => stagedName.test(name.slice(basename(bookFile).length)))
  for (const name of staged) {
    const file = join(folder, name)
    const own = names.filter((one) => one.startsWith(name)).map((one) => join(folder, one))
    const changedAt = Math.max(...own.map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0))
    if (Date.now() - changedAt > abandonedMs && !isOpen(file)) for (const one of own) removeOfBook(one)
  }
}

/** Whether a process has the database open. */
function isOpen(file: string): boolean {
  try {
    openNodeDatabase({ path: file }).close()
    return false
  } catch (error) {
    return isDaybookError(error, 'open-elsewhere')
  }
}

function createdMeanwhile(bookFile: string): DaybookError {
  return new DaybookError('conflict', `Another process created ${bookFile} in the meantime: import again.`)
}
