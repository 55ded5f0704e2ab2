// A right input for every verb and shape, and a right body for every kind: made from their schemas, so that one that comes is among
// them. What no schema tells stands in `said`.
import { z } from 'zod'
import { isDaybookError } from '../../../src/core/errors.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import type { Kind } from '../../../src/core/kind.ts'
import { parseWith, type Schema as Checker } from '../../../src/core/schema.ts'
import { callSeedShape, findSeedShape, seedShapes } from '../../../src/doors/seed-shape/seed-shape.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { makeRight, type Refusal, sampleOf, type Schema } from './right-input.ts'

/** What the fields of some inputs are to be, where their parts go only in some company. */
const said: Readonly<Record<string, object>> = {
  'kstar:query_memory': { filters: { kind: 'trace' }, limit: 1, offset: 0, orderBy: ['-created_at'] },
  'kstar:update_perception': {
    id: 'perception-x1',
    updates: { content: 'x', confidence: 1, evidence: ['x'] },
  },
  'a2p:propose': {
    content: 'x',
    category: 'a2p:context',
    memory_type: 'episodic',
    confidence: 0.5,
    tags: ['x'],
    evidence: [{ type: 'user_statement', quote: 'q' }],
    context: 'c',
  },
  'bundle:export': { kinds: ['trace'], from: '2026-01-01', to: '2026-02-01', passphrase: 'xxxxxxxx' },
  'import:file': { name: 'x.json', format: 'openai-chat', text: '[{"role":"user","content":"x"}]' },
  'task:add': {
    capability: 'kstar:store_fact',
    input: { schema: 's', data: {} },
    maxAttempts: 1,
    delaySeconds: 1000,
  },
  'task:schedule': {
    id: 'x',
    capability: 'kstar:store_fact',
    input: { schema: 's', data: {} },
    every: '1h',
    maxAttempts: 1,
    first: '2099-01-01',
  },
}
/** They end the book, its keys or who may do what: what comes after them would say nothing. */
const ending = new Set(['daybook:erase', 'daybook:start_over', 'ks:delete_agent_data'])

export interface Example {
  readonly name: string
  readonly input: unknown
}

const inputs = new Map<string, Checker>(capabilityTable.map(({ id, input }) => [id, input as Checker]))

async function refusalOf(work: () => unknown): Promise<Refusal | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    // What a shape makes of an answer that there is not is not looked at.
    if (!isDaybookError(error)) return undefined
    return { path: String(error.details['path'] ?? ''), message: error.message }
  }
}

const checkCall = (id: string, input: unknown) => parseWith(inputs.get(id) as Checker, input)

/** The same as a door does, and no further than the inputs of the capabilities. */
const checkShape = (name: string, input: unknown) =>
  callSeedShape(name, input, {
    now: () => 0,
    call: (id, value) => {
      checkCall(id, value)
      return Promise.resolve({})
    },
  })

async function exampleOf(
  name: string,
  schema: Checker,
  isShaped = findSeedShape(name) !== undefined,
): Promise<Example> {
  const check = (value: unknown) =>
    refusalOf(() => (isShaped ? checkShape(name, value) : checkCall(name, value)))
  const sample = sampleOf(
    z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Schema,
  )
  const { value } = await makeRight(said[name] ?? sample, check)
  return { name, input: value }
}

/** One for each name over HTTP and P3394: capabilities, in the shape of their description where they have one, and other shapes. */
export const verbExamples = (): Promise<readonly Example[]> =>
  Promise.all([
    ...[...inputs].filter(([id]) => !ending.has(id)).map(([id, schema]) => exampleOf(id, schema)),
    ...seedShapes
      .filter(({ names: [name] }) => !inputs.has(name))
      .map(({ names: [name], input }) => exampleOf(name, input as unknown as Checker)),
  ])

/** One for each capability, as a book of this process takes it. */
export const callExamples = (): Promise<readonly Example[]> =>
  Promise.all(
    [...inputs].filter(([id]) => !ending.has(id)).map(([id, schema]) => exampleOf(id, schema, false)),
  )

export interface KindExample {
  readonly kind: Kind
  readonly id: string
  readonly body: JsonObject
}

/** The id that a body of the kind has to have; `usual` where none follows. */
export function idOf(kind: Kind, body: unknown, usual: string): string {
  try {
    return kind.idOf?.(body as JsonObject) ?? usual
  } catch {
    return usual
  }
}

export const kindExamples = (): Promise<readonly KindExample[]> =>
  Promise.all(
    [...kinds.values()].map(async (kind) => {
      const schema = kind.schema as z.ZodType
      const { value } = await makeRight(
        sampleOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema),
        async (one) => {
          const issue = (await schema.safeParseAsync(one)).error?.issues[0]
          return issue && { path: issue.path.join('.'), message: issue.message }
        },
      )
      const body = value as JsonObject
      return { kind, id: idOf(kind, body, `${kind.idPrefix ?? ''}${kind.name}-x1`), body }
    }),
  )
