// What is right, with one field of it changed: as texts of JSON, for some of it no value of JavaScript stands for.
import type { Dice } from '../../support/dice.ts'
import { type Path, pathsOf, replaceAt } from './right-input.ts'

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const deepObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
/** A kind of text by its text, and the JSON of what stands in the place of a field. */
const texts = [
  '',
  ' ',
  '\u0000',
  'x\u0000y',
  '\ud800',
  'x\udc00y',
  '\u202e\u2028',
  '__proto__',
  'constructor',
  'toString',
  'nope',
  '**',
  '(',
  '$.a[',
  '%',
  '*',
  '-',
  '../../x',
  "'; DROP TABLE records; --",
  'did:key:z',
  'did:a2p:user:local:x',
  'p3394://x/y',
  'a2p:health',
  'c1.x',
  '9'.repeat(400),
  '0000-01-01T00:00:00.000Z',
  '-000001-01-01T00:00:00.000Z',
  '+300000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  '1969-12-31',
  '2026-01-01T00:00:00+14:00',
  'Infinity',
  'NaN',
]
const values: readonly string[] = [
  ...texts.map((text) => JSON.stringify(text)),
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '0.5',
  '1e-320',
  '1e308',
  '1e400',
  '-1e400',
  '9007199254740991',
  '9007199254740993',
  '-9007199254740991',
  '2147483648',
  '99',
  '[]',
  '[null]',
  '[[[]]]',
  '["x",1]',
  '{}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"toString":1,"valueOf":null,"length":-1}',
  '{"$bytes":"!"}',
  '{"then":1}',
  '{"a":1,"a":"2"}',
  '{"":1}',
  deep(55),
  deepObject(55),
  deep(1000),
  deepObject(1000),
]
const large: readonly string[] = [
  JSON.stringify('x'.repeat(450_000)),
  JSON.stringify('word '.repeat(90_000)),
  JSON.stringify('\u{1f600}'.repeat(100_000)),
  `[${'1,'.repeat(100_000)}1]`,
  `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
]
const names = [
  '__proto__',
  'constructor',
  'toString',
  'id',
  'agent',
  'kind',
  'v',
  'as',
  'capability',
  'tusk',
  '',
]

/** No text of JSON has it, so that what stands for it can be found again. */
const mark = '\u0001place\u0001'

const write = (value: unknown, path: Path, json: string) =>
  JSON.stringify(replaceAt(value, path, mark)).replace(JSON.stringify(mark), () => json)

export interface Changed {
  /** The path and what was done there, to find it again. */
  readonly what: string
  readonly text: string
}

/** Every change of one field there is; `ids`: of records, which stand where other ids do. Those of large size if `withLarge`. */
export function* changesOf(right: unknown, ids: readonly string[], withLarge = false): Generator<Changed> {
  const all = [...values, ...ids.map((id) => JSON.stringify(id)), ...(withLarge ? large : [])]
  for (const path of pathsOf(right)) yield* changesAt(right, path, all)
}

/** One of them, drawn. */
export function drawChange(right: unknown, ids: readonly string[], dice: Dice): Changed {
  const paths = pathsOf(right)
  const path = paths[dice.below(paths.length)] ?? []
  const isLarge = dice.below(60) === 0
  const all = isLarge ? large : [...values, ...ids.map((id) => JSON.stringify(id))]
  const changes = [...changesAt(right, path, all)]
  return changes[dice.below(changes.length)] ?? { what: 'nothing', text: JSON.stringify(right) }
}

function* changesAt(right: unknown, path: Path, all: readonly string[]): Generator<Changed> {
  const where = path.join('.')
  const old = path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], right)
  const own = JSON.stringify(old)
  for (const json of all) yield { what: `${where} = ${json.slice(0, 60)}`, text: write(right, path, json) }
  yield { what: `${where} in a list`, text: write(right, path, `[${own}]`) }
  yield { what: `${where} twice in a list`, text: write(right, path, `[${own},${own}]`) }
  yield { what: `${where} in an object`, text: write(right, path, `{"nested":${own}}`) }
  const key = path.at(-1)
  if (typeof key === 'string') {
    yield { what: `${where} is missing`, text: JSON.stringify(replaceAt(right, path, undefined)) }
    const twice = `null,${JSON.stringify(key)}:${own}`
    yield { what: `${where} stands twice`, text: write(right, path, twice) }
  }
  if (typeof old !== 'object' || old === null || Array.isArray(old)) return
  for (const name of names)
    for (const json of ['null', '"x"', '{"a":1}']) {
      const more = `${own.slice(0, -1)}${own === '{}' ? '' : ','}${JSON.stringify(name)}:${json}}`
      yield { what: `${where} and ${name} = ${json}`, text: write(right, path, more) }
    }
}
