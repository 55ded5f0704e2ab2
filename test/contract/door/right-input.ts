// Inputs that are right, for whatever a JSON Schema describes: made from the schema, and mended where they are refused, by the path
// that the refusal names. So a verb or kind that comes is tried without a line about it.

export type Schema = Readonly<Record<string, unknown>>
export type Path = readonly (string | number)[]

/** Why an input is not right, and at which path: the outermost one where it is empty. */
export interface Refusal {
  readonly path: string
  readonly message: string
}

const at = '2026-01-01T00:00:00.000Z'
const later = '2099-01-01T00:00:00.000Z'
const did = 'did:a2p:agent:local:helper'

/** What is wanted in fields whose schema says only that they are text. */
const byName: Readonly<Record<string, unknown>> = {
  expires_at: later,
  expiresAt: later,
  valid_until: later,
  scope: 'trace:**',
  content: 'text',
  text: 'text',
}

/** Texts that some field takes and its schema does not show, in the order in which they are tried. */
const known: readonly unknown[] = [
  at,
  later,
  did,
  'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
  ['a2p:context'],
  'a2p:context',
  ['label'],
  'trace:**',
  ['trace'],
  'trace',
  'fact',
  'task.goal',
  '$.a',
  'text',
  'text/',
  'mem_x1',
  'prop_x1',
  '120s',
  '1h',
  'UTC',
  '2026-01-01',
  '2026-01',
  'kstar:store_fact',
  'sync',
  'read',
  'A'.repeat(43),
  `${'A'.repeat(43)}=`,
  'a'.repeat(64),
  'a'.repeat(32),
  'access_key::AAAAAAAAAAAAAAAA',
  { situation: {}, task: {}, action: {} },
  true,
  1,
  2,
  60,
  ['text', 'other'],
  'bothparts',
]

const listOf = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as Schema[]) : [])

/** A value with every field that the schema has. */
export function sampleOf(schema: Schema, root: Schema = schema, name = '', depth = 0): unknown {
  const down = (one: Schema, as = name) => sampleOf(one, root, as, depth + 1)
  if (depth > 8) return 'x'
  if (typeof schema['$ref'] === 'string') {
    const defs = root['$defs'] as Readonly<Record<string, Schema>>
    return down(defs[schema['$ref'].slice('#/$defs/'.length)] ?? {})
  }
  const named = depth > 0 ? byName[name] : undefined
  if (named !== undefined && (schema['type'] === undefined || schema['type'] === typeof named)) return named
  if ('const' in schema) return schema['const']
  const [chosen] = [...(Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : [])]
  if (chosen !== undefined) return chosen
  const [either] = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (either) return down(either)
  if (schema['allOf']) return Object.assign({}, ...listOf(schema['allOf']).map((one) => down(one))) as unknown
  const type = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type']
  switch (type) {
    case 'object':
      return sampleObject(schema, down)
    case 'array':
      return sampleList(schema, (one) => down(one, name.replace(/s$/, '')))
    case 'integer':
    case 'number':
      return Math.min(Math.max(Number(schema['minimum'] ?? 1), 1), Number(schema['maximum'] ?? 1))
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return 'x'.repeat(Math.max(1, Number(schema['minLength'] ?? 1)))
  }
}

function sampleObject(schema: Schema, down: (one: Schema, as: string) => unknown): unknown {
  const { properties, additionalProperties: others } = schema
  if (properties)
    return Object.fromEntries(
      Object.entries(properties as Readonly<Record<string, Schema>>)
        // A cursor is of one answer: with another text nothing else of an input is looked at.
        .filter(([field]) => field !== 'cursor')
        .map(([field, one]) => [field, down(one, field)]),
    )
  const isTyped = typeof others === 'object' && others !== null && Object.keys(others).length > 0
  const [key = 'x'] = keysOf(schema['propertyNames'])
  return { [key]: isTyped ? down(others as Schema, '') : 'text' }
}

/** Names that the fields of such an object may have: one of a list, a number, or any. */
function keysOf(names: unknown): readonly string[] {
  const { enum: all, pattern } = (names ?? {}) as { enum?: readonly string[]; pattern?: string }
  return all ?? (pattern?.includes('\\d') ? ['1'] : ['x'])
}

function sampleList(schema: Schema, down: (one: Schema) => unknown): unknown[] {
  const places = listOf(schema['prefixItems'])
  if (places.length > 0) return places.map(down)
  const items = (schema['items'] ?? {}) as Schema
  return Array.from({ length: Math.max(1, Number(schema['minItems'] ?? 1)) }, () => down(items))
}

/** A copy of `value` with `other` at `path`; undefined takes it away. Sets what `JSON.parse` would: an own field. */
export function replaceAt(value: unknown, [first, ...rest]: Path, other: unknown): unknown {
  if (first === undefined) return other
  if (typeof value !== 'object' || value === null) return value
  const inner = rest.length === 0 ? other : replaceAt((value as Record<string, unknown>)[first], rest, other)
  if (Array.isArray(value)) {
    const index = Number(first)
    return inner === undefined ? value.toSpliced(index, 1) : value.with(index, inner)
  }
  const { [first as string]: _old, ...others } = value as Record<string, unknown>
  return inner === undefined ? others : { ...others, [first]: inner }
}

/** Every path into a JSON value, its root first. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...members.flatMap(([key, member]) => pathsOf(member, [...path, key]))]
}

const tries = 400

/**
 * `sample` so that `refusalOf` has nothing against it, as far as one can be found: a field that is refused is tried with each of
 * `others` and of what is known, and left out at last.
 */
export async function makeRight(
  sample: unknown,
  refusalOf: (value: unknown) => Promise<Refusal | undefined>,
  others: readonly unknown[] = [],
): Promise<{ readonly value: unknown; readonly refusal: Refusal | undefined }> {
  let value = sample
  let refusal = await refusalOf(value)
  for (let left = tries; refusal && left > 0;) {
    const path = pathIn(refusal)
    if (!path) break
    let found = false
    for (const other of [...others, ...known, undefined]) {
      left -= 1
      const changed = replaceAt(value, path, other)
      const next = await refusalOf(changed)
      if (next && samePlace(pathIn(next), path) && other !== undefined) continue
      ;[value, refusal, found] = [changed, next, true]
      break
    }
    if (!found) break
  }
  return { value, refusal }
}

const samePlace = (one: Path | undefined, other: Path) =>
  one !== undefined && other.every((part, i) => String(one[i]) === String(part))

/** The place of a refusal, which is in the value, or would be. */
const pathIn = ({ path }: Refusal): Path | undefined => (path === '' ? undefined : path.split('.'))
