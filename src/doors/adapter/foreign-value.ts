// Converts values of frameworks to JSON for a book, and back. A value that JSON lacks is written as a mark: an object
// with one field whose name begins with `$`.
// Invariant: in strict mode a value comes back equal, as a copy, or is refused. An object that looks like a mark
// stays an object.
import { base64 } from '@scure/base'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { adapterError } from './adapter-error.ts'

export const dateField = '$date'
export const bigintField = '$bigint'
export const numberField = '$number'
const bytesField = '$bytes'
/** Contains an object that looks like a mark. */
const escapedField = '$plain'
/** Contains the JSON text of a value that is nested too deep for a book, or that has a field `__proto__`. */
const jsonTextField = '$json'

/**
 * Maximum levels that are written as JSON; a deeper value becomes JSON text. A book allows 64 levels, including the
 * levels around the value.
 */
const maxJsonDepth = 40
/** Maximum levels of a value. Each level takes call stack, and browsers have little. */
const maxDepth = 512
const protoField = '__proto__'
const typesWithoutFields = new Set(['RegExp', 'BigInt', 'Symbol', 'Promise', 'WeakMap', 'WeakSet', 'WeakRef'])

export interface ForeignOptions {
  /**
   * Default: false. True: a value that would not come back equal, or an invalid mark, throws `invalid-input`. False:
   * an instance becomes its fields, and an invalid mark is read as an object.
   */
  readonly strict?: boolean
  /** True: maps and sets are written also in strict mode. */
  readonly hasMaps?: boolean
}

/** Converts a value to JSON. Throws `invalid-input` with the path of an unsupported value. */
export function valueToJson(value: unknown, options: ForeignOptions = {}): Json {
  return new Writer(options).value(value, '', 0)
}

export function valueFromJson(json: Json, options: ForeignOptions = {}): unknown {
  return new Reader(options).value(json)
}

/** Converts the fields of an object to JSON; the object itself never becomes a mark. Throws `invalid-input`. */
export function fieldsToJson(value: object, options: ForeignOptions = {}): JsonObject {
  if (Object.hasOwn(value, protoField)) throw unsupportedError(protoField, 'a field of that name')
  return new Writer(options).fields(value, '', 0)
}

export function fieldsFromJson(json: JsonObject, options: ForeignOptions = {}): object {
  return new Reader(options).fields(json)
}

/** True for a number that every JSON parser reads the same. A book allows only such numbers. */
export const isPlainNumber = (value: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))

const numberText = (value: number) => (Object.is(value, -0) ? '-0' : String(value))

class Writer {
  readonly #isStrict: boolean
  readonly #hasMaps: boolean
  /** Objects around the current value, to detect cycles. */
  readonly #ancestors = new Set<object>()

  constructor({ strict = false, hasMaps = !strict }: ForeignOptions) {
    this.#isStrict = strict
    this.#hasMaps = hasMaps
  }

  value(value: unknown, path: string, depth: number): Json {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return value
      case 'number':
        return isPlainNumber(value) ? value : { [numberField]: numberText(value) }
      case 'bigint':
        return { [bigintField]: String(value) }
      case 'undefined':
        return { $undefined: true }
      case 'object':
        return value === null ? null : this.#object(value, path, depth)
      default:
        throw unsupportedError(path, typeof value)
    }
  }

  fields(value: object, path: string, depth: number): JsonObject {
    return this.#withAncestor(value, path, () => {
      const fields = Object.entries(value).filter(([, one]) => one !== undefined)
      return Object.fromEntries(
        fields.map(([name, one]) => [
          name,
          this.value(one, path === '' ? name : `${path}.${name}`, depth + 1),
        ]),
      )
    })
  }

  #object(value: object, path: string, depth: number): Json {
    if (depth > maxDepth)
      throw unsupportedError(`${path.slice(0, 100)}…`, `what is nested deeper than ${maxDepth} levels`)
    if (depth === maxJsonDepth)
      return { [jsonTextField]: JSON.stringify(this.#object(value, path, depth + 1)) }
    if (Array.isArray(value))
      return this.#withAncestor(value, path, () =>
        Array.from(value, (one, i) => this.value(one, `${path}.${i}`, depth + 1)),
      )
    if (value instanceof Date) {
      return { [dateField]: Number.isNaN(value.getTime()) ? null : value.toISOString() }
    }
    if (value instanceof Uint8Array) return { [bytesField]: base64.encode(value) }
    const prototype: unknown = Object.getPrototypeOf(value)
    // A plain object of another window has that window's `Object.prototype`, whose prototype is null too.
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
    return isPlain ? this.#plainObject(value, path, depth) : this.#instance(value, path, depth)
  }

  #instance(value: object, path: string, depth: number): Json {
    if (this.#hasMaps && value instanceof Map) return { $map: this.value([...value], path, depth + 1) }
    if (this.#hasMaps && value instanceof Set) return { $set: this.value([...value], path, depth + 1) }
    if (this.#isStrict || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      throw unsupportedError(path, value.constructor.name)
    // These types have no fields: the book would store an empty object.
    if (typesWithoutFields.has(Object.prototype.toString.call(value).slice(8, -1)))
      throw unsupportedError(path, value.constructor.name)
    if (value instanceof Error)
      return this.#plainObject({ ...value, name: value.name, message: value.message }, path, depth)
    const { toJSON } = value as { readonly toJSON?: unknown }
    if (typeof toJSON !== 'function') return this.#plainObject(value, path, depth)
    return this.#withAncestor(value, path, () => this.value(toJSON.call(value, ''), path, depth))
  }

  #plainObject(value: object, path: string, depth: number): Json {
    const names = Object.keys(value)
    const looksLikeMark = names.length === 1 && names[0]?.startsWith('$') === true
    // Such an object gets another level around it.
    const json = this.fields(value, path, depth + Number(looksLikeMark))
    if (Object.hasOwn(value, protoField)) return { [jsonTextField]: JSON.stringify(json) }
    const written = Object.keys(json)
    return written.length === 1 && written[0]?.startsWith('$') ? { [escapedField]: json } : json
  }

  #withAncestor<Result>(value: object, path: string, write: () => Result): Result {
    if (this.#ancestors.has(value)) throw unsupportedError(path, 'an object that holds itself')
    this.#ancestors.add(value)
    try {
      return write()
    } finally {
      this.#ancestors.delete(value)
    }
  }
}

