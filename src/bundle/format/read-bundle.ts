// Takes in the members and records of a bundle in any order, completes records of other programs, and compares the
// bundle with its checksum and statistics at the end.
// Invariant: the checksum covers every member and record.
import { DaybookError } from '../../core/errors.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject, readPath } from '../../core/json/path.ts'
import type { Digest } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { canonicalTime } from '../../core/time.ts'
import {
  within,
  wrong,
  agentShape,
  type BundleAgent,
  bundleFormat,
  type BundleHead,
  bundleVersion,
  checkNotNewer,
  type Integrity,
  integrityShape,
  kindOfList,
  bundleRecordHead,
  BundleTally,
  isSealedRecord,
} from './bundle-shape.ts'
import { product } from './product.ts'
import { CanonicalSum, holdLimits, holdRecords } from './canonical-sum.ts'

export interface ReadRecord {
  readonly kind: Kind
  readonly record: JsonObject
  /** The place of the record, such as `memory.traces.17`. */
  readonly path: string
  /** True if the bundle names this program as its writer. */
  readonly isOurs: boolean
}

export interface BundleSummary extends BundleHead {
  readonly version: string
  /** Number of records, by kind. */
  readonly counts: Readonly<Record<string, number>>
  /** Number of sealed records. */
  readonly sealed: number
  /** Number of records that the statistics count but the bundle lacks. */
  readonly missing: number
  /** Number of guarded records, which grant rights, that were left out. */
  readonly guardedSkipped: number
  readonly schemas_used: readonly string[]
  readonly integrity: Integrity
}

export interface ReadBundleParts {
  readonly kinds: Kinds
  readonly digest: Digest
  /** True for a kind to import. Records of other kinds are only hashed. */
  wants(kind: Kind | undefined, list: string): boolean
  /** Accepts a bundle with fewer records than its statistics. Default false. */
  readonly allowIncomplete?: boolean | undefined
  /** The time for a bundle without `exported_at`. */
  readonly now: string
}

/** The writer of a bundle without `agent`. */
const unknownWriter: BundleAgent = { id: 'unknown', type: 'unknown', version: 'unknown' }

interface List {
  readonly kind: Kind | undefined
  readonly wanted: boolean
  readonly ids: UniqueIds
  count: number
}

interface PendingRecord {
  readonly kind: Kind
  readonly record: JsonObject
  readonly path: string
  readonly list: List
}

export class ReadBundle {
  readonly sum: CanonicalSum
  readonly #parts: ReadBundleParts
  readonly #tally = new BundleTally()
  readonly #members = new Map<string, Json>()
  readonly #lists = new Map<string, List>()
  #list: List | undefined
  #unchecked: string[] = []
  #isBundle = false
  /** True if the bundle names this program as its writer. */
  #isOurs = false
  #guardedSkipped = 0
  #ready: ReadRecord[] = []
  /** Records that need `agent` or `exported_at`, which have not arrived. */
  #pending: PendingRecord[] = []
  #pendingLength = 0

  constructor(parts: ReadBundleParts) {
    this.#parts = parts
    this.sum = new CanonicalSum(() => parts.digest.start())
  }

