// Filters, expiry and supersession over every kind of a book, held against their meaning in plain JavaScript.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { kinds } from '../../../../src/engine/capability-table.ts'
import { beginningOf, endingOf, utcZone } from '../../../../src/core/zone.ts'
import { citedIds, type Kind } from '../../../../src/core/kind.ts'
import { matchesFilter } from '../../../../src/core/filter/filter.ts'
import { isJsonObject, type Json, type JsonObject, readPath } from '../../../../src/core/json/path.ts'
import { canonicalTime, formatTime } from '../../../../src/core/time.ts'
import { facetTypes } from '../../../../src/store/schema/column.ts'
import { toRecord } from '../../../../src/store/schema/record-row.ts'
import { filterFor, finiteNumber, json, wellFormedText } from '../../../support/arbitrary.ts'
import { meant as meantBy, refusalOf } from '../../../support/filter-meaning.ts'
import { openTestStore, type TestStore } from '../../../support/test-store.ts'

let store: TestStore | undefined
afterEach(() => store?.db.close())

const start = 1_769_900_000_000
const instants = [-1, 0, 1].map((days) => formatTime(start + days * 86_400_000))
const ids = ['r-0', 'r-1', 'r-2', 'r-3', 'r-4', 'r-5']

/** What may stand at the path of a hot column: mostly what it is for. */
const hot = (type: string): fc.Arbitrary<Json> => {
  const typed = type === 'text' ? wellFormedText : type === 'number' ? finiteNumber : fc.boolean()
  return fc.oneof({ weight: 4, arbitrary: typed as fc.Arbitrary<Json> }, { weight: 1, arbitrary: json })
}

/** Bodies with something at the paths that `kind` declares, and at some that it doesn't. */
function bodiesOf(kind: Kind): fc.Arbitrary<JsonObject> {
  const at = new Map<string, fc.Arbitrary<Json>>([
    ['free', json],
    ['more.deep', json],
  ])
  for (const path of kind.text) if (!path.startsWith('@')) at.set(path, json)
  for (const [facet, path] of Object.entries(kind.facets))
    at.set(path, hot(facetTypes[facet as keyof typeof facetTypes]))
  if (kind.facets.happened_at) at.set(kind.facets.happened_at, fc.constantFrom(...instants))
  if (kind.begins) at.set(kind.begins, fc.constantFrom<Json>(...instants, '2026-02-01', 'never', 5))
  if (kind.expires) at.set(kind.expires, fc.constantFrom<Json>(...instants, '2026-02-01', 'never', 5))
  for (const { path } of kind.cites ?? []) at.set(path, fc.constantFrom<Json>(...ids, ids.slice(0, 2), 7))
  // When something happened is what every kind that says so requires.
  const requiredKeys = kind.facets.happened_at === undefined ? [] : [kind.facets.happened_at]
  const values = fc.record(Object.fromEntries(at), { requiredKeys }) as fc.Arbitrary<Record<string, Json>>
  return values.map((some) =>
    Object.entries(some).reduce((body, [path, value]) => put(body, path.split('.'), wellFormed(value)), {}),
  )
}

/** A hot column holds no half of a character; what the JSON may hold is the matter of another test. */
function wellFormed(value: Json): Json {
  return typeof value === 'string' ? value.toWellFormed() : value
}

function put(body: JsonObject, [step = '', ...rest]: readonly string[], value: Json): JsonObject {
  if (rest.length === 0) return { ...body, [step]: value }
  const member = body[step]
  return { ...body, [step]: put(isJsonObject(member) ? member : {}, rest, value) }
}

