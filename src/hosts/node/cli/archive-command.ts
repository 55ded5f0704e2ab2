// `daybook archive put`, `list` and `verify`: archives of an agent's memory in S3, R2 or compatible stores.
import { defined } from '../../../core/defined.ts'
import {
  listArchives,
  removeExpired,
  putArchive,
  type Removal,
  type Retention,
} from '../../../bundle/archive-store.ts'
import type { ArchiveStore } from '../../../core/capability/port/archive-port.ts'
import { isS3Address, nodeArchives } from '../archive/node-archives.ts'
import { readS3Address } from '../archive/s3-target.ts'
import { type Command, type CommandContext, listOf, numberOf, textOf, UsageError } from './command.ts'
import { readPassphrase } from './input-file.ts'
import { restartExport } from './restart-export.ts'
import { verifyBundle } from './verify-bundle.ts'
import { randomBytes } from 'node:crypto'
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../book/daybook.ts'
import type { Progress } from '../../../core/capability/task.ts'

/** Options that not every action takes: the actions by option. */
const onlyFor: Readonly<Record<string, readonly string[]>> = {
  from: ['put'],
  to: ['put'],
  types: ['put'],
  'passphrase-file': ['put', 'verify'],
  'without-sensitive': ['put'],
  sign: ['put'],
  keep: ['put'],
  days: ['put'],
  limit: ['list'],
  'signed-by': ['verify'],
}

export const archiveMemory: Command = {
  name: 'archive',
  summary: 'Archives the memory of an agent in S3, R2 or a compatible store; lists and verifies archives.',
  operands: '<put | list | verify <archive>>',
  options: {
    target: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    types: { type: 'string' },
    'passphrase-file': { type: 'string' },
    'without-sensitive': { type: 'boolean' },
    sign: { type: 'boolean' },
    keep: { type: 'string' },
    days: { type: 'string' },
    limit: { type: 'string' },
    'signed-by': { type: 'string' },
  },
  help: {
    target:
      '<s3://…>   the bucket and the path below it, default $DAYBOOK_ARCHIVE; credentials in $AWS_ACCESS_KEY_ID',
    from: '<date>     put: only what happened on this day or later',
    to: '<date>       put: only what happened until the end of this day',
    types: '<list>    put: only these, as in traces,facts',
    'passphrase-file': '<file>  put: encrypt; verify: decrypt; its first line is the passphrase',
    'without-sensitive':
      '  put: leave sensitive records out; otherwise they stay sealed, or are encrypted with the rest',
    sign: '            put: sign with the key of this memory',
    keep: '<n>         put: then delete all archives but the newest <n>',
    days: '<n>         put: then delete archives older than <n> days, except the newest',
    limit: '<n>        list: the newest so many, default all',
    'signed-by': '<key>  verify: refuse an archive that this key did not sign',
  },
  async run(context) {
    const { values, positionals } = context
    const [action = '', ...operands] = positionals
    const run = actions[action]
    if (!run) throw new UsageError('archive takes put, list or verify')
    for (const [option, of] of Object.entries(onlyFor))
      if (values[option] !== undefined && !of.includes(action))
        throw new UsageError(`--${option} goes with archive ${of.join(' or ')}`)
    if (operands.length !== (action === 'verify' ? 1 : 0))
      throw new UsageError(
        action === 'verify'
          ? 'archive verify takes one archive'
          : `archive ${action} takes no \`${operands[0]}\``,
      )
    await run(context)
  },
}

