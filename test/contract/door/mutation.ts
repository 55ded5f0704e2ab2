// Right messages, changed in some places, from a pinned seed: the same ones on every host and over every door.
import { type ErrorCode, errorTable } from '../../../src/core/errors.ts'
import { createDice, type Dice } from '../../support/dice.ts'

/** Values that have hurt somebody before. */
const hostile: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  '"',
  "'; DROP TABLE records; --",
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '9'.repeat(400),
  '__proto__',
  [],
  [[[]]],
  {},
  { toString: 1 },
  'kstar:purge',
]
const names = ['__proto__', 'constructor', 'tusk', 'id', 'as', 'capability', 'scope', ' ', '']

type Place = Record<string, unknown>

/** Every object and list in a JSON value, itself included. */
function placesOf(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Place, ...Object.values(value).flatMap(placesOf)]
}

/** Sets what `JSON.parse` would: an own field, whatever its name. */
function put(place: Place, name: string, value: unknown): void {
  Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true })
}

/** A copy of `right`, changed in one to three places. */
export function mutate(right: unknown, dice: Dice): unknown {
  const copy = structuredClone(right)
  for (let changes = 1 + dice.below(3); changes > 0; changes--) {
    const places = placesOf(copy)
    const place = places[dice.below(places.length)]
    if (!place) continue
    const fields = Object.keys(place)
    const field = fields[dice.below(fields.length)] ?? 'none'
    const value = structuredClone(hostile[dice.below(hostile.length)])
    const way = dice.below(4)
    if (way === 0) Reflect.deleteProperty(place, field)
    else if (way === 1) put(place, field, value)
    else if (way === 2) put(place, names[dice.below(names.length)] ?? 'tusk', value)
    else put(place, field, { nested: place[field] })
  }
  return copy
}

/** A text of JSON, one in three of them cut, doubled or with a character that does not belong there. */
export function damage(text: string, dice: Dice): string {
  const at = dice.below(text.length)
  switch (dice.below(9)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return `${text}${text}`
    case 2:
      return `${text.slice(0, at)}${String.fromCharCode(1 + dice.below(126))}${text.slice(at + 1)}`
    default:
      return text
  }
}

export function* mutations(right: (n: number) => unknown, count: number, seed: number): Generator<unknown> {
  const dice = createDice(seed)
  for (let n = 0; n < count; n++) yield mutate(right(n), dice)
}

/** Throws unless these are the four fields of an error, none of Daybook's own faults, and of this status where one came. */
export function checkErrorShape(error: unknown, status?: number): void {
  const { code, message, retry, details } = error as Record<string, unknown>
  const row = Object.hasOwn(errorTable, String(code)) ? errorTable[code as ErrorCode] : undefined
  const isSound =
    row !== undefined &&
    code !== 'internal' &&
    (status === undefined || row.status === status) &&
    typeof message === 'string' &&
    typeof retry === 'boolean' &&
    typeof details === 'object'
  if (!isSound) throw new Error(`This is no error shape (${String(status)}): ${JSON.stringify(error)}`)
}