/** Which of `records`, all of `kind`, are current at `now`, in plain JavaScript. */
function currentOf(kind: Kind, records: readonly JsonObject[], now: string): Set<unknown> {
  const paths = (kind.cites ?? []).filter((one) => one.supersedes).map(({ path }) => path)
  const targetsOf = (record: JsonObject) => paths.flatMap((path) => citedIds(record, path))
  // All are of one time, so that the least id stands where the other side is the authority, else the greatest.
  const stands = (one: JsonObject, other: JsonObject) =>
    String(one['id']) < String(other['id']) === (kind.policy === 'remote_wins')
  const timeAt = (record: JsonObject, path: string | undefined) => {
    const at = path === undefined ? undefined : readPath(record, path)
    return typeof at === 'string' && canonicalTime(at) !== undefined ? at : undefined
  }
  const hasBegun = (record: JsonObject) => {
    const from = timeAt(record, kind.begins)
    return from === undefined || beginningOf(from, utcZone) <= now
  }
  /** By a record that counts at once, or by any, with `always`. */
  const isDisplaced = (record: JsonObject, by = hasBegun, above: readonly unknown[] = []): boolean =>
    targetsOf(record).some(
      (target) =>
        records.some(
          (other) =>
            other !== record && by(other) && targetsOf(other).includes(target) && stands(other, record),
        ) ||
        records.some(
          (other) =>
            other['id'] === target && !above.includes(target) && isDisplaced(other, by, [...above, target]),
        ),
    )
  const always = () => true
  const heirsOf = (ids: readonly unknown[]) =>
    records.filter((one) => targetsOf(one).some((target) => ids.includes(target)))
  const lineOf = (ids: readonly unknown[], found: readonly JsonObject[] = []): readonly JsonObject[] => {
    const more = heirsOf(ids).filter((one) => !found.includes(one))
    return more.length === 0
      ? found
      : lineOf(
          more.map((one) => one['id']),
          [...found, ...more],
        )
  }
  // What several records of which none stands supersede is current.
  const isSuperseded = ({ id }: JsonObject) =>
    heirsOf([id]).some((one) => !isDisplaced(one, always)) && lineOf([id]).some(hasBegun)
  const isExpired = (record: JsonObject) => {
    const at = timeAt(record, kind.expires)
    return at !== undefined && endingOf(at, utcZone) <= now
  }
  return new Set(
    records
      .filter((one) => hasBegun(one) && !isExpired(one) && !isSuperseded(one) && !isDisplaced(one))
      .map((one) => one['id']),
  )
}

describe.each([...kinds.values()].map((kind) => [kind.name, kind] as const))(
  'filters over %s',
  (name, kind) => {
    test('find in SQL what they mean in JavaScript, among what is current and among all', () => {
      const book = (store = openTestStore([...kinds.values()]))
      let [asked, hit] = [0, 0]
      fc.assert(
        fc.property(
          fc.array(bodiesOf(kind), { minLength: 1, maxLength: 6 }),
          fc.array(filterFor, { minLength: 1, maxLength: 8 }),
          fc.constantFrom(-1, 0, 1),
          (bodies, questions, day) => {
            book.db.exec(
              'DELETE FROM records; DELETE FROM facets; DELETE FROM links; DELETE FROM ops; DELETE FROM book',
            )
            book.now = start
            const records = bodies.map((body, i) => toRecord(book.put(body, { id: `r-${i}`, kind: name })))
            book.now = start + day * 86_400_000
            const current = currentOf(kind, records, formatTime(book.now))
            for (const question of questions) {
              const filters = question(records)
              const predicate = meantBy(filters, kind)
              if ('refused' in predicate) {
                expect(refusalOf(() => book.queries.query({ kind: name, filters }))).toEqual(predicate)
                continue
              }
              const meant = records.filter((record) => matchesFilter(predicate, record)).map(({ id }) => id)
              const found = (include?: { expired: boolean; superseded: boolean }) =>
                book.queries
                  .query({ kind: name, filters, include, limit: 1000, orderBy: 'id' })
                  .records.map(({ id }) => id)
              const all = { filters, ids: found({ expired: true, superseded: true }) }
              expect(all).toEqual({ filters, ids: meant })
              const now = { filters, day, ids: found() }
              expect(now).toEqual({ filters, day, ids: meant.filter((id) => current.has(id)) })
              asked += records.length
              hit += meant.length
            }
          },
        ),
        { numRuns: 60 },
      )
      expect(hit / asked).toBeGreaterThan(0.15)
      expect(hit / asked).toBeLessThan(0.85)
    })
  },
)
