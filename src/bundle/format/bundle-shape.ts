// The shape of a `kstar-bundle` 1.0.0, as one canonical text: whoever writes the same content writes the same bytes.
// Invariant: the checksum is over the canonical JSON (RFC 8785) of the bundle without `integrity`. Top-level members
// stand in the order that lets both sides stream, so the text of `memory` is hashed between the parts around it.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { isRecordId } from '../../core/ids.ts'
import { isKindName, type Kind, type Kinds, pluralOf, unknownKind, unknownPlural } from '../../core/kind.ts'
import type { Json, JsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { sensitivities } from '../../core/sealed.ts'
import { canonicalTime } from '../../core/time.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

export const bundleFormat = 'kstar-bundle'
export const sealedFormat = 'kstar-bundle-encrypted'
export const bundleVersion = '1.0.0'

/** Throws `bundle-newer` for a version `1.2.3` that is later than the one that is read here. */
export function checkNotNewer(version: string): void {
  if (!/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) || !isLater(version, bundleVersion)) return
  throw new DaybookError(
    'bundle-newer',
    `The bundle has version ${version}, this Daybook reads ${bundleVersion}.`,
    { details: { path: 'version', found: version, known: bundleVersion } },
  )
}

function isLater(version: string, known: string): boolean {
  const ours = known.split('.').map(Number)
  const theirs = version.split('.').map(Number)
  const i = theirs.findIndex((part, place) => part !== ours[place])
  return i >= 0 && (theirs[i] ?? 0) > (ours[i] ?? 0)
}

export interface BundleAgent {
  readonly id: string
  /** What wrote the bundle, and which version of it. */
  readonly type: string
  readonly version: string
}

export interface BundleHead {
  readonly exported_at: string
  readonly agent: BundleAgent
}

const shortText = z.string().max(1000)
export const agentShape = z.looseObject({ id: shortText, type: shortText, version: shortText })

const hex = /^sha256:[0-9a-f]{64}$/
export const integrityShape = z.strictObject({
  checksum: z.string().regex(hex, 'is not sha256: and 64 hexadecimal digits'),
  public_key: shortText.optional(),
  signature: shortText.optional(),
})
export type Integrity = z.output<typeof integrityShape>

const instant = z.string().refine((value) => canonicalTime(value) !== undefined, 'is not an ISO 8601 time')
/** The head of a record in a bundle. Its kind is the list it stands in; versions of a mirror stay behind. */
export const recordHead = z.looseObject({
  id: z.string().refine(isRecordId, 'is not a record id'),
  created_at: instant,
  updated_at: instant,
  agent: z.string().min(1).max(1000),
  session: z.string().min(1).max(1000).optional(),
  resource: z.string().min(1).max(1000).optional(),
  sensitivity: z.enum(sensitivities).optional(),
})

/** Kinds in the order in which bundles list them. */
export function inBundleOrder(kinds: Iterable<Kind>): Kind[] {
  return [...kinds].sort((a, b) => (pluralOf(a) < pluralOf(b) ? -1 : 1))
}

/** The kind whose list has this name, also where only the writer of the bundle, or neither of both, knows it. */
export function kindOfList(kinds: Kinds, list: string): Kind | undefined {
  for (const kind of kinds.values()) if (pluralOf(kind) === list) return kind
  const name = list.startsWith(unknownPlural) ? list.slice(unknownPlural.length) : ''
  return isKindName(name) ? (kinds.get(name) ?? unknownKind(name)) : undefined
}

/** One record as it stands in its list. */
export function recordText({ kind: _kind, ver: _ver, ...record }: Stored<JsonObject>): string {
  return canonicalText(record as Json)
}

/** What is written before the lists, and what is hashed in its place. */
export function openingText({ exported_at, agent }: BundleHead): {
  readonly file: string
  readonly hashed: string
} {
  const at = canonicalText(exported_at)
  const who = canonicalText({ ...agent })
  const format = canonicalText(bundleFormat)
  const version = canonicalText(bundleVersion)
  return {
    file: `{"format":${format},"version":${version},"exported_at":${at},"agent":${who},"memory":{`,
    hashed: `{"agent":${who},"exported_at":${at},"format":${format},"memory":{`,
  }
}

/** What is written after the lists: `file` ends before the integrity, `hashed` at the end of the content. */
export function closingText(
  schemas: string,
  statistics: string,
): { readonly file: string; readonly hashed: string } {
  const file = `},"schemas_used":${schemas},"statistics":${statistics}`
  return { file, hashed: `${file},"version":${canonicalText(bundleVersion)}}` }
}

/** What a signature of a bundle is over: its checksum, and for what. */
export function signedText(checksum: string): string {
  return canonicalText({ format: bundleFormat, version: bundleVersion, checksum })
}
