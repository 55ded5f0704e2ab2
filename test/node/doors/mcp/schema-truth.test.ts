// The input schema of a tool is true: what it allows is taken or refused for a reason that names a field, and what it forbids
// is refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { isDaybookError } from '../../../../src/core/errors.ts'
import { capabilityTable } from '../../../../src/engine/capability-table.ts'
import { createLocalTools } from '../../../../src/doors/mcp/local-tools.ts'
import type { JsonSchema } from '../../../../src/doors/mcp/tool.ts'
import { toolSetNames, toolsOf, type ToolSetName } from '../../../../src/doors/mcp/tool-set.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { valueOf } from '../../../support/schema-value.ts'

type Input = Record<string, unknown>

interface Outcome {
  readonly isRefused: boolean
  readonly code?: string
  readonly path?: string
  readonly message: string
}

const tools = createLocalTools()

async function runTool(book: Daybook, set: ToolSetName, name: string, input: unknown): Promise<Outcome> {
  try {
    const { value, isFailure } = await tools.run([set], name, input, (id, value) => book.call(id, value))
    return { isRefused: isFailure, message: JSON.stringify(value ?? null) }
  } catch (error) {
    if (!isDaybookError(error)) throw error
    const { code, message, details } = error
    return { isRefused: true, code, message, path: String(details['path'] ?? '') }
  }
}

const all = toolSetNames.flatMap((set) =>
  toolsOf([set], 'device').map((tool) => [set, tool.name, tool] as const),
)
const propertiesOf = (schema: JsonSchema) => (schema['properties'] ?? {}) as Record<string, JsonSchema>
const requiredOf = (schema: JsonSchema) => (schema['required'] ?? []) as readonly string[]

/** A value that a schema of one plain type forbids. Undefined: no such value is certain. */
const wrongValue = ({ type }: JsonSchema) =>
  type === 'string' || type === 'array' ? 7 : typeof type === 'string' ? 'no' : undefined

/** Runs `draw` for the inputs that the schema allows, in one book. */
async function forInputs(
  input: JsonSchema,
  check: (book: Daybook, value: Input) => Promise<void>,
): Promise<void> {
  await using book = await openDaybook({ name: 'schema', agent: 'agent', path: ':memory:' })
  const property = fc.asyncProperty(valueOf(input), (value) => check(book, value as Input))
  await fc.assert(property, { numRuns: 15, seed: 35 })
}

it('names the fields that a tool passes on, and marks what it changes', () => {
  const of = (name: string) => all.find(([, one]) => one === name)?.[2]
  const fieldsOf = (name: string) => Object.keys(propertiesOf(of(name)?.input ?? {}))
  expect(fieldsOf('katra_update_metadata')).toEqual(
    expect.arrayContaining(['memory_id', 'personal', 'not_to_archive', 'collection']),
  )
  expect(fieldsOf('a2p_propose_memory')).toEqual(
    expect.arrayContaining(['content', 'category', 'sensitivity']),
  )
  // The next message is another one.
  expect(of('katra_hear')?.hints).toMatchObject({ readOnlyHint: false, idempotentHint: false })
  expect(of('delete_observations')?.hints).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  expect(of('add_observations')?.hints).toMatchObject({ destructiveHint: false })
})

it('each field of an input is described', () => {
  const bare: string[] = []
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [keyword, value] of Object.entries(schema))
      if (keyword !== 'properties') visit(value, path)
      else
        for (const [name, field] of Object.entries(value as Record<string, JsonSchema>)) {
          if (typeof field['description'] !== 'string') bare.push(`${path}.${name}`)
          visit(field, `${path}.${name}`)
        }
  }
  for (const [, name, { input }] of all) visit(input, name)
  expect(bare).toEqual([])
})

it('each annotation follows from what the verbs of the tool declare', () => {
  for (const [, name, { hints, verbs }] of all) {
    const declared = verbs.map((id) => capabilityTable.find((one) => one.id === id))
    const has = (impact: string) => declared.some((one) => one?.impact === impact)
    const forgets = declared.some((one) => one?.permission === 'forget')
    const writes = declared.some((one) => one?.effect === 'write')
    // Stores a fact with fewer observations.
    const ends = forgets || has('ends') || name === 'delete_observations'
    expect([name, hints.destructiveHint]).toEqual([name, ends || has('changes')])
    expect([name, hints.idempotentHint]).toEqual([name, hints.readOnlyHint || ends])
    if (writes || ends || has('changes') || has('consumes'))
      expect([name, hints.readOnlyHint]).toEqual([name, false])
  }
  const named = (hint: 'destructiveHint' | 'readOnlyHint') =>
    new Set(all.filter(([, , { hints }]) => hints[hint]).map(([, name]) => name))
  expect([...named('destructiveHint')].filter((name) => /^(store|create|remember)/.test(name))).toEqual([])
  for (const name of ['update_skill', 'update_profile', 'katra_update_metadata', 'forget', 'delete_entities'])
    expect(named('destructiveHint')).toContain(name)
  expect(named('readOnlyHint')).not.toContain('katra_hear')
})

describe.each(all)('%s: %s', (set, name, { input, hints }) => {
  it('takes what its schema allows, or refuses it for a reason', async () => {
    await forInputs(input, async (book, value) => {
      let changes = 0
      const stop = book.on('change', () => changes++)
      const { code, path, message } = await runTool(book, set, name, value)
      stop()
      if (hints.readOnlyHint) expect(changes).toBe(0)
      expect([code, message]).not.toEqual(['internal', expect.anything()])
      expect([message, value]).not.toEqual([expect.stringMatching(/no such field|internal/i), value])
      if (code === 'invalid-input' && path !== '')
        expect(Object.keys(propertiesOf(input))).toContain(path?.split('.')[0])
    })
  })

  it('refuses what its schema forbids', async () => {
    await forInputs(input, async (book, value) => {
      const forbidden: Input[] = requiredOf(input).map((field) => {
        const { [field]: _field, ...rest } = value
        return rest
      })
      if (input['additionalProperties'] === false) forbidden.push({ ...value, noSuchField: 1 })
      for (const [field, schema] of Object.entries(propertiesOf(input))) {
        const wrong = wrongValue(schema)
        if (wrong !== undefined) forbidden.push({ ...value, [field]: wrong })
      }
      for (const one of forbidden) {
        const { isRefused } = await runTool(book, set, name, one)
        expect([isRefused, one]).toEqual([true, one])
      }
    })
  })
})
