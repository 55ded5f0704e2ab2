// The chapter of archives: store the book as a bundle in S3, R2 or a compatible service, list archives, verify one.
// No guest may call its verbs. `transfer`: the port of hash, cipher and keys.
// `forAgents` of a verb: agents with a handle of the owner's book may call it too, because it decides nothing.
// Invariant: sensitive records leave sealed, or in an encrypted bundle; a repeated call stores no second archive.
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { isDaybookError } from '../core/errors.ts'
import { toHex } from '../core/ids.ts'
import { checkAborted } from '../core/abort.ts'
import { sealed, sealedField } from '../shape/field.ts'
import { describeBundle, bundleDescription, BundleIntake, type IntakeResult } from './format/bundle-intake.ts'
import { bundleSelection, exportBundle, passphrase as passphraseField } from './export-capability.ts'
import { listArchives, assertArchiveKey, removeExpired, putArchive } from './archive-store.ts'
import { defineChapter } from '../core/capability/chapter.ts'
import { defined } from '../core/defined.ts'
import { limit } from '../shape/page.ts'

type Context = TaskContext<'records' | 'transfer' | 'archive'>

/** `s3://bucket/prefix`. Default: the target that is configured for this copy of the book. */
const targetUrl = z.string().min(1).max(1000).optional()
const key = z.string().min(1).max(1024)

const retention = {
  /**
   * Removes old archives after the new one is stored, except the newest `keep` and those of `days`. Default:
   * removes none.
   */
  keep: z.number().int().min(1).max(100_000).optional(),
  /**
   * Removes archives older than this many days after the new one is stored, except the newest one and those of
   * `keep`. Default: removes none.
   */
  days: z.number().int().min(1).max(100_000).optional(),
}

const putInput = z
  .strictObject({ target: targetUrl, ...bundleSelection, ...retention })
  .refine(
    ({ kinds, from, to, keep, days }) =>
      (keep === undefined && days === undefined) ||
      (kinds === undefined && from === undefined && to === undefined),
    {
      path: ['keep'],
      message: '`keep` and `days` need a whole archive: leave out `kinds`, `from` and `to`',
    },
  )

const putResult = z.object({
  key: z.string(),
  bytes: z.number(),
  /** The bundle's checksum; `archive:verify` returns the same. */
  checksum: z.string(),
  records: z.number(),
  /** Records that stay sealed, readable with the keys of this book. Absent: 0. */
  sealed,
  /** Number of archives removed by `keep` and `days`. */
  removed: z.number(),
  /** The error code of a failed removal. The new archive is stored anyway. */
  removalFailed: z.string().optional(),
})

const listedArchive = z.object({
  key: z.string(),
  bytes: z.number(),
  exportedAt: z.string(),
  modifiedAt: z.string().optional(),
})

