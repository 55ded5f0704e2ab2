// What a kind takes for a body, line by line, as the specification of sync writes it down: read off its schema, so that
// the two can't come apart.
import { z } from 'zod'

/** As much of a schema's insides as is looked at here. */
interface Inside {
  readonly def: {
    readonly type: string
    readonly innerType?: z.ZodType
    readonly element?: z.ZodType
    readonly valueType?: z.ZodType
    readonly shape?: Record<string, z.ZodType>
    readonly options?: readonly z.ZodType[]
    readonly entries?: Record<string, string>
    readonly values?: readonly unknown[]
    readonly catchall?: Inside
  }
}

const insideOf = (schema: z.ZodType) => schema as unknown as Inside
const numeral = (value: number) => value.toLocaleString('en')

/** The schema without the wrappers that only say what stands for nothing. */
function unwrap(schema: z.ZodType): { inner: z.ZodType; isOptional: boolean } {
  const { type, innerType } = insideOf(schema).def
  if (!innerType || !['optional', 'default', 'prefault'].includes(type))
    return { inner: schema, isOptional: false }
  return { inner: unwrap(innerType).inner, isOptional: true }
}

interface Bounds {
  readonly type?: unknown
  readonly minimum?: number | undefined
  readonly maximum?: number | undefined
}

/** The least and the most of a number, of the characters of a text, of the items of a list. */
function boundsOf(schema: z.ZodType): Bounds {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return {
    type: json.type,
    minimum: json.minimum ?? json.minLength ?? json.minItems,
    maximum: json.maximum ?? json.maxLength ?? json.maxItems,
  }
}

/** What bounds say beyond `least`, below which there is nothing anyway. */
function span({ minimum = -Infinity, maximum = Infinity }: Bounds, least: number): string {
  const isFrom = minimum > least && minimum > Number.MIN_SAFE_INTEGER
  const isTo = maximum < Number.MAX_SAFE_INTEGER
  if (isFrom && isTo) return ` ${numeral(minimum)} to ${numeral(maximum)}`
  if (isTo) return ` up to ${numeral(maximum)}`
  return isFrom ? ` from ${numeral(minimum)}` : ''
}

function textType(schema: z.ZodType): string {
  const takes = (text: string) => z.safeParse(schema, text).success
  if (takes('a:b.c_d-1') && !takes('é') && takes('x'.repeat(128)) && !takes('x'.repeat(129))) return 'id'
  if (takes('a-b:**') && !takes('a::b')) return takes('a b') ? 'scope' : 'scope pattern'
  if (takes('2026-01-31T15:00:00.000Z') && !takes('no time'))
    return takes('2026-01-31T15:00:00Z') ? 'time, in any form' : 'time'
  if (takes('0'.repeat(64)) && !takes('0'.repeat(63))) return 'SHA-256'
  if (takes('did:a2p:agent:local:x') && !takes('did:a2p:user:local:x')) return 'DID of an agent'
  if (takes('did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK') && !takes('x')) return 'did:key'
  return `text${span(boundsOf(schema), 0)}`
}

function typeOf(schema: z.ZodType): string {
  const { inner } = unwrap(schema)
  const { type, entries, element, valueType, options } = insideOf(inner).def
  switch (type) {
    case 'string':
    case 'pipe':
      return textType(inner)
    case 'number': {
      const bounds = boundsOf(inner)
      return `${String(bounds.type)}${span(bounds, -Infinity)}`
    }
    case 'enum':
      return Object.keys(entries ?? {})
        .map((one) => JSON.stringify(one))
        .join(' or ')
    case 'array':
      return `list${span(boundsOf(inner), 0)} of ${typeOf(element ?? z.unknown())}`
    case 'record': {
      const value = typeOf(valueType ?? z.unknown())
      return value === 'object' ? 'object of object' : 'object'
    }
    case 'union':
      return (options ?? []).map(typeOf).join(' or ')
    case 'unknown':
      return 'anything'
    default:
      return type
  }
}

function* linesOf(schema: z.ZodType, path: string): Generator<string> {
  for (const [name, field] of Object.entries(insideOf(schema).def.shape ?? {})) {
    const { inner, isOptional } = unwrap(field)
    const { def } = insideOf(inner)
    const at = `${path}${name}`
    const mark = isOptional ? '?' : ''
    const below = def.type === 'array' ? def.element : def.type === 'record' ? def.valueType : undefined
    if (def.type === 'object') {
      yield `${at}${mark}: object`
      yield* linesOf(inner, `${at}.`)
    } else if (below && insideOf(unwrap(below).inner).def.type === 'object') {
      yield `${at}${mark}: ${typeOf(inner)}`
      yield* linesOf(unwrap(below).inner, `${at}${def.type === 'array' ? '[].' : '.*.'}`)
    } else yield `${at}${mark}: ${typeOf(inner)}`
  }
}

/** `path?: type`, a line for each field; `?` where it may be absent. */
export function bodyShape(schema: z.ZodType): string[] {
  return [...linesOf(schema, '')]
}

/** True for a body that may have no other fields. */
export function isStrict(schema: z.ZodType): boolean {
  return insideOf(schema).def.catchall?.def.type === 'never'
}
