// Reads a bundle that comes in pieces and hashes it on the way. Records are handed out as they come, so what is made of
// them must wait: only `end` says that the bundle is whole and as it was written.
import { DaybookError } from '../../core/errors.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import type { RunningDigest } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { canonicalTime } from '../../core/time.ts'
import {
  agentShape,
  type BundleHead,
  bundleVersion,
  checkNotNewer,
  closingText,
  type Integrity,
  integrityShape,
  kindOfList,
  openingText,
  recordHead,
} from './bundle-shape.ts'
import { createBundleTally } from './bundle-tally.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { createTextFeed, type Reading } from './text-feed.ts'

export interface ReadRecord {
  readonly kind: Kind
  readonly record: JsonObject
  /** Where it stands: `memory.traces.17`. */
  readonly path: string
}

export interface BundleSummary extends BundleHead {
  readonly version: string
  /** How many records each list has, by kind. */
  readonly counts: Readonly<Record<string, number>>
  /** How many of them are sealed, as they were where the bundle was made. */
  readonly sealed: number
  readonly schemas_used: readonly string[]
  readonly integrity: Integrity
}

export interface BundleReader {
  /** Takes a piece; answers the records that are complete now. */
  push(piece: string): ReadRecord[]
  /** The bundle is whole: throws `invalid-file` when it is not what its checksum says. */
  end(): BundleSummary
}

/** A record, and anything beside the lists. */
const recordLimit = 8_000_000
const headLimit = 100_000

/** `wants` tells which kinds are of interest: the records of others are hashed and checked no further. */
export function createBundleReader(
  kinds: Kinds,
  digest: RunningDigest,
  wants: (kind: Kind | undefined, list: string) => boolean,
): BundleReader {
  const feed = createTextFeed()
  const tally = createBundleTally()
  const counts = new Map<string, number>()
  let ready: ReadRecord[] = []

  function* readAll(): Reading<BundleSummary> {
    const head = yield* readHead()
    digest.update(openingText(head).hashed)
    yield* readLists()
    const { schemas, statistics } = yield* readTail()
    yield* feed.expect(',"integrity":', 'integrity')
    const integrity = parsed(integrityShape, yield* feed.value(headLimit, 'integrity'), 'integrity')
    yield* feed.expect('}', 'integrity')
    yield* feed.finish('integrity')
    if (`sha256:${digest.hex()}` !== integrity.checksum) {
      throw wrong('integrity.checksum', 'The content is not what the checksum says; the bundle was altered')
    }
    checkOwnWords(tally.statistics(), statistics)
    return {
      ...head,
      version: bundleVersion,
      counts: Object.fromEntries(counts),
      sealed: tally.sealed(),
      schemas_used: schemas,
      integrity,
    }
  }

  function* readHead(): Reading<BundleHead> {
    yield* feed.expect('{"format":"kstar-bundle","version":', 'format')
    checkVersion(text(yield* feed.value(100, 'version'), 'version'))
    yield* feed.expect(',"exported_at":', 'exported_at')
    const exported_at = text(yield* feed.value(100, 'exported_at'), 'exported_at')
    if (canonicalTime(exported_at) === undefined) throw wrong('exported_at', 'This is not an ISO 8601 time')
    yield* feed.expect(',"agent":', 'agent')
    const agent = parsed(agentShape, yield* feed.value(headLimit, 'agent'), 'agent')
    yield* feed.expect(',"memory":{', 'memory')
    return { exported_at, agent }
  }

  function* readLists(): Reading<void> {
    let last = ''
    if (yield* feed.tryTake('}')) return
    for (let separator = ''; ; separator = ',') {
      const raw = yield* feed.value(200, 'memory')
      const list = text(raw, 'memory')
      const path = `memory.${list}`
      if (list <= last) throw wrong(path, 'The lists of a bundle come in the order of their names, each once')
      last = list
      yield* feed.expect(':[', path)
      digest.update(`${separator}${raw}:[`)
      yield* readList(list, path)
      digest.update(']')
      if (yield* feed.tryTake('}')) return
      yield* feed.expect(',', 'memory')
    }
  }

  function* readList(list: string, path: string): Reading<void> {
    const kind = kindOfList(kinds, list)
    const wanted = wants(kind, list)
    if (!kind && wanted) {
      throw wrong(path, 'This Daybook does not know such records; name the kinds to import without them')
    }
    if (kind) tally.open(kind)
    let last = ''
    let n = 0
    if (!(yield* feed.tryTake(']'))) {
      for (;;) {
        const place = `${path}.${n}`
        const raw = yield* feed.value(recordLimit, place)
        digest.update(n === 0 ? raw : `,${raw}`)
        n += 1
        const record = json(raw, place)
        if (!isJsonObject(record)) throw wrong(place, 'A record is an object')
        const { id } = parsedHead(record, place)
        if (id <= last)
          throw wrong(`${place}.id`, 'The records of a list come in the order of their ids, each once')
        last = id
        if (kind) tally.add(kind, record)
        if (kind && wanted) ready.push({ kind, record, path: place })
        if (yield* feed.tryTake(']')) break
        yield* feed.expect(',', place)
      }
    }
    counts.set(kind?.name ?? list, n)
  }

  function* readTail(): Reading<{ schemas: string[]; statistics: JsonObject }> {
    yield* feed.expect(',"schemas_used":', 'schemas_used')
    const rawSchemas = yield* feed.value(recordLimit, 'schemas_used')
    yield* feed.expect(',"statistics":', 'statistics')
    const rawStatistics = yield* feed.value(headLimit, 'statistics')
    digest.update(closingText(rawSchemas, rawStatistics).hashed)
    const schemas = json(rawSchemas, 'schemas_used')
    const statistics = json(rawStatistics, 'statistics')
    if (!Array.isArray(schemas) || !schemas.every((name: Json) => typeof name === 'string'))
      throw wrong('schemas_used', 'A list of names is wanted here')
    if (!isJsonObject(statistics)) throw wrong('statistics', 'An object is wanted here')
    return { schemas: schemas as string[], statistics }
  }

  const reading = readAll()
  let done: BundleSummary | undefined
  const go = () => {
    const step = reading.next()
    if (step.done) done = step.value
  }
  go()
  return {
    push(piece) {
      feed.push(piece)
      if (piece !== '') go()
      const records = ready
      ready = []
      return records
    },
    end() {
      feed.end()
      go()
      if (!done) throw wrong('', 'The bundle was cut off')
      return done
    },
  }
}

