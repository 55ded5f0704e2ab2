// Imports and verifies bundles, piece by piece. `transfer`: the port of uploads in progress (`sessions`), of
// their records before the import (`staging`), and of hash, cipher and keys: see core/capability/transfer.ts.
// Invariant: an import is applied after the whole bundle is verified, in one transaction; its records wait in
// the database, so memory stays small; a staged record has no secret that the book would seal or mask.
import { z } from 'zod'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { toHex } from '../core/ids.ts'
import { type SecretCount, sumSecrets } from '../core/secret/stored-secrets.ts'
import { type Kind, type Kinds, pluralOf } from '../core/kind.ts'
import { sealed, secretCount } from '../shape/field.ts'
import { kindNames, passphrase } from './export-capability.ts'
import { kindsByNames } from './format/bundle-selection.ts'
import { BundleIntake, type IntakeResult, describeBundle, bundleDescription } from './format/bundle-intake.ts'
import { mergeUpload } from './format/bundle-merge.ts'
import type { RecordWriter } from '../core/capability/port/record-port.ts'
import type { StagedRecord, TransferWriter } from '../core/capability/transfer.ts'
import { defined } from '../core/defined.ts'
import type { JsonObject } from '../core/json/path.ts'
import { bodyOf, headOf, type Stored } from '../core/record.ts'

type Context = TaskContext<'records' | 'transfer'>

const pieceInput = {
  /** The text of the bundle, or its next piece. */
  text: z.string().max(4_000_000),
  /** True if more pieces follow. */
  more: z.boolean().default(false),
  /** The `cursor` of the previous answer. Absent with the first piece, which has the options. */
  cursor: z.string().max(100).optional(),
  /** With `cursor`: cancels the upload. */
  cancel: z.boolean().optional(),
  /** Length of the whole bundle in characters, or its bytes if only these are known. Only for progress. */
  size: z.number().int().nonnegative().optional(),
}

const proof = {
  /** The passphrase of an encrypted bundle. */
  passphrase: passphrase.optional(),
  /** Refuses the bundle unless this key (a `did:key`) signed it. */
  signedBy: z.string().max(200).optional(),
}

const conflict = z.object({
  id: z.string(),
  kind: z.string(),
  policy: z.string(),
  /** The side whose record is in the book now. With `merge`, the conflict log has the other one. */
  winner: z.enum(['book', 'bundle']),
  /** Set if the book had forgotten the record, which stays forgotten. */
  forgotten: z.literal(true).optional(),
})

const schemasUsed = z.array(z.string())
const importResult = z.object({
  ...bundleDescription,
  schemasUsed,
  mode: z.enum(['merge', 'replace']),
  dryRun: z.boolean(),
  imported: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  forgotten: z.number(),
  conflictCount: z.number(),
  /** Records approved in another book, which now wait for this book's owner. Absent: 0. */
  lowered: z.number().optional(),
  /** Records that can't be read here: sealed ones without a key, and `withheld` ones. Absent: 0. */
  unreadable: sealed,
  /**
   * The part of `unreadable` that was left out: memories and proposals, sealed or of a newer Daybook, that may
   * contain an approval. Import them again with the key, or with `decisions: 'keep'`. Absent: 0.
   */
  withheld: z.number().optional(),
  /** Control tokens left out because `includeTokens` is off. Absent: 0. */
  tokensSkipped: z.number().optional(),
  /** Records missing from a bundle that was cut short, with `allowIncomplete`. Absent: 0. */
  missing: z.number().optional(),
  /** Secrets found in the records, and how the book treats them. */
  secrets: z.array(secretCount),
  /** The first thousand records that are new in the book. */
  added: z.array(z.object({ id: z.string(), kind: z.string() })),
  /** The first thousand conflicts. */
  conflicts: z.array(conflict),
})
const verifyResult = z.object({ ...bundleDescription, schemasUsed })
const pieceAnswer = <Result extends z.ZodType>(result: Result) =>
  z.object({
    /** The cursor for the next piece. */
    cursor: z.string().optional(),
    /** Present after the last piece. */
    result: result.optional(),
  })