const archiveCapabilities = [
  defineCapability({
    id: 'archive:put',
    methods: ['archives.put'],
    summary: 'Stores the book, or part of it, as a kstar-bundle in S3, R2 or a compatible service.',
    input: putInput,
    output: putResult,
    effect: 'task',
    repeatable: true,
    secrets: ['passphrase'],
    uses: ['records', 'transfer', 'archive'],
    async run({ target: targetUrl, keep, days, ...selection }, at) {
      const store = at.archive.open(targetUrl)
      const { book } = at.archive
      // A repeated call (same requestId) gets the stored result of this write: it finds the first call's
      // archive.
      const { exportedAt, suffix } = await at.records.write(() => ({
        exportedAt: at.call.now,
        suffix: toHex(at.transfer.random.bytes(4)),
      }))
      const bundle = await exportBundle(
        { ...selection, includeSensitive: sensitiveForm(selection) },
        at,
        exportedAt,
      )
      const texts = withProgress(bundle.pieces, () =>
        at.call.progress({ done: bundle.done(), total: bundle.total, subject: 'archive' }),
      )
      const name = { book, exportedAt, suffix }
      const stored = await putArchive(store, name, texts, at.call.signal).then(
        (result) => ({
          ...result,
          checksum: bundle.checksum() ?? '',
          records: bundle.done(),
          ...sealedField(bundle.sealed),
        }),
        async (error: unknown) => {
          if (!isDaybookError(error, 'conflict')) throw error
          // An earlier attempt of this call stored the archive under this key.
          return describeStored(String(error.details['key']), selection.passphrase, store, at)
        },
      )
      const { removed, failed } = await removeExpired(
        store,
        { keep, days },
        { book, newKey: stored.key, now: at.call.now, signal: at.call.signal },
      )
      return { ...stored, removed, ...defined({ removalFailed: failed }) }
    },
  }),
  defineCapability({
    id: 'archive:list',
    forAgents: true,
    methods: ['archives.list'],
    summary: 'Lists the archives of this book, newest first.',
    input: z.strictObject({ target: targetUrl, limit: limit() }).default({
      limit: 100,
    }),
    output: z.object({ archives: z.array(listedArchive), total: z.number() }),
    effect: 'task',
    uses: ['archive'],
    async run({ target: targetUrl, limit }, at) {
      const allArchives = await listArchives(at.archive.open(targetUrl), at.archive.book, at.call.signal)
      const archives = allArchives
        .slice(0, limit)
        .map(({ key: archiveKey, bytes, exportedAt, modifiedAt }) => ({
          key: archiveKey,
          bytes,
          exportedAt,
          ...defined({ modifiedAt }),
        }))
      return { archives, total: allArchives.length }
    },
  }),
  defineCapability({
    id: 'archive:verify',
    forAgents: true,
    methods: ['archives.verify'],
    summary: 'Reads and verifies an archive of this book, and describes its content.',
    input: z.strictObject({
      key,
      target: targetUrl,
      /** The passphrase of an encrypted archive. */
      passphrase: passphraseField.optional(),
      /** Refuses the archive unless this key (a `did:key`) signed it. */
      signedBy: z.string().max(200).optional(),
    }),
    output: z.object({
      key: z.string(),
      bytes: z.number(),
      ...bundleDescription,
      schemasUsed: z.array(z.string()),
    }),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer', 'archive'],
    async run({ key: archiveKey, target: targetUrl, passphrase, signedBy }, at) {
      const store = at.archive.open(targetUrl)
      assertArchiveKey(store, at.archive.book, archiveKey)
      const { bytes, summary } = await verifyArchive(archiveKey, { passphrase, signedBy }, store, at)
      return { key: archiveKey, bytes, ...describeBundle(summary) }
    },
  }),
] as const

/** The form of sensitive records: clear in an encrypted bundle, sealed in an open one. */
const sensitiveForm = ({ passphrase }: { readonly passphrase?: string | undefined }) =>
  passphrase === undefined ? ('sealed' as const) : true

async function* withProgress(
  pieces: AsyncIterable<string>,
  onProgress: () => void,
): AsyncGenerator<string, void, undefined> {
  for await (const piece of pieces) {
    onProgress()
    yield piece
  }
  onProgress()
}

type Store = ReturnType<Context['archive']['open']>

/** Describes the archive that an earlier attempt stored under this key. */
async function describeStored(archiveKey: string, passphrase: string | undefined, store: Store, at: Context) {
  const proof = { passphrase, signedBy: undefined }
  const { bytes, summary } = await verifyArchive(archiveKey, proof, store, at)
  const records = Object.values(summary.counts).reduce((sum, count) => sum + count, 0)
  const { checksum } = summary.integrity
  return { key: archiveKey, bytes, checksum, records, ...sealedField(summary.sealed) }
}

interface Proof {
  readonly passphrase: string | undefined
  readonly signedBy: string | undefined
}

/** Reads and verifies an archive. Stores nothing. */
async function verifyArchive(
  archiveKey: string,
  proof: Proof,
  store: Store,
  at: Context,
): Promise<{ bytes: number; summary: IntakeResult }> {
  const { signal, now, progress } = at.call
  const intake = new BundleIntake(
    { ...proof, now, kinds: undefined, onRecords: () => Promise.resolve() },
    at.records.kinds,
    at.transfer,
  )
  const { bytes, texts } = await store.read(archiveKey, signal)
  let done = 0
  for await (const text of texts) {
    checkAborted(signal)
    await intake.push(text, signal)
    // Characters: at most as many as bytes.
    done += text.length
    progress({ done: Math.min(done, bytes), total: bytes, subject: 'read' })
  }
  return { bytes, summary: await intake.end(signal) }
}

export const archive = defineChapter({ name: 'archive', capabilities: archiveCapabilities, kinds: [] })
