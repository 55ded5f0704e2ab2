// The shape of a `kstar-bundle` 1.0.0 as one canonical text: equal content has equal bytes. Also its statistics,
// its sealed records, and its errors.
// Invariant: the checksum is over the canonical JSON (RFC 8785) of the bundle without `integrity`; the order of the
// members lets writer and reader stream; nothing of a sealed record is read without its key.
import { z } from 'zod'
import { DaybookError, faultText } from '../../core/errors.ts'
import { isRecordId } from '../../core/ids.ts'
import {
  isKindName,
  type Kind,
  type Kinds,
  pluralOf,
  unknownKind,
  unknownPlural,
  isOpenKind,
} from '../../core/kind.ts'
import { type Json, type JsonObject, readPath, isJsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import {
  sensitivities,
  isSealing,
  type SealedBody,
  sealingAlgorithm,
  type Sensitivity,
} from '../../core/sealed.ts'
import { canonicalTime } from '../../core/time.ts'
import { trustClasses } from '../../core/trusted.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { parseWith } from '../../core/schema.ts'
import { isStamp } from '../../core/stamp.ts'

export const bundleFormat = 'kstar-bundle'
export const sealedFormat = 'kstar-bundle-encrypted'
export const bundleVersion = '1.0.0'

/**
 * Throws `bundle-newer` for a version `1.2.3` that is later than this one. Another text passes: its caller
 * checks it.
 */
export function assertSupportedVersion(version: string): void {
  if (!/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) || !isLater(version, bundleVersion)) return
  throw new DaybookError(
    'bundle-newer',
    `The bundle has version ${version}, but this Daybook reads up to ${bundleVersion}.`,
    { details: { path: 'version', found: version, supported: bundleVersion } },
  )
}

function isLater(version: string, current: string): boolean {
  const currentParts = current.split('.').map(Number)
  const versionParts = version.split('.').map(Number)
  const i = versionParts.findIndex((part, index) => part !== currentParts[index])
  return i >= 0 && (versionParts[i] ?? 0) > (currentParts[i] ?? 0)
}

export interface BundleAgent {
  readonly id: string
  /** The program that wrote the bundle. */
  readonly type: string
  /** The version of that program. */
  readonly version: string
}

export interface BundleHead {
  readonly exported_at: string
  readonly agent: BundleAgent
}

const shortText = z.string().max(1000)
export const agentShape = z.looseObject({ id: shortText, type: shortText, version: shortText })

const sha256Pattern = /^sha256:[0-9a-f]{64}$/
export const integrityShape = z.strictObject({
  checksum: z.string().regex(sha256Pattern, 'is not sha256: and 64 hexadecimal digits'),
  public_key: shortText.optional(),
  signature: shortText.optional(),
})
export type Integrity = z.output<typeof integrityShape>

const instant = z.string().refine((value) => canonicalTime(value) !== undefined, 'is not an ISO 8601 time')
/** The head of a record in a bundle. It has no kind, which its list gives, and no version of a mirror. */
export const bundleRecordHead = z.looseObject({
  id: z.string().refine(isRecordId, 'is not a record id'),
  created_at: instant,
  updated_at: instant,
  agent: z.string().min(1).max(1000),
  session: z.string().min(1).max(1000).optional(),
  resource: z.string().min(1).max(1000).optional(),
  sensitivity: z.enum(sensitivities).optional(),
  trust: z.enum(trustClasses).optional(),
})

/** Sorts kinds in the order in which bundles list them. */
export function sortInBundleOrder(kinds: Iterable<Kind>): Kind[] {
  return [...kinds].sort((a, b) => (pluralOf(a) < pluralOf(b) ? -1 : 1))
}

/**
 * The kind of the list with this name. A list may be of a kind that its writer did not know. Undefined: unknown
 * here.
 */
export function kindOfListName(kinds: Kinds, list: string): Kind | undefined {
  for (const kind of kinds.values()) if (pluralOf(kind) === list) return kind
  const name = list.startsWith(unknownPlural) ? list.slice(unknownPlural.length) : ''
  return isKindName(name) ? (kinds.get(name) ?? unknownKind(name)) : undefined
}

/** A record as canonical text, as its list contains it. */
export function recordText({ kind: _kind, ver: _ver, ...record }: Stored<JsonObject>): string {
  return canonicalText(record as Json)
}

/**
 * The text before the lists. `file`: as the bundle begins. `hashed`: as the checksum covers it, with the members that
 * sort before `memory`.
 */
export function textBeforeLists({ exported_at, agent }: BundleHead): {
  readonly file: string
  readonly hashed: string
} {
  const exportedAt = canonicalText(exported_at)
  const writer = canonicalText({ ...agent })
  const format = canonicalText(bundleFormat)
  const version = canonicalText(bundleVersion)
  return {
    file: `{"format":${format},"version":${version},"exported_at":${exportedAt},"agent":${writer},"memory":{`,
    hashed: `{"agent":${writer},"exported_at":${exportedAt},"format":${format},"memory":{`,
  }
}

