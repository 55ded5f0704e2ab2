// Scans a book for known forms of secrets that were stored before the check existed, or that came by sync.
// Invariant: it reports which records contain which sort of secret, never the secrets themselves.
import { z } from 'zod'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import type { JsonObject } from '../core/json/path.ts'
import { kindCalled } from '../core/kind.ts'
import { bodyOf, type Stored } from '../core/record.ts'
import { isSealing } from '../core/sealed.ts'
import { type FoundSecret, maskBody, secretMarksIn, secretsOf } from '../core/secret/body-secrets.ts'
import { countSecrets, type SecretOutcome, type StoredSecrets } from '../core/secret/stored-secrets.ts'
import { jsonObject, recordId, secretCount } from '../shape/field.ts'

type Context = TaskContext<'records'>

/** Most records named in the answer. */
const maxReported = 1000
/** Characters of bodies that are read between two checks for cancellation. */
const maxPageCharacters = 262_144

interface RecordFinding extends StoredSecrets {
  /** The number of an earlier version. Absent: the current one. */
  readonly version?: number
  /** The body of that version, with marks. */
  readonly masked?: JsonObject
}

export const secretCapabilities = [
  defineCapability({
    id: 'secret:scan',
    methods: ['records.scan'],
    summary:
      'Looks through the book for keys, passwords and card numbers of known form, and seals the records that hold some if asked.',
    input: z
      .strictObject({
        /** Kinds by name or plural. Default: all that users write. */
        kinds: z.array(z.string().min(1).max(100)).max(100).optional(),
        /** Only these records. The answer then has their bodies with marks, to show them. */
        ids: z.array(recordId).min(1).max(maxReported).optional(),
        /** Only these texts, which are of no record, such as a question. The answer has them with marks. */
        body: jsonObject.optional(),
        /** Scans earlier versions too. */
        history: z.boolean().default(true),
        /**
         * Makes every record with a secret in clear sensitive, so that the record and its versions are encrypted.
         */
        seal: z.boolean().default(false),
      })
      .prefault({}),
    output: z.object({
      scanned: z.number(),
      /** Sealed records whose key is not here; they were not scanned. */
      locked: z.number(),
      /** The first thousand records: their secrets, the version if not the current one, and how it is stored. */
      found: z.array(
        z.object({
          id: z.string(),
          kind: z.string(),
          version: z.number().optional(),
          /** As in `secretCount` (shape/field.ts): encrypted, replaced by a mark, or in clear. */
          outcome: z.enum(['sealed', 'masked', 'kept']),
          secrets: z.array(z.object({ rule: z.string(), path: z.string() })).readonly(),
          /** With `ids`: the body of this version, with a mark in place of each secret. */
          masked: jsonObject.optional(),
        }),
      ),
      /** All findings by sort, kind and place, most frequent first. */
      secrets: z.array(secretCount),
      /** Records that this call sealed. */
      sealed: z.number(),
      /** With `body`, if it has a secret: the body with a mark in place of each. */
      masked: jsonObject.optional(),
    }),
    effect: 'task',
    uses: ['records'],
    async run({ kinds: names, ids, body, history, seal }, at) {
      if (body) return scanBody(body)
      const kinds = kindsToScan(at, names)
      if (ids) return scanIds({ ids, kinds, history, seal }, at)
      const snapshot = at.records.snapshot({ kinds, includeSealed: true })
      const total = [...snapshot.counts.values()].reduce((sum, count) => sum + count, 0)
      const findings: RecordFinding[] = []
      let scanned = 0
      for (const kind of kinds) {
        for (let offset: number | undefined = 0; offset !== undefined;) {
          checkAborted(at.call.signal)
          const { records, next } = snapshot.read(kind, offset, maxPageCharacters)
          for (const record of records) findings.push(...scanRecord(record, history ? at : undefined))
          scanned += records.length
          at.call.progress({ done: scanned, total, subject: 'scan' })
          offset = next
        }
      }
      return report({ findings, scanned, locked: snapshot.locked, seal }, at)
    },
  }),
] as const

function scanBody(texts: JsonObject) {
  const { body, found } = maskBody(texts)
  const secrets = countSecrets([{ id: '', kind: '', outcome: 'kept', secrets: found }])
  return {
    scanned: 0,
    locked: 0,
    found: [],
    secrets,
    sealed: 0,
    ...(found.length > 0 ? { masked: body } : {}),
  }
}

