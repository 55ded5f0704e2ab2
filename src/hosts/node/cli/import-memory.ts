// `daybook import-memory`: a bundle, or what another program saved, into the memory of an agent.
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { Daybook, ImportOptions, ImportResult } from '../../../book/daybook.ts'
import { isS3Address, openArchiveSource } from '../archive/archive-source.ts'
import { type Command, type CommandContext, given, listOf, textOf } from './command.ts'
import { openInput, openStdin } from './input-file.ts'
import { UsageError } from './usage-error.ts'
import { readPassphrase } from './passphrase-file.ts'
import { hasCopy } from '../book/checkpoint-file.ts'
import { stageBook } from '../book/staged-book.ts'

/** A file, or an archive, as an import source. */
export async function openSource(path: string, signal: AbortSignal) {
  if (isS3Address(path)) return openArchiveSource(path, signal)
  if (path === '-') return Object.assign(openStdin(signal), { name: 'stdin' })
  return Object.assign(await openInput(path, signal), { name: basename(path) })
}

export const importMemory: Command = {
  name: 'import-memory',
  summary: 'Reads a bundle, or what another program saved, into the memory of an agent.',
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
    from: '<file>     what to import; - for stdin, s3://bucket/key for an archive',
    types: '<list>    of a bundle only these, as in facts,skills',
    replace: '         make the memory what the bundle says, instead of merging; asks first',
    'dry-run': '         say what would happen, and change nothing',
    'passphrase-file': '<file>  of an encrypted bundle: where the passphrase is',
    'signed-by': '<key>  refuse a bundle that this key did not sign',
    'include-tokens': '  take control tokens too: whoever holds one has its rights here',
    'allow-incomplete': '  take what is there of a file that holds less than it says',
    format: '<name>   what the file is, where neither its content nor its name says it',
  },
  async run({ values, terminal, signal, open, bookFile }) {
    const path = textOf(values, 'from')
    if (path === undefined) throw new UsageError('--from <file> says what to import')
    const secretFile = textOf(values, 'passphrase-file')
    const options = given({
      kinds: listOf(values, 'types'),
      mode: values['replace'] ? ('replace' as const) : undefined,
      dry_run: values['dry-run'] === true ? true : undefined,
      signed_by: textOf(values, 'signed-by'),
      include_tokens: values['include-tokens'] === true ? true : undefined,
      allow_incomplete: values['allow-incomplete'] === true ? true : undefined,
      // Another name than those that are known is refused, with all of them.
      format: textOf(values, 'format') as ImportOptions['format'],
      passphrase: secretFile === undefined ? undefined : await readPassphrase(secretFile, signal),
    })
    if (options.mode && !options.dry_run) {
      await terminal.confirm(
        'What is in the memory now and not in the bundle will be forgotten. Replace it?',
        '--replace',
      )
    }
    if (options.include_tokens && !options.dry_run) {
      await terminal.confirm(
        'Whoever holds one of the control tokens of the bundle has the rights in this memory that it names. Take them?',
        '--include-tokens',
      )
    }
    const source = await openSource(path, signal)
    const importInto = async (book: Daybook) => {
      book.on('progress', (step) => terminal.progress({ ...step, what: words[step.what] ?? 'Imported' }))
      return book.import(source, { ...options, signal })
    }
    const result = await importOnce(importInto, { isTrial: options.dry_run === true, bookFile, open })
    terminal.answer(result, inWords(result))
  },
}

interface Place extends Pick<CommandContext, 'bookFile' | 'open'> {
  /** Nothing is to be changed. */
  readonly isTrial: boolean
}

/** Runs an import. Where there is no book yet, there is one afterwards only if something came in. */
async function importOnce(
  importInto: (book: Daybook) => Promise<ImportResult>,
  { isTrial, bookFile, open }: Place,
): Promise<ImportResult> {
  // A book whose file is gone comes back from its checkpoint when it is opened.
  if (existsSync(bookFile) || hasCopy(bookFile)) return importInto(await open())
  if (isTrial) return importInto(await open({ file: ':memory:' }))
  const staged = stageBook(bookFile)
  try {
    const book = await open({ file: staged.file })
    const result = await importInto(book).finally(() => book.close())
    staged.keep()
    return result
  } catch (error) {
    staged.drop()
    throw error
  }
}

const words: Readonly<Record<string, string>> = { read: 'Read', import: 'Imported' }

function inWords({ imported, skipped, left_out: left = {}, bundle, dry_run }: ImportResult): string {
  const would = (bundle?.dry_run ?? dry_run) ? 'would be ' : ''
  const lines = [`${count(imported)} ${would}imported, ${count(skipped)} were there already`]
  if (bundle?.tokens_skipped !== undefined)
    lines.push(`${count(bundle.tokens_skipped)} control tokens left out; --include-tokens takes them`)
  if (bundle?.missing !== undefined)
    lines.push(`${count(bundle.missing)} records that the bundle speaks of are not in it`)
  const rest = Object.entries(left).map(([what, n]) => `${count(n)} ${what}`)
  if (rest.length > 0) lines.push(`left out: ${rest.join(', ')}`)
  if (!bundle) return lines.join('\n')
  if (bundle.updated > 0) lines.push(`${count(bundle.updated)} ${would}changed`)
  if (bundle.forgotten > 0) lines.push(`${count(bundle.forgotten)} ${would}forgotten`)
  for (const { id, kind, kept, forgotten } of bundle.conflicts) {
    lines.push(`conflict: ${kind} ${id}: ${forgotten ? 'forgotten here' : `kept what the ${kept} says`}`)
  }
  const more = bundle.conflict_count - bundle.conflicts.length
  if (more > 0) lines.push(`and ${count(more)} more conflicts`)
  return lines.join('\n')
}

function count(n: number): string {
  return n.toLocaleString('en')
}
