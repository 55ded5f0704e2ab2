// Rows as JSON and back: what a row may hold besides JSON is written down under a name that begins with `$`.
// Invariant: what comes out shares nothing with what went in, and a row comes back as it was or is refused.
import { base64 } from '@scure/base'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { adapterError } from '../adapter-error.ts'

export const dateField = '$date'
export const bigintField = '$bigint'
export const numberField = '$number'
/** Stands around an object that would be read as one of the others. */
const plainField = '$plain'

/** A row as JSON; throws `invalid-input` with the path of what JSON can't say. */
export function rowToJson(row: object): JsonObject {
  return fieldsToJson(row, [], '')
}

export function rowFromJson(json: JsonObject): object {
  return fieldsFromJson(json)
}

function toJson(value: unknown, around: readonly object[], path: string): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return isPlainNumber(value) ? value : { [numberField]: numberName(value) }
    case 'bigint':
      return { [bigintField]: String(value) }
    case 'undefined':
      return { $undefined: true }
    case 'object':
      return value === null ? null : objectToJson(value, around, path)
    default:
      throw unsaid(path, typeof value)
  }
}

/** A book takes no number that another reader of JSON may read as another one. */
export const isPlainNumber = (value: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))

const numberName = (value: number) => (Object.is(value, -0) ? '-0' : String(value))

function objectToJson(value: object, around: readonly object[], path: string): Json {
  if (around.includes(value)) throw unsaid(path, 'an object that holds itself')
  const within = [...around, value]
  if (Array.isArray(value)) return Array.from(value, (one, i) => toJson(one, within, `${path}.${i}`))
  if (value instanceof Date) {
    return { [dateField]: Number.isNaN(value.getTime()) ? null : value.toISOString() }
  }
  if (value instanceof Uint8Array) return { $bytes: base64.encode(value) }
  const prototype: unknown = Object.getPrototypeOf(value)
  // A plain object of another window or of a module of its own has a prototype like ours, and not ours.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) throw unsaid(path, value.constructor.name)
  const json = fieldsToJson(value, around, path)
  const names = Object.keys(json)
  return names.length === 1 && names[0]?.startsWith('$') ? { [plainField]: json } : json
}

/** The fields of an object; those that are undefined are none. */
function fieldsToJson(value: object, around: readonly object[], path: string): JsonObject {
  const within = [...around, value]
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    fields.map(([name, one]) => [name, toJson(one, within, path === '' ? name : `${path}.${name}`)]),
  )
}

function unsaid(path: string, what: string) {
  const message = `\`${path}\`: A row holds texts, numbers, booleans, dates, bigints, bytes, lists and objects of these, not ${what}.`
  return adapterError('invalid-input', message, { path })
}

function fromJson(json: Json): unknown {
  if (Array.isArray(json)) return json.map((one: Json) => fromJson(one))
  if (!isJsonObject(json)) return json
  const names = Object.keys(json)
  const [name] = names
  return names.length === 1 && name?.startsWith('$') ? special(json, name) : fieldsFromJson(json)
}

function fieldsFromJson(json: JsonObject): object {
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, fromJson(one)]))
}

function special(json: JsonObject, name: string): unknown {
  const value = json[name]
  const text = typeof value === 'string' ? value : undefined
  if (name === dateField) return new Date(text ?? Number.NaN)
  if (name === '$undefined') return undefined
  if (name === plainField && isJsonObject(value)) return fieldsFromJson(value)
  if (name === numberField && text !== undefined) return Number(text)
  if (name === bigintField && text !== undefined && /^-?\d+$/.test(text)) return BigInt(text)
  return name === '$bytes' && text !== undefined ? base64.decode(text) : fieldsFromJson(json)
}