function parsedHead(record: JsonObject, path: string): { id: string } {
  return within(path, () => parseWith(recordHead, record, 'invalid-file'))
}

function parsed<S extends typeof agentShape | typeof integrityShape>(shape: S, raw: string, path: string) {
  const value = json(raw, path)
  // The one spelling: no byte of what vouches for the rest may be other than it was written.
  if (canonicalText(value) !== raw) throw wrong(path, 'This is not in canonical form')
  return within(path, () => parseWith(shape, value, 'invalid-file'))
}

/** Runs a check of a part, and puts the part's place before that of its fault. */
export function within<Result>(path: string, check: () => Result): Result {
  try {
    return check()
  } catch (cause) {
    if (!(cause instanceof DaybookError)) throw cause
    const inner = typeof cause.details['path'] === 'string' ? cause.details['path'] : ''
    const [issue] = (cause.details['issues'] ?? []) as { message: string }[]
    throw wrong(inner === '' ? path : `${path}.${inner}`, issue?.message ?? cause.message, cause)
  }
}

function checkVersion(version: string): void {
  checkNotNewer(version)
  if (version !== bundleVersion) throw wrong('version', `A bundle of version ${bundleVersion} is wanted`)
}

function checkOwnWords(counted: Json, said: JsonObject): void {
  if (!isJsonObject(counted)) return
  for (const [name, value] of Object.entries(counted)) {
    if (canonicalText(value) !== canonicalText(said[name]))
      throw wrong(`statistics.${name}`, 'The bundle does not hold what it says it holds')
  }
}

function text(raw: string, path: string): string {
  const value = json(raw, path)
  if (typeof value !== 'string' || JSON.stringify(value) !== raw) throw wrong(path, 'A text is wanted here')
  return value
}

function json(raw: string, path: string): Json {
  try {
    return JSON.parse(raw) as Json
  } catch (cause) {
    throw wrong(path, 'This is not JSON', cause)
  }
}

function wrong(path: string, message: string, cause?: unknown): DaybookError {
  const where = path === '' ? 'The bundle' : `\`${path}\``
  return new DaybookError('invalid-file', `${where}: ${message}.`, { details: { path }, cause })
}