function unsupportedError(path: string, type: string) {
  const message = `\`${path}\`: Values are texts, numbers, booleans, dates, bigints, bytes, lists and objects of these, not ${type}.`
  return adapterError('invalid-input', message, { path })
}

class Reader {
  readonly #isStrict: boolean

  constructor({ strict = false }: ForeignOptions) {
    this.#isStrict = strict
  }

  value(json: Json): unknown {
    if (Array.isArray(json)) return json.map((one: Json) => this.value(one))
    if (!isJsonObject(json)) return json
    const names = Object.keys(json)
    const [name] = names
    return names.length === 1 && name?.startsWith('$') ? this.#mark(json, name) : this.fields(json)
  }

  fields(json: JsonObject): object {
    return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, this.value(one)]))
  }

  #mark(json: JsonObject, name: string): unknown {
    const value = json[name]
    if (!Object.hasOwn(markReaders, name)) return this.fields(json)
    if (name === escapedField && isJsonObject(value)) return this.fields(value)
    if (name === jsonTextField && typeof value === 'string') {
      const inner = parseJson(value)
      if (inner !== undefined) return this.value(inner)
    }
    if ((name === '$map' || name === '$set') && Array.isArray(value)) {
      const list = this.value(value) as unknown[]
      if (name === '$set') return new Set(list)
      if (list.every((one) => Array.isArray(one) && one.length === 2))
        return new Map(list as [unknown, unknown][])
    }
    const markValue = markReaders[name]?.(value ?? null)
    if (markValue) return markValue.value
    if (!this.#isStrict) return this.fields(json)
    throw adapterError('invalid-input', `\`${name}\` has no valid value.`, { path: name })
  }
}

type MarkValue = { readonly value: unknown } | undefined

/**
 * Readers by the name of a mark. Undefined: the content of the mark is invalid. `#mark` reads the first four itself,
 * because they contain values; here they are only known names.
 */
const markReaders: Readonly<Record<string, (content: Json) => MarkValue>> = {
  [escapedField]: () => undefined,
  [jsonTextField]: () => undefined,
  $map: () => undefined,
  $set: () => undefined,
  $undefined: (content) => (content === true ? { value: undefined } : undefined),
  [dateField](content) {
    const date = new Date(typeof content === 'string' ? content : Number.NaN)
    return content === null || (typeof content === 'string' && !Number.isNaN(date.getTime()))
      ? { value: date }
      : undefined
  },
  [numberField](content) {
    const value = Number(content)
    return typeof content === 'string' && numberText(value) === content ? { value } : undefined
  },
  [bigintField]: (content) =>
    typeof content === 'string' && /^-?\d+$/.test(content) ? { value: BigInt(content) } : undefined,
  [bytesField](content) {
    try {
      return typeof content === 'string' ? { value: base64.decode(content) } : undefined
    } catch {
      return undefined
    }
  },
}

/** Undefined: `text` is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
