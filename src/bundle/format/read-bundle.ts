// What a bundle says, taken in member by member and record by record in whatever order it says it, and held against its
// checksum and its own counts at the end. Invariant: every member and record of it is part of what the checksum is over.
import { DaybookError } from '../../core/errors.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import type { Digest } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { canonicalTime } from '../../core/time.ts'
import { within, wrong } from './bundle-fault.ts'
import {
  agentShape,
  type BundleAgent,
  bundleFormat,
  type BundleHead,
  bundleVersion,
  checkNotNewer,
  type Integrity,
  integrityShape,
  kindOfList,
  recordHead,
} from './bundle-shape.ts'
import { createBundleTally } from './bundle-tally.ts'
import { CanonicalSum, holdLimits } from './canonical-sum.ts'
import { completed, isComplete, type Origin } from './completed-record.ts'
import { KnownIds, unorderedLimits } from './known-ids.ts'
import { product } from './product.ts'

export interface ReadRecord {
  readonly kind: Kind
  readonly record: JsonObject
  /** Where it stands: `memory.traces.17`. */
  readonly path: string
  /** This program wrote the bundle, as it says. */
  readonly isOurs: boolean
}

export interface BundleSummary extends BundleHead {
  readonly version: string
  /** How many records each list has, by kind. */
  readonly counts: Readonly<Record<string, number>>
  /** How many of them are sealed, as they were where the bundle was made. */
  readonly sealed: number
  /** How many records it says it has, and has not. */
  readonly missing: number
  /** Records that give rights in the book, and were left out because nobody wanted them expressly. */
  readonly guardedSkipped: number
  readonly schemas_used: readonly string[]
  readonly integrity: Integrity
}

export interface ReadBundleParts {
  readonly kinds: Kinds
  readonly digest: Digest
  /** Which kinds are of interest: the records of others are hashed and checked no further. */
  wants(kind: Kind | undefined, list: string): boolean
  /** A bundle that holds less than it says is taken for what it holds. */
  readonly allowIncomplete?: boolean | undefined
  /** When a bundle was written that doesn't say so. */
  readonly now: string
}

/** Who wrote a bundle that doesn't say so. */
const nobody: BundleAgent = { id: 'unknown', type: 'unknown', version: 'unknown' }

interface List {
  readonly kind: Kind | undefined
  readonly wanted: boolean
  readonly ids: KnownIds
  count: number
}

interface Waiting {
  readonly kind: Kind
  readonly record: JsonObject
  readonly path: string
  readonly list: List
}

export class ReadBundle {
  readonly sum: CanonicalSum
  readonly #parts: ReadBundleParts
  readonly #tally = createBundleTally()
  readonly #members = new Map<string, Json>()
  readonly #lists = new Map<string, List>()
  #list: List | undefined
  #unchecked: string[] = []
  #isBundle = false
  /** This program wrote it, as it says. */
  #isOurs = false
  #guardedSkipped = 0
  #ready: ReadRecord[] = []
  /** Records to be completed by what the bundle has not said yet. */
  #waiting: Waiting[] = []
  #waitingLength = 0

  constructor(parts: ReadBundleParts) {
    this.#parts = parts
    this.sum = new CanonicalSum(() => parts.digest.start())
  }