  /** Begins a member. Throws `invalid-file` for an unknown or repeated name. */
  begin(name: string): void {
    if (this.#members.has(name)) throw wrong(name, 'The member is there twice')
    if (!names.has(name)) {
      if (!this.#members.has('format')) throw wrong('format', 'This is not a kstar-bundle')
      throw wrong(name, `A bundle of version ${bundleVersion} has no such member`)
    }
    this.#members.set(name, null)
  }

  /** Takes the value of a member beside `memory`. */
  member(name: string, value: Json): void {
    this.#members.set(name, value)
    this.#unchecked.push(name)
    if (name === 'format' || this.#isBundle) this.#checkMembers()
    if (name !== 'integrity') this.sum.member(name, value)
  }

  openMemory(): void {
    const agent = this.#members.get('agent')
    this.#isOurs = isJsonObject(agent) && agent['type'] === product.type
    this.sum.openMemory(this.#isOurs ? holdLimits.own : holdLimits.other)
  }

  /** Checks the format first: in a file that is no bundle, other faults do not matter. */
  #checkMembers(): void {
    if (!this.#isBundle) checks['format']?.(this.#members.get('format') ?? null)
    this.#isBundle = true
    for (const name of this.#unchecked) checks[name]?.(this.#members.get(name) ?? null)
    this.#unchecked = []
  }

  openList(name: string, path: string): void {
    const { kinds, wants } = this.#parts
    if (this.#lists.has(name)) throw wrong(path, 'The list is there twice')
    if (this.#lists.size >= mostLists)
      throw new DaybookError('too-large', `\`memory\`: A bundle has at most ${mostLists} lists.`, {
        details: { path: 'memory', limit: mostLists },
      })
    const kind = kindOfList(kinds, name)
    const wanted = wants(kind, name)
    if (!kind && wanted) {
      throw wrong(path, 'This Daybook does not know this kind of record. Import the other kinds by `kinds`')
    }
    if (kind) this.#tally.open(kind)
    this.#list = {
      kind,
      wanted,
      ids: new UniqueIds(unorderedLimits[this.#isOurs ? 'own' : 'other']),
      count: 0,
    }
    this.#lists.set(name, this.#list)
    this.sum.openList(name)
  }

  record(value: Json, path: string): void {
    const list = this.#list
    if (!list) return
    this.sum.record(value, path)
    list.count += 1
    if (!isJsonObject(value)) throw wrong(path, 'A record must be an object')
    const { kind } = list
    if (!kind) return
    // Other programs may write guarded records in another way. Those that are left out count only for the checksum.
    if (kind.guarded && !list.wanted) {
      this.#guardedSkipped += 1
      return this.#tally.add(kind, value)
    }
    const waits = !isComplete(value) && (!this.#members.has('agent') || !this.#members.has('exported_at'))
    if (!waits) return this.#admit({ kind, record: value, path, list })
    this.#pending.push({ kind, record: value, path, list })
    this.#pendingLength += canonicalText(value).length
    if (this.#pendingLength > holdLimits.other || this.#pending.length > holdRecords)
      throw tooManyPending(path)
  }

  #admit({ kind, record: raw, path, list }: PendingRecord): void {
    const record = isComplete(raw) ? raw : complete(kind, raw, this.#origin())
    const { id } = within(path, () => parseWith(bundleRecordHead, record, 'invalid-file'))
    if (!list.ids.add(id, `${path}.id`)) throw wrong(`${path}.id`, 'Another record of the list has this id')
    this.#tally.add(kind, record)
    if (list.wanted) this.#ready.push({ kind, record, path, isOurs: this.#isOurs })
  }

  #origin(): Origin {
    const agent = this.#members.get('agent')
    const exportedAt = this.#members.get('exported_at')
    return {
      agent: isJsonObject(agent) ? String(agent['id']) : unknownWriter.id,
      exported_at: typeof exportedAt === 'string' ? exportedAt : this.#parts.now,
    }
  }

  /** Returns the records that became complete since the last call. */
  take(): ReadRecord[] {
    const records = this.#ready
    this.#ready = []
    return records
  }

  /** Ends the bundle. Throws `invalid-file` for a changed bundle, `incomplete-file` for missing records. */
  end(): BundleSummary {
    for (const name of ['format', 'version', 'memory', 'integrity'])
      if (!this.#members.has(name))
        throw wrong(name, name === 'format' ? 'This is not a kstar-bundle' : 'This member is missing')
    const integrity = within('integrity', () =>
      parseWith(integrityShape, this.#members.get('integrity'), 'invalid-file'),
    )
    if (this.sum.checksum() !== integrity.checksum) {
      throw wrong('integrity.checksum', 'The checksum is wrong: the bundle was changed')
    }
    for (const one of this.#pending) this.#admit(one)
    const agent = this.#members.get('agent')
    const schemas = this.#members.get('schemas_used') ?? this.#tally.schemasUsed()
    const missing = this.#checkStatistics()
    const counts = [...this.#lists].map(([name, { kind, count }]) => [kind?.name ?? name, count])
    return {
      exported_at: this.#origin().exported_at,
      agent: isJsonObject(agent) ? (agent as unknown as BundleAgent) : unknownWriter,
      version: bundleVersion,
      counts: Object.fromEntries(counts) as Record<string, number>,
      sealed: this.#tally.sealed(),
      missing,
      guardedSkipped: this.#guardedSkipped,
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
    const counted = this.#tally.statistics()
    const stated = this.#members.get('statistics')
    if (!isJsonObject(counted) || !isJsonObject(stated)) return 0
    const missing = this.#missing(counted, stated)
    for (const [name, value] of Object.entries(counted)) {
      if (!this.#isOurs && (stated[name] === undefined || !name.endsWith('_count'))) continue
      // With records missing, times differ, and the statistics count more.
      if (missing > 0 && (!name.endsWith('_count') || Number(stated[name]) > Number(value))) continue
      if (canonicalText(value) !== canonicalText(stated[name]))
        throw wrong(`statistics.${name}`, 'The content does not fit the statistics')
    }
    return missing
  }

  /** The number of records that the statistics count but the bundle lacks, also in missing lists. */
  #missing(counted: JsonObject, stated: JsonObject): number {
    const { allowIncomplete, kinds } = this.#parts
    let missing = 0
    for (const { name, guarded } of kinds.values()) {
      const path = `${name}_count`
      const there = counted[path]
      const wanted = stated[path]
      // Guarded records are left out by default, even if the statistics count them.
      if (typeof wanted !== 'number' || (there === undefined && guarded)) continue
      const less = wanted - Number(there ?? 0)
      if (less <= 0) continue
      if (!allowIncomplete) {
        const message = `The bundle has ${Number(there ?? 0)} of its ${wanted} records of kind \`${name}\`: it was cut short. Get the whole file.`
        throw new DaybookError('incomplete-file', message, {
          details: { path: `statistics.${path}`, said: wanted, found: Number(there ?? 0) },
        })
      }
      missing += less
    }
    return missing
  }
}

function tooManyPending(path: string): DaybookError {
  const message = `\`${path}\`: In a large bundle, put records without times or agent after \`agent\` and \`exported_at\`.`
  return new DaybookError('too-large', message, { details: { path, limit: holdLimits.other } })
}

/** The members of a bundle, each with its check. */
const checks: Readonly<Record<string, (value: Json) => void>> = {
  format(value) {
    if (value !== bundleFormat) throw wrong('format', 'This is not a kstar-bundle')
  },
  version(value) {
    if (typeof value === 'string') checkNotNewer(value)
    if (value !== bundleVersion) throw wrong('version', `Must be ${bundleVersion}`)
  },
  exported_at(value) {
    if (typeof value !== 'string' || canonicalTime(value) === undefined)
      throw wrong('exported_at', 'This is not an ISO 8601 time')
  },
  agent(value) {
    within('agent', () => parseWith(agentShape, value, 'invalid-file'))
  },
  schemas_used(value) {
    if (!Array.isArray(value) || !value.every((name: Json) => typeof name === 'string'))
      throw wrong('schemas_used', 'Must be a list of names')
  },
  statistics(value) {
    if (!isJsonObject(value)) throw wrong('statistics', 'Must be an object')
  },
  integrity(value) {
    within('integrity', () => parseWith(integrityShape, value, 'invalid-file'))
  },
}
const names = new Set([...Object.keys(checks), 'memory'])

/** Defaults for records, from the bundle. */
interface Origin {
  readonly agent: string
  readonly exported_at: string
}

/** True if `record` needs no defaults from the bundle. */
function isComplete({ created_at, updated_at, agent }: JsonObject): boolean {
  return created_at !== undefined && updated_at !== undefined && agent !== undefined
}

/** A record's own time: when it was created, happened or was updated. Undefined without any. */
function ownTime({ facets }: Kind, record: JsonObject): unknown {
  const happened = facets.happened_at === undefined ? undefined : readPath(record, facets.happened_at)
  return record['created_at'] ?? happened ?? record['updated_at']
}

/**
 * Adds defaults to a record of another program: times from its own time or the bundle's, the agent from the bundle,
 * body fields from its kind, and the id of a record that its name identifies. Present fields do not change.
 */
function complete(kind: Kind, record: JsonObject, { agent, exported_at }: Origin): JsonObject {
  const made = (ownTime(kind, record) ?? exported_at) as string
  const whole: JsonObject = { created_at: made, updated_at: made, agent, ...record }
  const body = kind.complete && !isSealedRecord(record) ? kind.complete(whole) : whole
  const isNamed = kind.idPrefix !== undefined && String(body['id']).startsWith(kind.idPrefix)
  return kind.idOf && !isNamed && typeof body['name'] === 'string' ? { ...body, id: kind.idOf(body) } : body
}

/** Most lists of a bundle: one for each kind of record. */
const mostLists = 1000

/**
 * Most records of a list whose ids are not ascending. `own`: in a bundle of this program, which another program
 * reordered.
 */
export const unorderedLimits = { own: 10_000, other: 200_000 } as const

/**
 * Finds repeated ids of a list. A list with ascending ids may have any length; another list has at most `limit`
 * records.
 */
class UniqueIds {
  readonly #limit: number
  #greatest = ''
  #all: Set<string> | undefined = new Set()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False for a repeated id. Throws `too-large` for a long list out of order. */
  add(id: string, path: string): boolean {
    if (id > this.#greatest) this.#greatest = id
    else if (!this.#all) {
      throw new DaybookError(
        'too-large',
        `\`${path}\`: Records of a list of more than ${this.#limit} must be in order of id.`,
        { details: { path, limit: this.#limit } },
      )
    } else if (this.#all.has(id)) return false
    this.#all?.add(id)
    if (this.#all && this.#all.size > this.#limit) this.#all = undefined
    return true
  }
}
