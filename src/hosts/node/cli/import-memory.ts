// `daybook import-memory`: a bundle, or what another program saved, into the memory of an agent.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ImportResult } from '../../../book/daybook.ts'
import { isS3Address, openArchiveSource } from '../archive/archive-source.ts'
import { type Command, given, listOf, textOf } from './command.ts'
import { UsageError } from './usage-error.ts'
import { readPassphrase } from './passphrase-file.ts'

/** A file, or an archive, as an import source: a stream that is opened when it is read. */
export async function openSource(path: string, signal: AbortSignal) {
  if (isS3Address(path)) return openArchiveSource(path, signal)
  if (path === '-') return Object.assign(process.stdin, { name: 'stdin' })
  const { size, mtimeMs } = await stat(path)
  return Object.assign(createReadStream(path), { name: basename(path), size, lastModified: mtimeMs })
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
  },
  help: {
    from: '<file>     what to import; - for stdin, s3://bucket/key for an archive',
    types: '<list>    of a bundle only these, as in facts,skills',
    replace: '         make the memory what the bundle says, instead of merging; asks first',
    'dry-run': '         say what would happen, and change nothing',
    'passphrase-file': '<file>  of an encrypted bundle: where the passphrase is',
    'signed-by': '<key>  refuse a bundle that this key did not sign',
  },
  async run({ values, terminal, signal, open }) {
    const path = textOf(values, 'from')
    if (path === undefined) throw new UsageError('--from <file> says what to import')
    const secretFile = textOf(values, 'passphrase-file')
    const options = given({
      kinds: listOf(values, 'types'),
      mode: values['replace'] ? ('replace' as const) : undefined,
      dry_run: values['dry-run'] === true ? true : undefined,
      signed_by: textOf(values, 'signed-by'),
      passphrase: secretFile === undefined ? undefined : await readPassphrase(secretFile),
    })
    if (options.mode && !options.dry_run) {
      await terminal.confirm(
        'What is in the memory now and not in the bundle will be forgotten. Replace it?',
        '--replace',
      )
    }
    const source = await openSource(path, signal)
    const book = await open({ create: true })
    book.on('progress', (step) => terminal.progress({ ...step, what: words[step.what] ?? 'Imported' }))
    const result = await book.import(source, { ...options, signal })
    terminal.answer(result, inWords(result))
  },
}

const words: Readonly<Record<string, string>> = { read: 'Read', import: 'Imported' }

function inWords({ imported, skipped, bundle, dry_run }: ImportResult): string {
  const would = (bundle?.dry_run ?? dry_run) ? 'would be ' : ''
  const lines = [`${count(imported)} ${would}imported, ${count(skipped)} were there already`]
  if (!bundle) return lines.join('')
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
