// Every verb of the table against a book whose records say what this Daybook does not understand: any JSON under any
// kind, as a later version or another client may have left it at the mirror.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDaybookError } from '../../../src/core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json/path.ts'
import type { Kind } from '../../../src/core/kind.ts'
import { nameId, profileId } from '../../../src/core/text/name-id.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openBookStore } from '../../../src/store/book-store.ts'
import { createTestTime, openTestEngine } from '../../support/test-engine.ts'

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly minimum?: number
}

const schemaOf = (schema: { readonly '~standard': { readonly jsonSchema?: unknown } }): JsonSchema =>
  (
    schema['~standard'] as { jsonSchema: { input(options: { target: string }): JsonSchema } }
  ).jsonSchema.input({ target: 'draft-2020-12' })

const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>

/** Something like what the schema wants, with other things in its place, or nothing, here and there. */
function nearly(schema: JsonSchema, depth = 0): fc.Arbitrary<Json> {
  const wanted =
    schema.properties && depth < 4 ? objectLike(schema.properties, depth) : leafLike(schema, depth)
  return fc.oneof({ weight: 4, arbitrary: wanted }, { weight: 1, arbitrary: anything })
}

function objectLike(properties: Readonly<Record<string, JsonSchema>>, depth: number): fc.Arbitrary<Json> {
  const fields = Object.entries(properties).map(([name, one]) => [name, nearly(one, depth + 1)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] }) as fc.Arbitrary<Json>
}

function leafLike({ type, items, enum: choices }: JsonSchema, depth: number): fc.Arbitrary<Json> {
  if (choices) return fc.constantFrom(...choices)
  if (type === 'array')
    return fc.array(items && depth < 4 ? nearly(items, depth + 1) : anything, { maxLength: 2 })
  if (type === 'string')
    return fc.constantFrom('known', 'user', '2026-01-31T15:00:00.000Z', 'record-trace', '\ud800', '')
  if (type === 'number' || type === 'integer') return fc.constantFrom(0, 1, -1, 0.5, 1e21)
  return type === 'boolean' ? fc.boolean() : anything
}

const bodyOf = (kind: Kind) =>
  fc.oneof(
    { weight: 4, arbitrary: objectLike(schemaOf(kind.schema).properties ?? {}, 0) },
    { weight: 1, arbitrary: fc.dictionary(fc.string(), anything) },
  ) as fc.Arbitrary<JsonObject>

/** Where a verb that goes by names looks. */
const idOf = (kind: string) =>
  ({
    skill: nameId('skill', 'known'),
    fact_schema: nameId('fact_schema', 'known'),
    trace_category: nameId('trace_category', 'known', 'known'),
    token_type: nameId('token_type', 'known'),
    profile: profileId('a', ''),
  })[kind] ?? `record-${kind}`

/** The least that a verb takes, about the record `id`. */
function inputFor(schema: JsonSchema, id: string, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  const [choice] = schema.enum ?? []
  if (choice !== undefined) return choice
  const [first] = schema.anyOf ?? schema.oneOf ?? []
  if (first) return inputFor(first, id, name)
  switch (schema.type) {
    case 'string':
      if (name === 'kind') return 'trace'
      return /(^|_)ids?$|records|supersedes/.test(name) ? id : 'known'
    case 'array':
      return schema.minItems ? [inputFor(schema.items ?? {}, id, name)] : []
    case 'number':
    case 'integer':
      return Math.max(1, schema.minimum ?? 1)
    case 'boolean':
      return true
    default: {
      const { properties = {}, required = [] } = schema
      const wanted = Object.keys(properties).filter((one) => required.includes(one) || one === 'id')
      return Object.fromEntries(wanted.map((one) => [one, inputFor(properties[one] ?? {}, id, one)]))
    }
  }
}

/** What is stored anew replaces what its kind knows, also what was left out. */
const knownOf = (name: string) => {
  const kind = kinds.get(name)
  return new Set(Object.keys((kind && schemaOf(kind.schema).properties) ?? {}))
}

const heads = new Set(['id', 'kind', 'ver', 'agent', 'created_at', 'updated_at', 'session', 'resource'])

