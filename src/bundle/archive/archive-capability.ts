// The verbs of archives: put the book away as a bundle, list what was put away, verify one. All are the owner's. Invariant:
// what is sealed leaves sealed, or in a bundle that is encrypted as a whole; and a try that comes again puts nothing twice.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { TaskContext } from '../../core/capability/context.ts'
import { isDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import { checkAborted } from '../../core/abort.ts'
import { sealed, sealedField } from '../../shape/sealed-count.ts'
import { describe, described } from '../described-bundle.ts'
import { createBundleIntake, type IntakeResult } from '../format/bundle-intake.ts'
import { bundleWish, openBundleText, passphrase as passphraseField } from '../open-bundle-text.ts'
import { archivesOf, checkArchiveKey, keepArchives, putArchive } from './put-archive.ts'

type Context = TaskContext<'records' | 'transfer' | 'archive'>

/** Where: `s3://bucket/prefix`. Default: where this copy of the book puts its archives. */
const target = z.string().min(1).max(1000).optional()
const key = z.string().min(1).max(1024)

const retention = {
  /** After it is there, takes out all but the newest so many, and those of the last `days`. Default: all stay. */
  keep: z.number().int().min(1).max(100_000).optional(),
  /** After it is there, takes out what is older than so many days, but for the newest and those that `keep` names. */
  days: z.number().int().min(1).max(100_000).optional(),
}

const putInput = z
  .strictObject({ target, ...bundleWish, ...retention })
  .refine(
    ({ kinds, from, to, keep, days }) =>
      (keep === undefined && days === undefined) ||
      (kinds === undefined && from === undefined && to === undefined),
    {
      path: ['keep'],
      message: 'Whole archives are kept and taken out: not with `kinds`, `from` or `to`',
    },
  )

const putResult = z.object({
  key: z.string(),
  bytes: z.number(),
  /** Of the content, as the bundle says and `archive:verify` answers. */
  checksum: z.string(),
  records: z.number(),
  /** Records that the archive has as they are sealed: who reads them needs the keys of this book. Absent: none. */
  sealed,
  /** How many archives were taken out because of `keep` and `days`. */
  removed: z.number(),
  /** Why some of them could not be: a code of the error table. The archive is there all the same. */
  removal_failed: z.string().optional(),
})

const listed = z.object({
  key: z.string(),
  bytes: z.number(),
  exported_at: z.string(),
  modified_at: z.string().optional(),
})

export const archiveCapabilities = [
  defineCapability({
    id: 'archive:put',
    methods: ['archives.put'],
    summary: 'Puts the book, or part of it, away as a kstar-bundle in S3, R2 or what speaks like them.',
    input: putInput,
    output: putResult,
    effect: 'task',
    repeatable: true,
    secrets: ['passphrase'],
    uses: ['records', 'transfer', 'archive'],
    async run({ target: named, keep, days, ...wish }, at) {
      const store = at.archive.open(named)
      const { book } = at.archive
      // A call that comes again under its requestId gets the same name, and finds there what the one before it put.
      const { exportedAt, suffix } = await at.records.write(() => ({
        exportedAt: at.call.now,
        suffix: toHex(at.transfer.random.bytes(4)),
      }))
      const bundle = await openBundleText({ ...wish, include_sensitive: inside(wish) }, at, exportedAt)
      const texts = told(bundle.pieces, () =>
        at.call.progress({ done: bundle.done(), total: bundle.total, what: 'archive' }),
      )
      const name = { book, exportedAt, suffix }
      const put = await putArchive(store, name, texts, at.call.signal).then(
        (one) => ({
          ...one,
          checksum: bundle.checksum() ?? '',
          records: bundle.done(),
          ...sealedField(bundle.sealed),
        }),
        async (error: unknown) => {
          if (!isDaybookError(error, 'conflict')) throw error
          return before(String(error.details['key']), wish.passphrase, store, at)
        },
      )
      const { removed, failed } = await keepArchives(
        store,
        { keep, days },
        { book, own: put.key, now: at.call.now, signal: at.call.signal },
      )
      return { ...put, removed, ...(failed === undefined ? {} : { removal_failed: failed }) }
    },
  }),
  defineCapability({
    id: 'archive:list',
    forAgents: true,
    methods: ['archives.list'],
    summary: 'Lists the archives of this book, the newest first.',
    input: z.strictObject({ target, limit: z.number().int().min(1).max(1000).default(100) }).default({
      limit: 100,
    }),
    output: z.object({ archives: z.array(listed), total: z.number() }),
    effect: 'task',
    uses: ['archive'],
    async run({ target: named, limit }, at) {
      const all = await archivesOf(at.archive.open(named), at.archive.book, at.call.signal)
      const archives = all.slice(0, limit).map(({ key: of, bytes, exportedAt, modified_at }) => ({
        key: of,
        bytes,
        exported_at: exportedAt,
        ...(modified_at === undefined ? {} : { modified_at }),
      }))
      return { archives, total: all.length }
    },
  }),
  defineCapability({
    id: 'archive:verify',
    forAgents: true,
    methods: ['archives.verify'],
    summary: 'Reads an archive of this book from beginning to end: is it whole, and what does it hold.',
    input: z.strictObject({
      key,
      target,
      /** Of an encrypted archive. */
      passphrase: passphraseField.optional(),
      /** Refuses the archive unless this key signed it. */
      signed_by: z.string().max(200).optional(),
    }),
    output: z.object({
      key: z.string(),
      bytes: z.number(),
      ...described,
      schemas_used: z.array(z.string()),
    }),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer', 'archive'],
    async run({ key: asked, target: named, passphrase, signed_by: signedBy }, at) {
      const store = at.archive.open(named)
      checkArchiveKey(store, at.archive.book, asked)
      const { bytes, whole } = await readWhole(asked, { passphrase, signedBy }, store, at)
      return { key: asked, bytes, ...describe(whole) }
    },
  }),
] as const

/** What is sensitive goes in clear into what is encrypted as a whole, and else as it is sealed. */
const inside = ({ passphrase }: { readonly passphrase?: string | undefined }) =>
  passphrase === undefined ? ('sealed' as const) : true

async function* told(
  pieces: AsyncIterable<string>,
  tell: () => void,
): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) {
    tell()
    yield piece
  }
  tell()
}

type Store = ReturnType<Context['archive']['open']>

/** What a try before this one put under the same name. */
async function before(of: string, passphrase: string | undefined, store: Store, at: Context) {
  const { bytes, whole } = await readWhole(of, { passphrase, signedBy: undefined }, store, at)
  const records = Object.values(whole.counts).reduce((sum, count) => sum + count, 0)
  return { key: of, bytes, checksum: whole.integrity.checksum, records, ...sealedField(whole.sealed) }
}

interface Proof {
  readonly passphrase: string | undefined
  readonly signedBy: string | undefined
}

/** Verifies an archive as it is read; nothing of it stays. */
async function readWhole(
  of: string,
  proof: Proof,
  store: Store,
  at: Context,
): Promise<{ bytes: number; whole: IntakeResult }> {
  const { signal, now, progress } = at.call
  const intake = createBundleIntake(
    { ...proof, now, kinds: undefined, take: () => Promise.resolve() },
    at.records.kinds,
    at.transfer,
  )
  const { bytes, texts } = await store.read(of, signal)
  let done = 0
  for await (const text of texts) {
    checkAborted(signal)
    await intake.push(text, signal)
    done += text.length
    progress({ done: Math.min(done, bytes), total: bytes, what: 'read' })
  }
  return { bytes, whole: await intake.end(signal) }
}
