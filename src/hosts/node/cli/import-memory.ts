// `daybook import-memory`: imports a bundle, or a file of another program, into the memory of an agent.
import { defined } from '../../../core/defined.ts'
import { basename } from 'node:path'
import type { Daybook, ImportOptions, ImportResult } from '../../../book/daybook.ts'
import { isS3Address, openArchiveSource } from '../archive/node-archives.ts'
import { type Command, listOf, textOf, UsageError } from './command.ts'
import { openInput, openStdin, readPassphrase } from './input-file.ts'
import { importOnce } from './staged-book.ts'

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