async function openWith(bodies: ReadonlyMap<string, JsonObject>) {
  const db = openNodeDatabase({ path: ':memory:' })
  const store = openBookStore(db, {
    kinds,
    role: 'device',
    ports: createTestTime().ports,
    onCommit: () => undefined,
  })
  await store.writes.write(() => {
    for (const [i, [kind, body]] of [...bodies].entries()) {
      const at = '2026-01-31T15:00:00.000Z'
      const op = {
        op: 'put',
        kind,
        id: idOf(kind),
        at,
        stamp: '019c14916980-0000-d_b',
        agent: 'a',
        created_at: at,
        body,
      }
      store.records.applyFromMirror(op as never, { ver: 1, place: i + 1, device: 'd_b' })
    }
  })
  return openTestEngine({ db })
}

describe('a book with bodies that this Daybook does not understand', () => {
  const every = [...kinds.values(), { name: 'from_later', schema: { '~standard': {} } } as unknown as Kind]
  const all = fc.tuple(
    ...every.map((kind) =>
      kind.name === 'from_later'
        ? (fc.dictionary(fc.string(), anything) as fc.Arbitrary<JsonObject>)
        : bodyOf(kind),
    ),
  )

  it('answers every verb, or says why not with a code of its own', async () => {
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(all, async (list) => {
        const bodies = new Map(every.map(({ name }, i) => [name, list[i] ?? {}]))
        const { engine } = await openWith(bodies)
        const inOrder = capabilityTable.toSorted((one, other) => rank(one.effect) - rank(other.effect))
        for (const { id, input, effect } of inOrder) {
          for (const kind of effect === 'read' || effect === 'write' ? bodies.keys() : ['trace']) {
            const asked = inputFor(schemaOf(input as never), idOf(kind))
            try {
              await engine.call(id, asked)
              seen.set(id, 1 + (seen.get(id) ?? 0))
            } catch (error) {
              const code = isDaybookError(error) ? error.code : 'none'
              expect(
                code === 'internal' || code === 'none' ? error : undefined,
                `${id} on ${kind}`,
              ).toBeUndefined()
            }
          }
        }
        await engine.close()
      }),
      { numRuns: 5 },
    )
    // Verbs that only read have no reason to refuse, but for those that ask for one record and say what is wrong with
    // it.
    const asking = new Set([
      'embed:texts',
      'task:get',
      'kstar:get_schema',
      'ks:get_profile',
      'a2p:get_agent',
      'a2p:find_similar',
    ])
    // What a persona asks of its own days is asked by nobody here: no record of these says who it is.
    const isOfPersona = (id: string) => id.startsWith('katra:') && id !== 'katra:list_personas'
    const silent = capabilityTable
      .filter(({ id, effect }) => effect === 'read' && !seen.has(id))
      .map(({ id }) => id)
    expect(silent.filter((id) => !asking.has(id) && !isOfPersona(id))).toEqual([])
  }, 170_000)

  it('keeps what it does not know of a record, or refuses to change it', async () => {
    let refused = 0
    let changed = 0
    await fc.assert(
      fc.asyncProperty(all, async (list) => {
        const bodies = new Map(
          every.map(({ name }, i) => [name, { ...list[i], 'a later field': { deep: [1] } }]),
        )
        const { engine } = await openWith(bodies)
        const writes = capabilityTable.filter(
          ({ id, effect }) => effect === 'write' && !/forget|delete|restore/.test(id),
        )
        for (const { id, input } of writes) {
          for (const kind of bodies.keys()) {
            const before = await engine.call('kstar:get_record', { id: idOf(kind) })
            await engine.call(id, inputFor(schemaOf(input as never), idOf(kind))).then(
              () => (changed += 1),
              (error: unknown) => {
                if (isDaybookError(error, 'record-newer')) refused += 1
              },
            )
            const after = await engine.call('kstar:get_record', { id: idOf(kind) })
            if (!isJsonObject(before) || !isJsonObject(after)) throw new Error(`${id} took ${kind} away`)
            expect(after['a later field'], `${id} on ${kind}`).toEqual({ deep: [1] })
            const replaced = id.includes(':store_') ? knownOf(kind) : heads
            const gone = Object.keys(before).filter((name) => !(name in after))
            expect(
              gone.filter((name) => !heads.has(name) && !replaced.has(name)),
              `${id} on ${kind}`,
            ).toEqual([])
          }
        }
        await engine.close()
      }),
      // A smaller book would say no more, and take minutes to find.
      { numRuns: 6, endOnFailure: true },
    )
    expect(refused).toBeGreaterThan(0)
    expect(changed).toBeGreaterThan(0)
  }, 170_000)
})

/** Verbs that forget come last of all. */
const rank = (effect: string) => ({ read: 0, task: 1 })[effect] ?? 2
