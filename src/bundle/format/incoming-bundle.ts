// Receives the members and records of a bundle in any order, completes records of other programs, and compares the
// bundle with its checksum and statistics at the end. A bundle is one JSON object; its member `memory` has a list of
// records for each kind. `BundleReader` calls this class.
// Invariant: the checksum covers every member and record.
import { DaybookError } from '../../core/errors.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject, readPath } from '../../core/json/path.ts'
import type { Digest } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { canonicalTime } from '../../core/time.ts'
import {
  withPath,
  invalidBundle,
  agentShape,
  type BundleAgent,
  bundleFormat,
  type BundleHead,
  bundleVersion,
  assertSupportedVersion,
  type Integrity,
  integrityShape,
  kindOfListName,
  bundleRecordHead,
  BundleStatistics,
  isSealedRecord,
} from './bundle-shape.ts'
import { product } from './product.ts'
import { CanonicalChecksum, maxHeldCharacters, maxHeldRecords } from './canonical-checksum.ts'

export interface BundleRecord {
  readonly kind: Kind
  readonly record: JsonObject
  /** The place of the record, such as `memory.traces.17`. */
  readonly path: string
  /** True if the bundle names this program as its writer. */
  readonly isOurs: boolean
}

export interface BundleSummary extends BundleHead {
  readonly version: string
  /** Number of records, by kind; of a kind that is unknown here, by the name of its list. */
  readonly counts: Readonly<Record<string, number>>
  /** Number of sealed records. */
  readonly sealed: number
  /** Number of records that the statistics count but the bundle lacks. */
  readonly missing: number
  /** Number of left-out records of kinds that grant rights. */
  readonly grantsSkipped: number
  readonly schemas_used: readonly string[]
  readonly integrity: Integrity
}

export interface IncomingBundleDeps {
  readonly kinds: Kinds
  readonly digest: Digest
  /** True for a list to import; other lists are only hashed and counted. `kind` undefined: unknown to this Daybook. */
  wants(kind: Kind | undefined, list: string): boolean
  /** Accepts a bundle with fewer records than its statistics. Default false. */
  readonly allowIncomplete?: boolean | undefined
  /** The time for a bundle without `exported_at`. */
  readonly now: string
}

/** The writer of a bundle without `agent`. */
const unknownWriter: BundleAgent = { id: 'unknown', type: 'unknown', version: 'unknown' }

interface RecordList {
  /** Undefined: unknown here; such a list is only hashed and counted. */
  readonly kind: Kind | undefined
  readonly isWanted: boolean
  readonly ids: UniqueIds
  count: number
}

interface PendingRecord {
  readonly kind: Kind
  readonly record: JsonObject
  readonly path: string
  readonly list: RecordList
}

export class IncomingBundle {
  readonly checksum: CanonicalChecksum
  readonly #deps: IncomingBundleDeps
  readonly #statistics = new BundleStatistics()
  readonly #members = new Map<string, Json>()
  readonly #lists = new Map<string, RecordList>()
  #currentList: RecordList | undefined
  /** Members that arrived before `format`. They are checked after it. */
  #unchecked: string[] = []
  /** True after `format` was checked. */
  #isBundle = false
  /** True if the bundle names this program as its writer. */
  #isOurs = false
  #grantsSkipped = 0
  #readyRecords: BundleRecord[] = []
  /** Records that need `agent` or `exported_at`, which have not arrived. */
  #pending: PendingRecord[] = []
  #pendingLength = 0

  constructor(deps: IncomingBundleDeps) {
    this.#deps = deps
    this.checksum = new CanonicalChecksum(() => deps.digest.start())
  }