const actions: Readonly<Record<string, (context: CommandContext) => Promise<void>>> = {
  async put(context) {
    const { values, terminal, signal, open } = context
    const retention = defined({
      keep: numberOf(values, 'keep', 1, 100_000),
      days: numberOf(values, 'days', 1, 100_000),
    })
    const part = defined({
      kinds: listOf(values, 'types'),
      from: textOf(values, 'from'),
      to: textOf(values, 'to'),
    })
    if (Object.keys(retention).length > 0 && Object.keys(part).length > 0)
      throw new UsageError('--keep and --days work on whole archives: leave out --types, --from and --to')
    const secretFile = textOf(values, 'passphrase-file')
    const passphrase = secretFile === undefined ? undefined : await readPassphrase(secretFile, signal)
    // Check the address first, so that a wrong address is reported before the book is opened.
    const store = placeOf(context)
    const book = await open()
    // `failed`: the error code of a deletion that failed.
    const { removed, failed, ...put } = await archiveBook(book, store, {
      name: nameOf(context),
      exportInput: {
        ...part,
        ...defined({ passphrase, sign: values['sign'] === true ? true : undefined }),
        // False: left out. True: inside the encrypted archive. `sealed`: as they are, for readers with the keys.
        includeSensitive: values['without-sensitive'] === true ? false : passphrase !== undefined || 'sealed',
      },
      retention,
      signal,
      onProgress: (step) => terminal.progress(step),
    })
    if (failed !== undefined)
      terminal.note(`${failed}: some older archives were not deleted; the new one is stored.`)
    terminal.answer(
      { ...put, removed, ...defined({ removalFailed: failed }) },
      [
        addressOf(store, put.key),
        `${count(put.records)} records, ${count(put.bytes)} bytes, ${put.checksum}`,
        ...(put.sealed === undefined
          ? []
          : [`${count(put.sealed)} of them are sealed: keep the keys, or make an archive with a passphrase`]),
        ...(removed === 0 ? [] : [`${count(removed)} older archives deleted`]),
      ].join('\n'),
    )
  },
  async list(context) {
    const { values, terminal, signal } = context
    const store = placeOf(context)
    const limit = numberOf(values, 'limit', 1, 1_000_000)
    const all = await listArchives(store, nameOf(context), signal)
    const archives = all.slice(0, limit).map(({ key, bytes, exportedAt, modifiedAt }) => ({
      key,
      bytes,
      exportedAt: exportedAt,
      ...defined({ modifiedAt }),
    }))
    terminal.answer(
      { archives, total: all.length },
      all.length === 0
        ? `There are no archives of ${nameOf(context)} in ${store.name}.`
        : archives.map(({ key, bytes }) => `${addressOf(store, key)}  ${count(bytes)} bytes`).join('\n'),
    )
  },
  async verify(context) {
    // An address, or a key of the target's bucket.
    const [, archive = ''] = context.positionals
    const address = isS3Address(archive) ? archive : addressOf(placeOf(context), archive)
    await verifyBundle.run({ ...context, positionals: [address] })
  },
}

/** The name of the book: the name of the agent. */
const nameOf = ({ values }: CommandContext) => textOf(values, 'agent') ?? 'agent'

/** The archive storage of `--target`, or the default. */
const placeOf = ({ values, bookFile }: CommandContext): ArchiveStore =>
  nodeArchives(defined({ target: textOf(values, 'target') }), bookFile).open()

/** The address of an archive for `import-memory --from`. */
const addressOf = ({ name }: ArchiveStore, key: string) => `s3://${readS3Address(name).bucket}/${key}`

const count = (n: number) => n.toLocaleString('en')

// Archives a book that another process may own: the owner exports the bundle in pages, and this process
// uploads them with its own credentials.
// Invariant: an export that isn't read to the end is cancelled.

type ExportInput = Pick<
  CapabilityInput<'bundle:export'>,
  'kinds' | 'from' | 'to' | 'passphrase' | 'sign' | 'includeSensitive'
>
/** A page of the bundle's text. All but the last have a `cursor`; the last has the `checksum`. */
type Page = CapabilityOutput<'bundle:export'>

interface ArchiveOptions {
  readonly name: string
  readonly exportInput: ExportInput
  readonly retention: Retention
  readonly signal: AbortSignal
  onProgress(step: Progress): void
}

/** The stored archive, and older archives that were removed. `sealed`: number of records that stayed sealed. */
type Archived = Removal & {
  readonly key: string
  readonly bytes: number
  readonly checksum: string
  readonly records: number
  readonly sealed?: number | undefined
}

async function archiveBook(book: Daybook, store: ArchiveStore, options: ArchiveOptions): Promise<Archived> {
  const { name, retention, signal } = options
  const now = new Date().toISOString()
  const stored = await restartExport(() => putBundle(book, store, options))
  const removal = await removeExpired(store, retention, { book: name, newKey: stored.key, now, signal })
  return { ...stored, ...removal }
}

async function putBundle(
  book: Daybook,
  store: ArchiveStore,
  { name, exportInput, signal, onProgress }: ArchiveOptions,
): Promise<Omit<Archived, keyof Removal>> {
  const first = await book.bundles.export(exportInput, { signal })
  let last: Page = first
  async function* texts(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        onProgress({ done: last.done, total: last.total, subject: 'Archived' })
        yield last.text
        if (last.cursor === undefined) return
        last = await book.bundles.export({ cursor: last.cursor }, { signal })
      }
    } finally {
      if (last.cursor !== undefined)
        await book.bundles.export({ cursor: last.cursor, cancel: true }).catch(() => undefined)
    }
  }
  const exportedAt = first.exportedAt ?? new Date().toISOString()
  const suffix = randomBytes(4).toString('hex')
  const { key, bytes } = await putArchive(store, { book: name, exportedAt, suffix }, texts(), signal)
  const { done: records, checksum = '', sealed } = last
  return { key, bytes, checksum, records, ...defined({ sealed }) }
}
