// What frameworks hand over, as JSON that a book takes, and back: what JSON has no word for is written under a name that begins
// with `$`. Invariant: what comes out is what went in and shares nothing with it, or it is refused; an object that looks like
// one of these marks is an object.
import { base64 } from '@scure/base'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { adapterError } from './adapter-error.ts'

export const dateField = '$date'
export const bigintField = '$bigint'
export const numberField = '$number'
const bytesField = '$bytes'
/** Stands around an object that would be read as one of the others. */
const plainField = '$plain'
/** Stands around the text of what is nested deeper than a book takes, or has a name that it does not. */
const textField = '$json'

/** Levels of JSON that are written as they are; a book takes 64, and what stands around a value has some of them. */
const depthLimit = 40
/** Levels of a value at most: each of them takes some of the stack, of which browsers have least. */
const levelLimit = 512
const forbidden = '__proto__'
const fieldless = new Set(['RegExp', 'BigInt', 'Symbol', 'Promise', 'WeakMap', 'WeakSet', 'WeakRef'])

export interface ForeignOptions {
  /**
   * True: what does not come back as it was is refused with `invalid-input`, and so is a mark that says nothing. Else instances
   * are their fields and functions nothing, as JSON has it, and such a mark is the object that it stands in.
   */
  readonly strict?: boolean
}

/** A value as JSON. Throws `invalid-input` with the path of what can't be said. */
export function valueToJson(value: unknown, options: ForeignOptions = {}): Json {
  return new Writer(options).value(value, '', 0)
}

export function valueFromJson(json: Json, options: ForeignOptions = {}): unknown {
  return new Reader(options).value(json)
}

/** The fields of an object, each under its own name. */
export function fieldsToJson(value: object, options: ForeignOptions = {}): JsonObject {
  if (Object.hasOwn(value, forbidden)) throw unsaid(forbidden, 'a field of that name')
  return new Writer(options).fields(value, '', 0)
}

export function fieldsFromJson(json: JsonObject, options: ForeignOptions = {}): object {
  return new Reader(options).fields(json)
}

/** A book takes no number that another reader of JSON may read as another one. */
export const isPlainNumber = (value: number): boolean =>
  Number.isFinite(value) && !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))

const numberName = (value: number) => (Object.is(value, -0) ? '-0' : String(value))

class Writer {
  readonly #isStrict: boolean
  /** What is around the value that is being written. */
  readonly #around = new Set<object>()

  constructor({ strict = false }: ForeignOptions) {
    this.#isStrict = strict
  }

  value(value: unknown, path: string, depth: number): Json {
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
        return value === null ? null : this.#object(value, path, depth)
      default:
        if (this.#isStrict) throw unsaid(path, typeof value)
        return null
    }
  }