/** The text after the lists. `file` ends before the integrity; `hashed` ends with the content. */
export function textAfterLists(
  schemas: string,
  statistics: string,
): { readonly file: string; readonly hashed: string } {
  const file = `},"schemas_used":${schemas},"statistics":${statistics}`
  return { file, hashed: `${file},"version":${canonicalText(bundleVersion)}}` }
}

/** The text that the signature of a bundle covers. */
export function bundleSignedText(checksum: string): string {
  return canonicalText({ format: bundleFormat, version: bundleVersion, checksum })
}

/** Statistics of a bundle, and the schemas that its records use. */
export class BundleStatistics {
  readonly #counts = new Map<string, number>()
  readonly #schemas = new Set<string>()
  #earliest: string | null = null
  #latest: string | null = null
  #sealed = 0

  /** Adds a kind with a list in the bundle, so that an empty list has the count 0. */
  addKind({ name }: Kind): void {
    this.#counts.set(name, 0)
  }

  addRecord({ name, facets }: Kind, record: JsonObject): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
    if (isSealedRecord(record)) this.#sealed += 1
    const schema = facets.schema === undefined ? undefined : readPath(record, facets.schema)
    if (typeof schema === 'string') this.#schemas.add(schema)
    const happenedAt = facets.happened_at === undefined ? undefined : readPath(record, facets.happened_at)
    const time = typeof happenedAt === 'string' ? happenedAt : record['created_at']
    if (typeof time !== 'string') return
    if (this.#earliest === null || time < this.#earliest) this.#earliest = time
    if (this.#latest === null || time > this.#latest) this.#latest = time
  }

  schemasUsed(): Json {
    return [...this.#schemas].sort()
  }

  /** Number of records with a sealed body. */
  sealedCount(): number {
    return this.#sealed
  }

  statistics(): Json {
    return {
      ...Object.fromEntries([...this.#counts].map(([kind, count]) => [`${kind}_count`, count])),
      date_range: { earliest: this.#earliest, latest: this.#latest },
      ...(this.#sealed === 0 ? {} : { sealed_count: this.#sealed }),
    }
  }
}

/** The field with the sealed body. It replaces all fields outside the head. */
export const sealedBodyField = 'sealed'

/** The shape of a `SealedBody` (`src/core/sealed.ts`). */
const sealedBody = z.strictObject({
  alg: z.literal(sealingAlgorithm),
  kid: z.string().regex(/^k_[0-9a-f]{16}$/, 'is not the id of a key'),
  v: z.number().int().min(0),
  n: z.base64().length(16),
  ct: z.base64().min(24).max(4_000_000),
  head: z
    .strictObject({
      stamp: z.string().refine(isStamp, 'is not a stamp'),
      session: z.string().optional(),
      resource: z.string().optional(),
      sensitivity: z.enum(sensitivities).optional(),
    })
    .optional(),
})

/** True for a record with a sealed body. */
export function isSealedRecord(record: object): boolean {
  return isJsonObject((record as JsonObject)[sealedBodyField])
}

/**
 * Parses the sealed body of a record. `fields`: the record without its head. Throws `invalid-file` for clear
 * fields, and for a kind or sensitivity that is not sealed.
 */
export function parseSealedBody(
  kind: Kind,
  fields: JsonObject,
  sensitivity: Sensitivity | undefined,
): SealedBody {
  const clearField = Object.keys(fields).find((name) => name !== sealedBodyField)
  if (clearField !== undefined) throw invalidBundle(clearField, 'A sealed record must have no clear fields')
  if (!isSealing(sensitivity ?? kind.sensitivity))
    throw invalidBundle('sensitivity', 'Only a sensitive record may be sealed')
  if (isOpenKind(kind)) throw invalidBundle(sealedBodyField, `Every copy must be able to read a ${kind.name}`)
  return parseWith(z.strictObject({ [sealedBodyField]: sealedBody }), fields, 'invalid-file')[
    sealedBodyField
  ] as SealedBody
}

/** The error for a fault in a bundle, with its path. */
export function invalidBundle(path: string, message: string, cause?: unknown): DaybookError {
  return new DaybookError('invalid-file', faultText(path, message, 'The bundle'), {
    details: { path },
    cause,
  })
}

/** The error for a bundle without its end, where the checksum is: no part can be verified. */
export function cutOffError(path: string): DaybookError {
  const subject = path === '' ? 'The bundle' : `\`${path}\``
  const message = `${subject}: The bundle was cut off here. Without its end, it can't be verified.`
  return new DaybookError('incomplete-file', message, { details: { path } })
}

/** Runs a check, and puts `path` before the path of its error. */
export function withPath<Result>(path: string, check: () => Result): Result {
  try {
    return check()
  } catch (cause) {
    if (!(cause instanceof DaybookError)) throw cause
    const inner = typeof cause.details['path'] === 'string' ? cause.details['path'] : ''
    const [issue] = (cause.details['issues'] ?? []) as { message: string }[]
    throw invalidBundle(inner === '' ? path : `${path}.${inner}`, issue?.message ?? cause.message, cause)
  }
}
