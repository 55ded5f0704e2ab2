// `daybook archive put`, `list`, `verify`: the memory of an agent put away in S3, R2 or what speaks like them.
import { archivesOf } from '../../../../bundle/put-archive.ts'
import type { ArchiveStore } from '../../../../core/capability/port/archive-port.ts'
import { isS3Address } from '../../archive/archive-source.ts'
import { nodeArchives } from '../../archive/node-archives.ts'
import { readS3Address } from '../../archive/s3-target.ts'
import { type Command, type CommandContext, given, listOf, numberOf, textOf } from '../command.ts'
import { readPassphrase } from '../passphrase-file.ts'
import { UsageError } from '../usage-error.ts'
import { verifyBundle } from '../verify-bundle.ts'
import { archiveBook } from './archive-book.ts'

/** Of what only one of the three takes: which one. */
const onlyFor: Readonly<Record<string, string>> = {
  from: 'put',
  to: 'put',
  types: 'put',
  'without-sensitive': 'put',
  sign: 'put',
  keep: 'put',
  days: 'put',
  limit: 'list',
  'signed-by': 'verify',
}

export const archiveMemory: Command = {
  name: 'archive',
  summary: 'Puts the memory of an agent away in S3, R2 or the like; lists and verifies what was put away.',
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
    'passphrase-file': '<file>  put: encrypt; verify: of an encrypted archive: where the passphrase is',
    'without-sensitive':
      '  put: leave sensitive records out; else they go as they are sealed, or in what is encrypted',
    sign: '            put: sign with the key of this memory',
    keep: '<n>         put: then take out all but the newest so many',
    days: '<n>         put: then take out what is older than so many days, never the newest',
    limit: '<n>        list: the newest so many, default all',
    'signed-by': '<key>  verify: refuse an archive that this key did not sign',
  },
  async run(context) {
    const { values, positionals } = context
    const [action = '', ...operands] = positionals
    const run = actions[action]
    if (!run) throw new UsageError('archive takes put, list or verify')
    for (const [option, of] of Object.entries(onlyFor))
      if (values[option] !== undefined && of !== action)
        throw new UsageError(`--${option} goes with archive ${of}`)
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
    const retention = given({
      keep: numberOf(values, 'keep', 1, 100_000),
      days: numberOf(values, 'days', 1, 100_000),
    })
    const part = given({
      kinds: listOf(values, 'types'),
      from: textOf(values, 'from'),
      to: textOf(values, 'to'),
    })
    if (Object.keys(retention).length > 0 && Object.keys(part).length > 0)
      throw new UsageError(
        'Whole archives are kept and taken out: --keep and --days go without --types, --from and --to',
      )
    const secretFile = textOf(values, 'passphrase-file')
    const passphrase = secretFile === undefined ? undefined : await readPassphrase(secretFile, signal)
    // What is wrong with the place is told before the book is touched.
    const store = placeOf(context)
    const book = await open()
    const { removed, failed, ...put } = await archiveBook(book, store, {
      name: nameOf(context),
      wish: {
        ...part,
        ...given({ passphrase, sign: values['sign'] === true ? true : undefined }),
        include_sensitive:
          values['without-sensitive'] === true ? false : passphrase !== undefined || 'sealed',
      },
      retention,
      signal,
      tell: (step) => terminal.progress(step),
    })
    if (failed !== undefined)
      terminal.note(`${failed}: older archives could not all be taken out; the new one is there.`)
    terminal.answer(
      { ...put, removed, ...(failed === undefined ? {} : { removal_failed: failed }) },
      [
        addressOf(store, put.key),
        `${count(put.records)} records, ${count(put.bytes)} bytes, ${put.checksum}`,
        ...(put.sealed === undefined
          ? []
          : [
              `${count(put.sealed)} of them as they are sealed: keep the keys, or an archive with a passphrase`,
            ]),
        ...(removed === 0 ? [] : [`${count(removed)} older archives taken out`]),
      ].join('\n'),
    )
  },
  async list(context) {
    const { values, terminal, signal } = context
    const store = placeOf(context)
    const limit = numberOf(values, 'limit', 1, 1_000_000)
    const all = await archivesOf(store, nameOf(context), signal)
    const archives = all.slice(0, limit).map(({ key, bytes, exportedAt, modified_at }) => ({
      key,
      bytes,
      exported_at: exportedAt,
      ...(modified_at === undefined ? {} : { modified_at }),
    }))
    terminal.answer(
      { archives, total: all.length },
      all.length === 0
        ? `There are no archives of ${nameOf(context)} in ${store.name}.`
        : archives.map(({ key, bytes }) => `${addressOf(store, key)}  ${count(bytes)} bytes`).join('\n'),
    )
  },
  async verify(context) {
    const [, archive = ''] = context.positionals
    const address = isS3Address(archive) ? archive : addressOf(placeOf(context), archive)
    await verifyBundle.run({ ...context, positionals: [address] })
  },
}

/** In Node the book of an agent has the agent's name. */
const nameOf = ({ values }: CommandContext) => textOf(values, 'agent') ?? 'agent'

const placeOf = ({ values, bookFile }: CommandContext): ArchiveStore =>
  nodeArchives(given({ target: textOf(values, 'target') }), bookFile).open()

/** As `import-memory --from` takes it. */
const addressOf = ({ name }: ArchiveStore, key: string) => `s3://${readS3Address(name).bucket}/${key}`

const count = (n: number) => n.toLocaleString('en')