  /** The name of a member was read. */
  begin(name: string): void {
    if (this.#members.has(name)) throw wrong(name, 'It stands there twice')
    if (!names.has(name)) {
      if (!this.#members.has('format')) throw wrong('format', 'This is not a kstar-bundle')
      throw wrong(name, `A bundle of version ${bundleVersion} has no such member`)
    }
    this.#members.set(name, null)
  }

  /** The value of a member beside `memory`. */
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

  /** Until it has said that it is a bundle, what else is wrong with it is nobody's concern. */
  #checkMembers(): void {
    if (!this.#isBundle) checks['format']?.(this.#members.get('format') ?? null)
    this.#isBundle = true
    for (const name of this.#unchecked) checks[name]?.(this.#members.get(name) ?? null)
    this.#unchecked = []
  }

  openList(name: string, path: string): void {
    const { kinds, wants } = this.#parts
    if (this.#lists.has(name)) throw wrong(path, 'It stands there twice')
    const kind = kindOfList(kinds, name)
    const wanted = wants(kind, name)
    if (!kind && wanted) {
      throw wrong(path, 'This Daybook does not know such records; name the kinds to import without them')
    }
    if (kind) this.#tally.open(kind)
    this.#list = {
      kind,
      wanted,
      ids: new KnownIds(unorderedLimits[this.#isOurs ? 'own' : 'other']),
      count: 0,
    }
    this.#lists.set(name, this.#list)
    this.sum.openList(name)
  }

  /** One with a whole head is taken as it is: whoever wrote that knows what a record is. */
  record(value: Json, path: string): void {
    const list = this.#list
    if (!list) return
    this.sum.record(value, path)
    list.count += 1
    if (!isJsonObject(value)) throw wrong(path, 'A record is an object')
    const { kind } = list
    if (!kind) return
    // Other programs spell them in their own way: what is left out is held to nothing but the checksum.
    if (kind.guarded && !list.wanted) {
      this.#guardedSkipped += 1
      return this.#tally.add(kind, value)
    }
    const waits = !isComplete(value) && (!this.#members.has('agent') || !this.#members.has('exported_at'))
    if (!waits) return this.#admit({ kind, record: value, path, list })
    this.#waiting.push({ kind, record: value, path, list })
    this.#waitingLength += canonicalText(value).length
    if (this.#waitingLength > holdLimits.other) throw tooManyWait(path)
  }

  #admit({ kind, record: given, path, list }: Waiting): void {
    const record = isComplete(given) ? given : completed(kind, given, this.#origin())
    const { id } = within(path, () => parseWith(recordHead, record, 'invalid-file'))
    if (!list.ids.add(id, `${path}.id`)) throw wrong(`${path}.id`, 'It stands in this list twice')
    this.#tally.add(kind, record)
    if (list.wanted) this.#ready.push({ kind, record, path, isOurs: this.#isOurs })
  }

  #origin(): Origin {
    const agent = this.#members.get('agent')
    const exportedAt = this.#members.get('exported_at')
    return {
      agent: isJsonObject(agent) ? String(agent['id']) : nobody.id,
      exported_at: typeof exportedAt === 'string' ? exportedAt : this.#parts.now,
    }
  }

  /** The records that are complete now. */
  take(): ReadRecord[] {
    const records = this.#ready
    this.#ready = []
    return records
  }

  /** Nothing more comes. */
  end(): BundleSummary {
    for (const name of ['format', 'version', 'memory', 'integrity'])
      if (!this.#members.has(name))
        throw wrong(name, name === 'format' ? 'This is not a kstar-bundle' : 'It is missing')
    const integrity = within('integrity', () =>
      parseWith(integrityShape, this.#members.get('integrity'), 'invalid-file'),
    )
    if (this.sum.checksum() !== integrity.checksum) {
      throw wrong('integrity.checksum', 'The content is not what the checksum says; the bundle was altered')
    }
    for (const one of this.#waiting) this.#admit(one)
    const agent = this.#members.get('agent')
    const schemas = this.#members.get('schemas_used') ?? this.#tally.schemasUsed()
    const missing = this.#checkOwnWords()
    const counts = [...this.#lists].map(([name, { kind, count }]) => [kind?.name ?? name, count])
    return {
      exported_at: this.#origin().exported_at,
      agent: isJsonObject(agent) ? (agent as unknown as BundleAgent) : nobody,
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
   * Holds the bundle against what it says it holds; answers how many records are missing where that is permitted. Others may
   * count times in their own way: of those, numbers are held to what they say.
   */
  #checkOwnWords(): number {
    const counted = this.#tally.statistics()
    const said = this.#members.get('statistics')
    if (!isJsonObject(counted) || !isJsonObject(said)) return 0
    const missing = this.#missing(counted, said)
    for (const [name, value] of Object.entries(counted)) {
      if (!this.#isOurs && (said[name] === undefined || !name.endsWith('_count'))) continue
      // What is cut short has another range of times, too.
      if (missing > 0 && (!name.endsWith('_count') || Number(said[name]) > Number(value))) continue
      if (canonicalText(value) !== canonicalText(said[name]))
        throw wrong(`statistics.${name}`, 'The bundle does not hold what it says it holds')
    }
    return missing
  }

  /** How many records fewer there are than the bundle says, also of lists that are not there at all. */
  #missing(counted: JsonObject, said: JsonObject): number {
    const { allowIncomplete, kinds } = this.#parts
    let missing = 0
    for (const { name, guarded } of kinds.values()) {
      const path = `${name}_count`
      const there = counted[path]
      const wanted = said[path]
      // Guarded records stay behind by default, whoever counted them.
      if (typeof wanted !== 'number' || (there === undefined && guarded)) continue
      const less = wanted - Number(there ?? 0)
      if (less <= 0) continue
      if (!allowIncomplete) {
        const message = `The bundle says it holds ${wanted} records of kind \`${name}\`, and holds ${Number(there ?? 0)}: it was cut short.`
        throw new DaybookError('incomplete-file', message, {
          details: { path: `statistics.${path}`, said: wanted, found: Number(there ?? 0) },
        })
      }
      missing += less
    }
    return missing
  }
}

function tooManyWait(path: string): DaybookError {
  const message = `\`${path}\`: In a large bundle, records that leave out their times or their agent come after \`agent\` and \`exported_at\`.`
  return new DaybookError('too-large', message, { details: { path, limit: holdLimits.other } })
}

/** The members of a bundle, and what is held against each as it comes. */
const checks: Readonly<Record<string, (value: Json) => void>> = {
  format(value) {
    if (value !== bundleFormat) throw wrong('format', 'This is not a kstar-bundle')
  },
  version(value) {
    if (typeof value === 'string') checkNotNewer(value)
    if (value !== bundleVersion) throw wrong('version', `A bundle of version ${bundleVersion} is wanted`)
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
      throw wrong('schemas_used', 'A list of names is wanted here')
  },
  statistics(value) {
    if (!isJsonObject(value)) throw wrong('statistics', 'An object is wanted here')
  },
  integrity(value) {
    within('integrity', () => parseWith(integrityShape, value, 'invalid-file'))
  },
}
const names = new Set([...Object.keys(checks), 'memory'])