interface Scanned {
  readonly findings: readonly RecordFinding[]
  readonly scanned: number
  readonly locked: number
  readonly seal: boolean
}

/** Seals the records if asked, and describes what was found. */
async function report({ findings, scanned, locked, seal }: Scanned, at: Context) {
  const sealed = seal ? await sealAll(findings, at) : new Set<string>()
  const reported = findings.map((finding) =>
    sealed.has(finding.id) ? { ...finding, outcome: 'sealed' as const } : finding,
  )
  return {
    scanned,
    locked,
    found: reported.slice(0, maxReported),
    secrets: countSecrets(reported),
    sealed: sealed.size,
  }
}

interface IdScan {
  readonly ids: readonly string[]
  readonly kinds: readonly string[]
  readonly history: boolean
  readonly seal: boolean
}

/** Scans the records of `ids`. */
function scanIds({ ids, kinds, history, seal }: IdScan, at: Context) {
  const include = { expired: true, superseded: true, outdated: true }
  const page = at.records.query({ filters: { id: { in: [...ids] } }, include, limit: maxReported })
  const records = page.records.filter(({ kind }) => kinds.includes(kind))
  const findings = records.flatMap((record) => {
    const found = scanRecord(record, history ? at : undefined)
    if (found.length === 0) return found
    const versions = history ? at.records.history(record.id) : []
    return found.map((one): RecordFinding => {
      const earlier = versions.find(({ version }) => version === one.version)?.body
      return { ...one, masked: maskBody(earlier ?? bodyOf(record)).body }
    })
  })
  return report({ findings, scanned: records.length, locked: page.sealed ?? 0, seal }, at)
}

/**
 * The names of the kinds to scan: all that users write, or those in `names` (name or plural). Throws
 * `invalid-input` for another kind.
 */
function kindsToScan(at: Context, names: readonly string[] | undefined): string[] {
  const writable = [...at.records.kinds.values()].filter(({ guests }) => guests !== 'none')
  if (!names) return writable.map(({ name }) => name)
  return names.map((name, i) => {
    const kind = kindCalled(at.records.kinds, name)
    if (kind && writable.includes(kind)) return kind.name
    throw new DaybookError('invalid-input', `\`kinds.${i}\`: There is no kind \`${name}\`.`, {
      details: { path: `kinds.${i}` },
    })
  })
}

/** The findings in a record. `at` undefined: not in its earlier versions. */
function scanRecord(record: Stored<JsonObject>, at: Context | undefined): RecordFinding[] {
  const { id, kind } = record
  const stored: SecretOutcome = isSealing(record.sensitivity) ? 'sealed' : 'kept'
  const body = bodyOf(record)
  const current = keepNonEmpty({ id, kind, outcome: stored, secrets: secretsOf(body) })
  const masked = keepNonEmpty({ id, kind, outcome: 'masked', secrets: secretMarksIn(body) })
  // The last version is the current one.
  const earlier = (at?.records.history(id) ?? []).slice(0, -1).flatMap((version) => {
    const secrets: FoundSecret[] = version.body ? secretsOf(version.body) : []
    return keepNonEmpty({ id, kind, version: version.version, outcome: stored, secrets })
  })
  return [...current, ...masked, ...earlier]
}

const keepNonEmpty = (finding: RecordFinding): RecordFinding[] =>
  finding.secrets.length > 0 ? [finding] : []

const maxSealBatch = 100

/** Seals the records with secrets in clear, and returns their ids. */
async function sealAll(findings: readonly RecordFinding[], at: Context): Promise<Set<string>> {
  const ids = [...new Set(findings.filter(({ outcome }) => outcome === 'kept').map(({ id }) => id))]
  const sealed = new Set<string>()
  for (let start = 0; start < ids.length; start += maxSealBatch) {
    checkAborted(at.call.signal)
    const batch = ids.slice(start, start + maxSealBatch)
    await at.records.write(({ records }) => {
      for (const id of batch) {
        const record = records.get(id)
        if (!record || isSealing(record.sensitivity)) continue
        records.put({ kind: record.kind, id, body: bodyOf(record), scope: { sensitivity: 'sensitive' } })
        sealed.add(id)
      }
    })
  }
  if (sealed.size > 0) at.records.scrub()
  return sealed
}
