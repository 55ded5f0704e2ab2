// Importing and verifying bundles, piece by piece. Invariant: the whole is verified before anything of it is applied,
// and what is applied is one transaction; pieces wait in the database, so that neither a file nor a stream fills memory.
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import { toHex } from '../core/ids.ts'
import { type SecretCount, sumSecrets } from '../core/secret/stored-secrets.ts'
import { type Kind, pluralOf } from '../core/kind.ts'
import { sealed } from '../shape/sealed-count.ts'
import { secretCount } from '../shape/secret-count.ts'
import { kindsCalled } from './format/bundle-choice.ts'
import { type BundleIntake, createBundleIntake, type IntakeResult } from './format/bundle-intake.ts'
import { mergeUpload } from './format/bundle-merge.ts'
import { kindNames, passphrase } from './open-bundle-text.ts'
import { describe, described } from './described-bundle.ts'
import { guardStaged } from './guard-staged.ts'

type Context = TaskContext<'records' | 'transfer'>

const piece = {
  /** The text of the bundle, or its next piece. */
  text: z.string().max(4_000_000),
  /** More pieces follow. */
  more: z.boolean().default(false),
  /** What the call before answered; absent with the first piece, which brings the options. */
  cursor: z.string().max(100).optional(),
  /** With `cursor`: gives up what was sent so far. */
  cancel: z.boolean().optional(),
  /** How many bytes there are in all, if known, for progress. */
  size: z.number().int().nonnegative().optional(),
}

const proof = {
  /** Of an encrypted bundle. */
  passphrase: passphrase.optional(),
  /** Refuses the bundle unless this key signed it. */
  signed_by: z.string().max(200).optional(),
}

const conflict = z.object({
  id: z.string(),
  kind: z.string(),
  policy: z.string(),
  /** Whose record is in the book now; the other one is in the conflict log. */
  kept: z.enum(['book', 'bundle']),
  /** The book had forgotten it, and it stays forgotten. */
  forgotten: z.literal(true).optional(),
})

const importResult = z.object({
  ...described,
  mode: z.enum(['merge', 'replace']),
  dry_run: z.boolean(),
  imported: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  forgotten: z.number(),
  conflict_count: z.number(),
  /** Came in undecided: approvals, and what was approved, made in another book. They wait for this one's owner. Absent: none. */
  lowered: z.number().optional(),
  /**
   * Records of the bundle that can't be read here: sealed ones whose key is missing, or another book's, and those
   * `withheld`.
   */
  unreadable: sealed,
  /**
   * Of those, memories and proposals, sealed or of a newer Daybook, that may say that they were approved, and were left out therefore. With the key here, or
   * with `decisions: 'keep'`, the bundle brings them in. Absent: none.
   */
  withheld: z.number().optional(),
  /** Control tokens of the bundle that were left out, because `include_tokens` was not said. Absent: none. */
  tokens_skipped: z.number().optional(),
  /** Records that the bundle says it has, and has not: it was cut short, and `allow_incomplete` was said. Absent: none. */
  missing: z.number().optional(),
  /** Secrets of known form in what the bundle brings, and what the book does with them. */
  secrets: z.array(secretCount),
  /** The first thousand. */
  conflicts: z.array(conflict),
})
const verifyResult = z.object({ ...described, schemas_used: z.array(z.string()) })
const answer = <Result extends z.ZodType>(result: Result) =>
  z.object({
    /** Send the next piece with it. */
    cursor: z.string().optional(),
    /** With the last piece: what came of it. */
    result: result.optional(),
  })

const importInput = z.strictObject({
  ...piece,
  /** `merge` (default) adds to the book; `replace` makes the kinds in the bundle what the bundle says. */
  mode: z.enum(['merge', 'replace']).default('merge'),
  /** Only these kinds, by name or plural. */
  kinds: kindNames.optional(),
  /** Says what would happen, and changes nothing. */
  dry_run: z.boolean().default(false),
  /**
   * What becomes of what only an owner decides (approved memories, reviews of proposals): `keep` takes it as it is, `lower` as
   * it was before anybody decided. Default: `keep` for a bundle that the key of this book has signed, else `lower`.
   */
  decisions: z.enum(['keep', 'lower']).optional(),
  /** Takes control tokens too: whoever holds one has the rights in this book that it names. Default false: they are left out. */
  include_tokens: z.boolean().default(false),
  /** Takes what is there of a bundle that holds less than it says it does. Default false: it is refused. */
  allow_incomplete: z.boolean().default(false),
  ...proof,
})
const verifyInput = z.strictObject({ ...piece, ...proof })

export const bundleCapabilities = [
  defineCapability({
    id: 'bundle:import',
    methods: ['bundles.import'],
    summary:
      'Imports a kstar-bundle, sent whole or in pieces: verified first, then applied at once or not at all.',
    input: importInput,
    output: answer(importResult),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer'],
    run: (input, at) => receive(input, at, () => beginImport(input, at)),
  }),
  defineCapability({
    id: 'bundle:verify',
    forAgents: true,
    methods: ['bundles.verify'],
    summary: 'Verifies a kstar-bundle, sent whole or in pieces, without importing anything.',
    input: verifyInput,
    output: answer(verifyResult),
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['records', 'transfer'],
    run: (input, at) =>
      receive(input, at, () => {
        const intake = createBundleIntake(
          { ...proofOf(input), now: at.call.now, kinds: undefined, take: () => Promise.resolve() },
          at.records.kinds,
          at.transfer,
        )
        return new Upload(
          intake,
          (whole) => Promise.resolve(describe(whole)),
          () => undefined,
        )
      }),
  }),
] as const