const importInput = z.strictObject({
  ...pieceInput,
  /** `merge` (default) adds to the book; `replace` replaces all records of the bundle's kinds. */
  mode: z.enum(['merge', 'replace']).default('merge'),
  /** Only these kinds, by name or plural. */
  kinds: kindNames.optional(),
  /** Reports the result without a change. */
  dryRun: z.boolean().default(false),
  /**
   * The owner's decisions of the bundle (approved memories, reviews of proposals): `keep` takes them, `lower` makes
   * the records undecided, and all records of the bundle `external`. Default: `keep` for a bundle signed with this book's
   * key, else `lower`; but an unsigned bundle keeps its trust.
   */
  decisions: z.enum(['keep', 'lower']).optional(),
  /** Takes control tokens too; a token's holder gets its rights in this book. Default: false. */
  includeTokens: z.boolean().default(false),
  /** Accepts a bundle with fewer records than its statistics. Default: false. */
  allowIncomplete: z.boolean().default(false),
  ...proof,
})
const verifyInput = z.strictObject({ ...pieceInput, ...proof })

export const bundleCapabilities = [
  defineCapability({
    id: 'bundle:import',
    methods: ['bundles.import'],
    summary:
      'Imports a kstar-bundle, sent whole or in pieces: verified first, then applied at once or not at all.',
    input: importInput,
    output: pieceAnswer(importResult),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer'],
    run: (input, at) => receivePiece(input, at, () => beginImport(input, at)),
  }),
  defineCapability({
    id: 'bundle:verify',
    forAgents: true,
    methods: ['bundles.verify'],
    summary: 'Verifies a kstar-bundle, sent whole or in pieces, without importing anything.',
    input: verifyInput,
    output: pieceAnswer(verifyResult),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer'],
    run: (input, at) =>
      receivePiece(input, at, () => {
        const intake = new BundleIntake(
          { ...proofOf(input), now: at.call.now, kinds: undefined, onRecords: () => Promise.resolve() },
          at.records.kinds,
          at.transfer,
        )
        return new Upload(
          intake,
          (summary) => Promise.resolve(describeBundle(summary)),
          () => undefined,
        )
      }),
  }),
] as const

/** An upload in progress. It is a class, so that `instanceof` rejects sessions of exports. */
class Upload<Result = unknown> {
  readonly intake: BundleIntake
  readonly finish: (summary: IntakeResult, at: Context) => Promise<Result>
  /** Drops the staged records after the latest piece: until it is done, it may stage more. */
  readonly discard: () => void
  /** Resolves after the latest piece: pieces are taken one after another. */
  queue: Promise<unknown> = Promise.resolve()
  /** Characters received so far. */
  received = 0

  constructor(
    intake: BundleIntake,
    finish: (summary: IntakeResult, at: Context) => Promise<Result>,
    discard: () => void,
  ) {
    this.intake = intake
    this.finish = finish
    this.discard = () => void this.queue.then(discard)
  }
}

interface Piece {
  readonly text: string
  readonly more: boolean
  readonly cursor?: string | undefined
  readonly cancel?: boolean | undefined
  readonly size?: number | undefined
}

/** Takes a piece of an upload. The first one (without `cursor`) starts the upload; the last one finishes it. */
async function receivePiece<Result>(
  { text, more, cursor, cancel, size }: Piece,
  at: Context,
  startUpload: () => Upload<Result>,
): Promise<{ cursor?: string; result?: Result }> {
  const upload =
    cursor === undefined ? startUpload() : (at.transfer.sessions.find(cursor) as Upload<Result> | undefined)
  if (!(upload instanceof Upload)) {
    throw new DaybookError('not-found', 'This import has ended, or waited too long. Start it again.', {
      details: { path: 'cursor' },
    })
  }
  // `drop` calls `discard` too.
  const endUpload = () => (cursor === undefined ? upload.discard() : at.transfer.sessions.drop(cursor))
  if (cancel) {
    endUpload()
    return {}
  }
  const pieceDone = upload.queue.then(async () => {
    await upload.intake.push(text, at.call.signal)
    upload.received += text.length
    at.call.progress({ done: upload.received, total: size ?? upload.received, subject: 'read' })
    return more ? undefined : upload.finish(await upload.intake.end(at.call.signal), at)
  })
  upload.queue = pieceDone.catch(() => undefined)
  try {
    const result = await pieceDone
    // The caller of an aborted call learns no cursor, so it can't cancel the upload.
    if (more) checkAborted(at.call.signal)
    if (!more) endUpload()
    else return { cursor: cursor ?? at.transfer.sessions.keep(upload, upload.discard) }
    return defined({ result })
  } catch (error) {
    endUpload()
    throw error
  }
}

export type ImportInput = z.output<typeof importInput>

function proofOf({ passphrase: bundlePassphrase, signedBy }: Pick<ImportInput, 'passphrase' | 'signedBy'>) {
  return { passphrase: bundlePassphrase, signedBy }
}