  fields(value: object, path: string, depth: number): JsonObject {
    return this.#within(value, path, () => {
      const fields = Object.entries(value).filter(([, one]) => this.#isField(one))
      return Object.fromEntries(
        fields.map(([name, one]) => [
          name,
          this.value(one, path === '' ? name : `${path}.${name}`, depth + 1),
        ]),
      )
    })
  }

  /** Fields that are undefined are none. */
  #isField(value: unknown): boolean {
    return (
      value !== undefined && (this.#isStrict || (typeof value !== 'function' && typeof value !== 'symbol'))
    )
  }

  #object(value: object, path: string, depth: number): Json {
    if (depth > levelLimit)
      throw unsaid(`${path.slice(0, 100)}…`, `what is nested deeper than ${levelLimit} levels`)
    if (depth === depthLimit) return { [textField]: JSON.stringify(this.#object(value, path, depth + 1)) }
    if (Array.isArray(value))
      return this.#within(value, path, () =>
        Array.from(value, (one, i) => this.value(one, `${path}.${i}`, depth + 1)),
      )
    if (value instanceof Date) {
      return { [dateField]: Number.isNaN(value.getTime()) ? null : value.toISOString() }
    }
    if (value instanceof Uint8Array) return { [bytesField]: base64.encode(value) }
    const prototype: unknown = Object.getPrototypeOf(value)
    // A plain object of another window or of a module of its own has a prototype like ours, and not ours.
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
    return isPlain ? this.#plain(value, path, depth) : this.#instance(value, path, depth)
  }

  #instance(value: object, path: string, depth: number): Json {
    if (this.#isStrict || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      throw unsaid(path, value.constructor.name)
    // They have no fields, so nothing of them would be left.
    if (fieldless.has(Object.prototype.toString.call(value).slice(8, -1)))
      throw unsaid(path, value.constructor.name)
    if (value instanceof Map) return { $map: this.value([...value], path, depth + 1) }
    if (value instanceof Set) return { $set: this.value([...value], path, depth + 1) }
    if (value instanceof Error)
      return this.#plain({ ...value, name: value.name, message: value.message }, path, depth)
    const { toJSON } = value as { readonly toJSON?: unknown }
    if (typeof toJSON !== 'function') return this.#plain(value, path, depth)
    return this.#within(value, path, () => this.value(toJSON.call(value, ''), path, depth))
  }

  #plain(value: object, path: string, depth: number): Json {
    const names = Object.keys(value)
    const isLikeMark = names.length === 1 && names[0]?.startsWith('$') === true
    const json = this.fields(value, path, depth + Number(isLikeMark))
    if (Object.hasOwn(value, forbidden)) return { [textField]: JSON.stringify(json) }
    const written = Object.keys(json)
    return written.length === 1 && written[0]?.startsWith('$') ? { [plainField]: json } : json
  }

  #within<Result>(value: object, path: string, write: () => Result): Result {
    if (this.#around.has(value)) throw unsaid(path, 'an object that holds itself')
    this.#around.add(value)
    try {
      return write()
    } finally {
      this.#around.delete(value)
    }
  }
}

function unsaid(path: string, what: string) {
  const message = `\`${path}\`: Values are texts, numbers, booleans, dates, bigints, bytes, lists and objects of these, not ${what}.`
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
    if (!Object.hasOwn(readers, name)) return this.fields(json)
    if (name === plainField && isJsonObject(value)) return this.fields(value)
    if (name === textField && typeof value === 'string') {
      const inner = parsed(value)
      if (inner !== undefined) return this.value(inner)
    }
    if ((name === '$map' || name === '$set') && Array.isArray(value)) {
      const list = this.value(value) as unknown[]
      if (name === '$set') return new Set(list)
      if (list.every((one) => Array.isArray(one) && one.length === 2))
        return new Map(list as [unknown, unknown][])
    }
    const read = readers[name]?.(value ?? null)
    if (read) return read.value
    if (!this.#isStrict) return this.fields(json)
    throw adapterError('invalid-input', `\`${name}\` does not say what it stands for.`, { path: name })
  }
}

type Read = { readonly value: unknown } | undefined

/** By mark: the value that it stands for; undefined where it stands for none. */
const readers: Readonly<Record<string, (said: Json) => Read>> = {
  [plainField]: () => undefined,
  [textField]: () => undefined,
  $map: () => undefined,
  $set: () => undefined,
  $undefined: (said) => (said === true ? { value: undefined } : undefined),
  [dateField](said) {
    const date = new Date(typeof said === 'string' ? said : Number.NaN)
    return said === null || (typeof said === 'string' && !Number.isNaN(date.getTime()))
      ? { value: date }
      : undefined
  },
  [numberField](said) {
    const value = Number(said)
    return typeof said === 'string' && numberName(value) === said ? { value } : undefined
  },
  [bigintField]: (said) =>
    typeof said === 'string' && /^-?\d+$/.test(said) ? { value: BigInt(said) } : undefined,
  [bytesField](said) {
    try {
      return typeof said === 'string' ? { value: base64.decode(said) } : undefined
    } catch {
      return undefined
    }
  },
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
