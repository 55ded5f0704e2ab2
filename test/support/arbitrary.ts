// Random bodies and random filters about them, full of what has broken stores before.
import fc from 'fast-check'
import { checkPath, isJsonObject, type Json, type JsonObject, readPath } from '../../src/core/json/path.ts'

const plainText = fc.constantFrom('a', 'b', 'ab')
const hostileText = fc.constantFrom(
  '',
  'A',
  'é',
  'e\u0301',
  '🙂',
  '\ue000',
  '\uffff',
  'x\0y',
  '\0',
  "it's",
  '"',
  '\\',
  '%',
  '_',
  '\u2028',
  '5',
  '5.0',
  'true',
  'null',
  '[]',
  '{"a":1}',
  '2026-01-31',
  '2026-01-31T00:00:00.000Z',
)
export const wellFormedText = fc.oneof(plainText, hostileText, fc.string({ unit: 'binary', maxLength: 3 }))

const hostileNumbers = [
  -0,
  -1,
  1.5,
  1e21,
  2 ** 53,
  2 ** 60,
  2 ** 63,
  -(2 ** 63),
  0.1 + 0.2,
  5e-324,
  Number.MAX_VALUE,
]
export const finiteNumber = fc.oneof(
  fc.constantFrom(0, 1, 5),
  fc.constantFrom(...hostileNumbers),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const scalar = fc.oneof(wellFormedText, finiteNumber, fc.boolean(), fc.constant(null))
/** What stands in a body may hold halves of characters; what is asked for may not. */
const storedScalar = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constantFrom('\ud800', 'a\udc00b', '\ufffd') },
)

const names = [
  'a',
  '0',
  'we ird',
  '$',
  'a[0]',
  '#-1',
  '%',
  'ключ',
  '🙂',
  "it's",
  'constructor',
  'toString',
  'length',
  '*',
  '?1',
]
const name = fc.oneof(fc.constantFrom('x', 'y'), fc.constantFrom(...names))

/** Any JSON that can stand in a body. */
export const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    storedScalar,
    fc.array(fc.oneof({ weight: 4, arbitrary: storedScalar }, { weight: 1, arbitrary: tie('json') }), {
      maxLength: 4,
    }),
    fc.dictionary(name, tie('json'), { maxKeys: 4 }),
  ),
}))

export const days = [
  '2026-01-30T23:59:59.999Z',
  '2026-01-31T00:00:00.000Z',
  '2026-01-31T12:00:00.000Z',
  '2026-02-01T00:00:00.000Z',
]

/** A hot column is mostly of its type, and sometimes anything, but no half of a character. */
const hot = (typed: fc.Arbitrary<Json>) =>
  fc.oneof(typed, json).map((value) => (typeof value === 'string' ? value.toWellFormed() : value))

/** Bodies for a kind with the hot columns of `facets`. */
export const body: fc.Arbitrary<JsonObject> = fc.record(
  {
    at: fc.constantFrom(...days),
    place: fc.oneof(
      json,
      fc.record({ domain: hot(wellFormedText), actor: wellFormedText, deep: json }, { requiredKeys: [] }),
    ),
    done: hot(fc.boolean()),
    sure: hot(finiteNumber),
    name: hot(wellFormedText),
    free: json,
    more: fc.dictionary(name, json, { maxKeys: 4 }),
  },
  { requiredKeys: ['at'] },
) as fc.Arbitrary<JsonObject>

export const facets = {
  happened_at: 'at',
  domain: 'place.domain',
  actor: 'place.actor',
  success: 'done',
  confidence: 'sure',
  name: 'name',
} as const

export const heads = fc.record(
  { agent: wellFormedText, session: fc.constantFrom('s', 't', ''), resource: fc.constantFrom('r', 'é') },
  { requiredKeys: [] },
)

const bodyPaths = [
  'at',
  'place.domain',
  'place.actor',
  'place',
  'done',
  'sure',
  'name',
  'free',
  'more',
  'place.deep',
]
const headPaths = ['id', 'kind', 'agent', 'session', 'resource', 'created_at', 'updated_at', 'ver']
/** A path that may lead somewhere, and names that columns have but no record. */
export const path = fc.oneof(
  fc.constantFrom(...bodyPaths, ...headPaths, 'body', 'seq', 'deleted'),
  fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => ['free', ...steps].join('.')),
  fc.array(name, { minLength: 1, maxLength: 2 }).map((steps) => ['more', ...steps].join('.')),
)

const time = fc.constantFrom(...days, '2026-01-31', '2026-01-31T01:00+01:00', '2026-02-31', 'r-1', 'thing')

interface Leaf {
  readonly path: string
  readonly operator: string
  readonly operand: Json
  /** When given: path and operand are taken from one of the records, so that the filter has something to find. */
  readonly taken: number | undefined
}
type Tree =
  Leaf | { readonly and: readonly Tree[] } | { readonly or: readonly Tree[] } | { readonly not: Tree }

const leaf: fc.Arbitrary<Leaf> = fc.record({
  path,
  operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains', 'exists', 'is', 'isIn'),
  operand: fc.oneof(scalar, time),
  taken: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
})

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.record({ and: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('tree') }),
  ),
}))

/** A filter, complete once it is told which records there are. */
export const filterFor: fc.Arbitrary<(records: readonly object[]) => Record<string, unknown>> = tree.map(
  (tree) => (records) => write(tree, records),
)

function write(tree: Tree, records: readonly object[]): Record<string, unknown> {
  if ('and' in tree) return { and: tree.and.map((part) => write(part, records)) }
  if ('or' in tree) return { or: tree.or.map((part) => write(part, records)) }
  if ('not' in tree) return { not: write(tree.not, records) }
  const { path, operand } = tree.taken === undefined ? tree : take(tree, tree.taken, records)
  switch (tree.operator) {
    case 'is':
      return { [path]: operand }
    case 'isIn':
      return { [path]: [operand, tree.operand] }
    case 'in':
      return { [path]: { in: [tree.operand, operand, 'a', 1, true] } }
    case 'exists':
      return { [path]: { exists: operand !== null } }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { [path]: { [tree.operator]: typeof operand === 'boolean' || operand === null ? 1 : operand } }
    default:
      return { [path]: { [tree.operator]: operand } }
  }
}

function take(leaf: Leaf, taken: number, records: readonly object[]): { path: string; operand: Json } {
  const record = records[taken % records.length]
  const paths = pathsOf(record)
  const path = paths[Math.floor(taken / 8) % paths.length] ?? leaf.path
  const value = readPath(record, path)
  const item = Array.isArray(value) ? value[taken % value.length] : value
  const usable =
    item !== undefined &&
    (item === null || typeof item !== 'object') &&
    (typeof item !== 'string' || item.isWellFormed())
  return { path, operand: usable ? item : leaf.operand }
}

function pathsOf(value: unknown, before = ''): string[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const here = before + key
    return isPath(here) ? [here, ...pathsOf(member, `${here}.`)] : []
  })
}

function isPath(path: string): boolean {
  try {
    return checkPath(path, '') !== '' && !path.includes('..') && !['and', 'or', 'not'].includes(path)
  } catch {
    return false
  }
}