/** The kinds of these names. Throws `invalid-input` for a kind that grants rights, unless `includesGrants`. */
function chooseKinds(kinds: Kinds, names: readonly string[], includesGrants: boolean): Kind[] {
  const chosen = kindsByNames(kinds, names)
  const granting = chosen.find((kind) => kind.grantsRights)
  if (!granting || includesGrants) return chosen
  const message = `\`kinds\`: To import ${pluralOf(granting)}, set \`includeTokens\`.`
  throw new DaybookError('invalid-input', message, { details: { path: 'includeTokens' } })
}

/** Starts an import: stages the records of each piece, and merges them after the last one. */
export function beginImport(
  { mode, kinds: chosenNames, dryRun, decisions, ...rest }: ImportInput,
  at: Context,
) {
  const uploadId = toHex(at.transfer.random.bytes(8))
  const includesGrants = rest.includeTokens
  const kinds = chosenNames && chooseKinds(at.records.kinds, chosenNames, includesGrants)
  let secrets: SecretCount[] = []
  const intake = new BundleIntake(
    {
      ...proofOf(rest),
      now: at.call.now,
      kinds,
      includeGrants: includesGrants,
      allowIncomplete: rest.allowIncomplete,
      onRecords: (staged) =>
        at.records.write((write) => {
          at.transfer.staging.add(
            uploadId,
            staged.map((record) => maskSecrets(record, write)),
          )
          secrets = sumSecrets([...secrets, ...write.transfer.secrets()])
        }),
    },
    at.records.kinds,
    at.transfer,
  )
  // `context` is of the last call, `at` of the first: signal and progress belong to the last.
  const finish = async (summary: IntakeResult, context: Context) => {
    const includedKinds = (kinds ?? [...at.records.kinds.values()]).filter(
      (kind) => includesGrants || !kind.grantsRights,
    )
    const importedKinds = listedKinds(includedKinds, summary.counts)
    const total = importedKinds.reduce((sum, name) => sum + (summary.counts[name] ?? 0), 0)
    const isSignedByThisBook =
      summary.signedBy !== undefined && summary.signedBy === (await at.transfer.keys.signer())?.key
    const keepsDecisions = (decisions ?? (isSignedByThisBook ? 'keep' : 'lower')) === 'keep'
    const report = await context.records.write(({ records, transfer }) => {
      let done = 0
      const merged = mergeUpload(
        {
          upload: uploadId,
          mode,
          kinds: importedKinds,
          dryRun,
          keepsDecisions,
          keepsTrust: keepsDecisions || (decisions === undefined && summary.signedBy === undefined),
          from: `bundle:${summary.agent.id}`,
        },
        {
          records,
          transfer,
          staging: at.transfer.staging,
          kinds: at.records.kinds,
          onRecord() {
            done += 1
            if (done % 1000 === 0 || done === total) context.call.progress({ done, total, subject: 'import' })
          },
        },
      )
      at.transfer.staging.drop(uploadId)
      return merged
    })
    context.records.scrub()
    const { grantsSkipped, missing } = summary
    return {
      ...describeBundle(summary),
      mode,
      dryRun,
      ...report,
      ...(grantsSkipped === 0 ? {} : { tokensSkipped: grantsSkipped }),
      ...(missing === 0 ? {} : { missing }),
      secrets,
    }
  }
  // Drop the staged records when the upload ends, also if the caller abandons it.
  return new Upload(
    intake,
    finish,
    () => void at.records.write(() => at.transfer.staging.drop(uploadId)).catch(() => undefined),
  )
}

/** The names of the wanted kinds that the bundle has a list of. */
function listedKinds(kinds: readonly Kind[], counts: Readonly<Record<string, number>>): string[] {
  return kinds.map(({ name }) => name).filter((name) => Object.hasOwn(counts, name))
}

interface SecretMaskPorts {
  readonly records: Pick<RecordWriter, 'guarded'>
  readonly transfer: Pick<TransferWriter, 'wasPurged'>
}

/**
 * `staged` with its secrets sealed or masked; the same object if it has none. A purged record gets an empty text.
 */
function maskSecrets(staged: StagedRecord, { records, transfer }: SecretMaskPorts): StagedRecord {
  const { id, kind, path } = staged
  if (transfer.wasPurged(id)) return { id, kind, text: '', path }
  if (staged.isSealed) return staged
  const record = JSON.parse(staged.text) as Stored<JsonObject>
  const original = bodyOf(record)
  const { body, sensitivity } = records.guarded({ id, kind, body: original, sensitivity: staged.sensitivity })
  if (body === original && sensitivity === staged.sensitivity) return staged
  return { id, kind, text: JSON.stringify({ ...headOf(record), ...body, sensitivity }), sensitivity, path }
}