/** A bundle being sent. A class, so that a name of something else is not taken for one. */
class Upload<Result = unknown> {
  readonly intake: BundleIntake
  readonly finish: (whole: IntakeResult, at: Context) => Promise<Result>
  readonly drop: () => void
  /** Pieces are taken one after the other, whatever a caller does. */
  tail: Promise<unknown> = Promise.resolve()
  received = 0

  constructor(
    intake: BundleIntake,
    finish: (whole: IntakeResult, at: Context) => Promise<Result>,
    drop: () => void,
  ) {
    this.intake = intake
    this.finish = finish
    this.drop = drop
  }
}

interface Piece {
  readonly text: string
  readonly more: boolean
  readonly cursor?: string | undefined
  readonly cancel?: boolean | undefined
  readonly size?: number | undefined
}

async function receive<Result>(
  { text, more, cursor, cancel, size }: Piece,
  at: Context,
  begin: () => Upload<Result>,
): Promise<{ cursor?: string; result?: Result }> {
  const upload =
    cursor === undefined ? begin() : (at.transfer.sessions.find(cursor) as Upload<Result> | undefined)
  if (!(upload instanceof Upload)) {
    throw new DaybookError('not-found', 'This import has ended, or waited too long.', {
      details: { path: 'cursor' },
    })
  }
  const end = () => (cursor === undefined ? upload.drop() : at.transfer.sessions.drop(cursor))
  if (cancel) {
    end()
    return {}
  }
  const work = upload.tail.then(async () => {
    await upload.intake.push(text, at.call.signal)
    upload.received += text.length
    at.call.progress({ done: upload.received, total: size ?? upload.received, what: 'read' })
    return more ? undefined : upload.finish(await upload.intake.end(at.call.signal), at)
  })
  upload.tail = work.catch(() => undefined)
  try {
    const result = await work
    if (!more) end()
    else return { cursor: cursor ?? at.transfer.sessions.keep(upload, upload.drop) }
    return result === undefined ? {} : { result }
  } catch (error) {
    end()
    throw error
  }
}

export type ImportInput = z.output<typeof importInput>

function proofOf({ passphrase: secret, signed_by }: Pick<ImportInput, 'passphrase' | 'signed_by'>) {
  return { passphrase: secret, signedBy: signed_by }
}

export function beginImport({ mode, kinds: names, dry_run, decisions, ...rest }: ImportInput, at: Context) {
  const upload = toHex(at.transfer.random.bytes(8))
  const kinds = names && kindsCalled(at.records.kinds, names)
  const includesGuarded = rest.include_tokens
  const guarded = kinds?.find((kind) => kind.guarded)
  if (guarded && !includesGuarded) {
    const message = `\`kinds\`: ${pluralOf(guarded)} are imported with \`include_tokens\` only.`
    throw new DaybookError('invalid-input', message, { details: { path: 'include_tokens' } })
  }
  let secrets: SecretCount[] = []
  const intake = createBundleIntake(
    {
      ...proofOf(rest),
      now: at.call.now,
      kinds,
      includeGuarded: includesGuarded,
      allowIncomplete: rest.allow_incomplete,
      take: (staged) =>
        at.records.write(({ records }) => {
          at.transfer.staging.add(
            upload,
            staged.map((one) => guardStaged(one, records)),
          )
          secrets = sumSecrets([...secrets, ...records.secrets()])
        }),
    },
    at.records.kinds,
    at.transfer,
  )
  const finish = async (whole: IntakeResult, last: Context) => {
    const taken = (kinds ?? [...at.records.kinds.values()]).filter((one) => includesGuarded || !one.guarded)
    const replaced = wantedKinds(taken, whole.counts)
    const total = replaced.reduce((sum, name) => sum + (whole.counts[name] ?? 0), 0)
    const isOwn = whole.signedBy !== undefined && whole.signedBy === (await at.transfer.keys.signer())?.key
    const keepsDecisions = (decisions ?? (isOwn ? 'keep' : 'lower')) === 'keep'
    const report = await last.records.write(({ records }) => {
      let done = 0
      const merged = mergeUpload(
        { upload, mode, kinds: replaced, dryRun: dry_run, keepsDecisions, from: `bundle:${whole.agent.id}` },
        {
          records,
          staging: at.transfer.staging,
          kinds: at.records.kinds,
          onRecord() {
            done += 1
            if (done % 1000 === 0 || done === total) last.call.progress({ done, total, what: 'import' })
          },
        },
      )
      at.transfer.staging.drop(upload)
      return merged
    })
    last.records.scrub()
    const { guardedSkipped, missing } = whole
    return {
      ...describe(whole),
      mode,
      dry_run,
      ...report,
      ...(guardedSkipped === 0 ? {} : { tokens_skipped: guardedSkipped }),
      ...(missing === 0 ? {} : { missing }),
      secrets,
    }
  }
  // What was staged goes with the upload, also when nobody comes back for it.
  return new Upload(
    intake,
    finish,
    () => void at.records.write(() => at.transfer.staging.drop(upload)).catch(() => undefined),
  )
}

/** Names of the kinds that the bundle has lists of, of those wanted. */
function wantedKinds(kinds: readonly Kind[], counts: Readonly<Record<string, number>>): string[] {
  return kinds.map(({ name }) => name).filter((name) => Object.hasOwn(counts, name))
}