  /** Begins a member. Throws `invalid-file` for an unknown or repeated name. */
  beginMember(name: string): void {
    if (this.#members.has(name)) throw invalidBundle(name, 'The member is there twice')
    if (!memberNames.has(name)) {
      if (!this.#members.has('format')) throw invalidBundle('format', 'This is not a kstar-bundle')
      throw invalidBundle(name, `A bundle of version ${bundleVersion} has no such member`)
    }
    // Only marks the name as present: `addMember` sets the value. `memory` keeps null.
    this.#members.set(name, null)
  }

  /** Takes the value of a member beside `memory`. */
  addMember(name: string, value: Json): void {
    this.#members.set(name, value)
    this.#unchecked.push(name)
    if (name === 'format' || this.#isBundle) this.#checkMembers()
    if (name !== 'integrity') this.checksum.addMember(name, value)
  }

  /** Begins `memory`. Without `agent` before it, the bundle counts as another program's, with its higher limits. */
  openMemory(): void {
    const agent = this.#members.get('agent')
    this.#isOurs = isJsonObject(agent) && agent['type'] === product.type
    this.checksum.openMemory(this.#isOurs ? maxHeldCharacters.ownBundle : maxHeldCharacters.otherBundle)
  }

  /** Checks the format first: in a file that is no bundle, other faults do not matter. */
  #checkMembers(): void {
    if (!this.#isBundle) memberChecks['format']?.(this.#members.get('format') ?? null)
    this.#isBundle = true
    for (const name of this.#unchecked) memberChecks[name]?.(this.#members.get(name) ?? null)
    this.#unchecked = []
  }

  openList(name: string, path: string): void {
    const { kinds, wants } = this.#deps
    if (this.#lists.has(name)) throw invalidBundle(path, 'The list is there twice')
    if (this.#lists.size >= maxLists)
      throw new DaybookError('too-large', `\`memory\`: A bundle has at most ${maxLists} lists.`, {
        details: { path: 'memory', limit: maxLists },
      })
    const kind = kindOfListName(kinds, name)
    const isWanted = wants(kind, name)
    if (!kind && isWanted) {
      throw invalidBundle(
        path,
        'This Daybook does not know this kind of record. Import the other kinds by `kinds`',
      )
    }
    if (kind) this.#statistics.addKind(kind)
    this.#currentList = {
      kind,
      isWanted,
      ids: new UniqueIds(maxUnorderedRecords[this.#isOurs ? 'ownBundle' : 'otherBundle']),
      count: 0,
    }
    this.#lists.set(name, this.#currentList)
    this.checksum.openList(name)
  }

  addRecord(value: Json, path: string): void {
    // The reader opens a list before its records.
    const list = this.#currentList
    if (!list) return
    this.checksum.addRecord(value, path)
    list.count += 1
    if (!isJsonObject(value)) throw invalidBundle(path, 'A record must be an object')
    const { kind } = list
    if (!kind) return
    // Other programs may write records that grant rights in another way. If left out, they are counted unchecked.
    if (kind.grantsRights && !list.isWanted) {
      this.#grantsSkipped += 1
      return this.#statistics.addRecord(kind, value)
    }
    const mustWait = !isComplete(value) && (!this.#members.has('agent') || !this.#members.has('exported_at'))
    if (!mustWait) return this.#acceptRecord({ kind, record: value, path, list })
    this.#pending.push({ kind, record: value, path, list })
    this.#pendingLength += canonicalText(value).length
    if (this.#pendingLength > maxHeldCharacters.otherBundle || this.#pending.length > maxHeldRecords)
      throw tooManyPendingError(path)
  }

  #acceptRecord({ kind, record: incomplete, path, list }: PendingRecord): void {
    const record = isComplete(incomplete) ? incomplete : withDefaults(kind, incomplete, this.#defaults())
    const { id } = withPath(path, () => parseWith(bundleRecordHead, record, 'invalid-file'))
    if (!list.ids.add(id, `${path}.id`))
      throw invalidBundle(`${path}.id`, 'Another record of the list has this id')
    this.#statistics.addRecord(kind, record)
    if (list.isWanted) this.#readyRecords.push({ kind, record, path, isOurs: this.#isOurs })
  }

  #defaults(): RecordDefaults {
    const agent = this.#members.get('agent')
    const exportedAt = this.#members.get('exported_at')
    return {
      agent: isJsonObject(agent) ? String(agent['id']) : unknownWriter.id,
      exported_at: typeof exportedAt === 'string' ? exportedAt : this.#deps.now,
    }
  }

  /** Returns the records that became complete since the last call. */
  takeReadyRecords(): BundleRecord[] {
    const records = this.#readyRecords
    this.#readyRecords = []
    return records
  }

  /** Ends the bundle. Throws `invalid-file` for a changed bundle, `incomplete-file` for missing records. */
  end(): BundleSummary {
    for (const name of ['format', 'version', 'memory', 'integrity'])
      if (!this.#members.has(name))
        throw invalidBundle(name, name === 'format' ? 'This is not a kstar-bundle' : 'This member is missing')
    const integrity = withPath('integrity', () =>
      parseWith(integrityShape, this.#members.get('integrity'), 'invalid-file'),
    )
    if (this.checksum.checksum() !== integrity.checksum) {
      throw invalidBundle('integrity.checksum', 'The checksum is wrong: the bundle was changed')
    }
    for (const record of this.#pending) this.#acceptRecord(record)
    const agent = this.#members.get('agent')
    const schemas = this.#members.get('schemas_used') ?? this.#statistics.schemasUsed()
    const missing = this.#checkStatistics()
    const counts = [...this.#lists].map(([name, { kind, count }]) => [kind?.name ?? name, count])
    return {
      exported_at: this.#defaults().exported_at,
      agent: isJsonObject(agent) ? (agent as unknown as BundleAgent) : unknownWriter,
      version: bundleVersion,
      counts: Object.fromEntries(counts) as Record<string, number>,
      sealed: this.#statistics.sealedCount(),
      missing,
      grantsSkipped: this.#grantsSkipped,
      schemas_used: schemas as string[],
      integrity,
    }
  }

  /**
   * Compares the records with the bundle's statistics. Returns the number of missing records if `allowIncomplete`;
   * else throws `incomplete-file`. Of other programs only the counts are compared, because they may take other
   * times.
   */
  #checkStatistics(): number {
    const countedStatistics = this.#statistics.statistics()
    const statedStatistics = this.#members.get('statistics')
    if (!isJsonObject(countedStatistics) || !isJsonObject(statedStatistics)) return 0
    const missing = this.#missing(countedStatistics, statedStatistics)
    for (const [name, value] of Object.entries(countedStatistics)) {
      if (!this.#isOurs && (statedStatistics[name] === undefined || !name.endsWith('_count'))) continue
      // With records missing, times differ, and the statistics count more.
      if (missing > 0 && (!name.endsWith('_count') || Number(statedStatistics[name]) > Number(value)))
        continue
      if (canonicalText(value) !== canonicalText(statedStatistics[name]))
        throw invalidBundle(`statistics.${name}`, 'The content does not fit the statistics')
    }
    return missing
  }

  /** The number of records that the bundle's statistics (`stated`) count but the bundle (`counted`) lacks. */
  #missing(counted: JsonObject, stated: JsonObject): number {
    const { allowIncomplete, kinds } = this.#deps
    let missing = 0
    for (const { name, grantsRights } of kinds.values()) {
      const path = `${name}_count`
      const foundCount = counted[path]
      const statedCount = stated[path]
      // Kinds that grant rights are left out by default, even if the statistics of another program count them.
      if (typeof statedCount !== 'number' || (foundCount === undefined && grantsRights)) continue
      const lacking = statedCount - Number(foundCount ?? 0)
      if (lacking <= 0) continue
      if (!allowIncomplete) {
        const message = `The bundle has ${Number(foundCount ?? 0)} of its ${statedCount} records of kind \`${name}\`: it was cut short. Get the whole file.`
        throw new DaybookError('incomplete-file', message, {
          details: { path: `statistics.${path}`, said: statedCount, found: Number(foundCount ?? 0) },
        })
      }
      missing += lacking
    }
    return missing
  }
}

function tooManyPendingError(path: string): DaybookError {
  const message = `\`${path}\`: In a large bundle, put records without times or agent after \`agent\` and \`exported_at\`.`
  return new DaybookError('too-large', message, {
    details: { path, limitCharacters: maxHeldCharacters.otherBundle },
  })
}

/** The members of a bundle, each with its check. */
const memberChecks: Readonly<Record<string, (value: Json) => void>> = {
  format(value) {
    if (value !== bundleFormat) throw invalidBundle('format', 'This is not a kstar-bundle')
  },
  version(value) {
    if (typeof value === 'string') assertSupportedVersion(value)
    if (value !== bundleVersion) throw invalidBundle('version', `Must be ${bundleVersion}`)
  },
  exported_at(value) {
    if (typeof value !== 'string' || canonicalTime(value) === undefined)
      throw invalidBundle('exported_at', 'This is not an ISO 8601 time')
  },
  agent(value) {
    withPath('agent', () => parseWith(agentShape, value, 'invalid-file'))
  },
  schemas_used(value) {
    if (!Array.isArray(value) || !value.every((name: Json) => typeof name === 'string'))
      throw invalidBundle('schemas_used', 'Must be a list of names')
  },
  statistics(value) {
    if (!isJsonObject(value)) throw invalidBundle('statistics', 'Must be an object')
  },
  integrity(value) {
    withPath('integrity', () => parseWith(integrityShape, value, 'invalid-file'))
  },
}
const memberNames = new Set([...Object.keys(memberChecks), 'memory'])

/** Defaults for records, from the bundle. */
interface RecordDefaults {
  readonly agent: string
  readonly exported_at: string
}

/** True if `record` needs no defaults from the bundle. */
function isComplete({ created_at, updated_at, agent }: JsonObject): boolean {
  return created_at !== undefined && updated_at !== undefined && agent !== undefined
}

/** A record's own time: when it was created, happened or was updated. Undefined without any. */
function recordTime({ facets }: Kind, record: JsonObject): unknown {
  const happened = facets.happened_at === undefined ? undefined : readPath(record, facets.happened_at)
  return record['created_at'] ?? happened ?? record['updated_at']
}

/**
 * Adds defaults to a record of another program: times from its own time or the bundle's, the agent from the
 * bundle, body fields from its kind (`Kind.complete`), and the id of a record that its name identifies
 * (`Kind.idOf`). Other fields that are present do not change.
 */
function withDefaults(kind: Kind, record: JsonObject, { agent, exported_at }: RecordDefaults): JsonObject {
  const time = (recordTime(kind, record) ?? exported_at) as string
  const withHead: JsonObject = { created_at: time, updated_at: time, agent, ...record }
  const body = kind.complete && !isSealedRecord(record) ? kind.complete(withHead) : withHead
  const hasKindId = kind.idPrefix !== undefined && String(body['id']).startsWith(kind.idPrefix)
  return kind.idOf && !hasKindId && typeof body['name'] === 'string' ? { ...body, id: kind.idOf(body) } : body
}

/** Most lists of a bundle: one for each kind of record. */
const maxLists = 1000

/**
 * Most records of a list whose ids are not ascending. `ownBundle`: in a bundle of this program, which writes ids in
 * order, so such a bundle was reordered.
 */
export const maxUnorderedRecords = { ownBundle: 10_000, otherBundle: 200_000 } as const

/**
 * Finds repeated ids of a list. A list with ascending ids may have any length, because each id need only be compared
 * with the greatest one; another list has at most `limit` records.
 */
class UniqueIds {
  readonly #limit: number
  #greatestId = ''
  /** Undefined after more than `limit` ids. */
  #ids: Set<string> | undefined = new Set()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False for a repeated id. Throws `too-large` for a long list out of order. */
  add(id: string, path: string): boolean {
    if (id > this.#greatestId) this.#greatestId = id
    else if (!this.#ids) {
      throw new DaybookError(
        'too-large',
        `\`${path}\`: Records of a list of more than ${this.#limit} must be in order of id.`,
        { details: { path, limit: this.#limit } },
      )
    } else if (this.#ids.has(id)) return false
    this.#ids?.add(id)
    if (this.#ids && this.#ids.size > this.#limit) this.#ids = undefined
    return true
  }
}
