// The nine tools of MCP's reference memory server, with the same names, shapes and texts, so that hosts of that
// server can use this one.
import { z } from 'zod'
import { isDaybookError } from '../../core/errors.ts'
import type { Schema } from '../../core/schema.ts'
import { readInput } from '../seed-shape/shape.ts'
import type { McpTool, ToolAnswer } from './tool.ts'
import { hintsOf, schemaOf } from './verb-tool.ts'
import {
  addObservations,
  createEntities,
  createRelations,
  deleteEntities,
  deleteObservations,
  deleteRelations,
  type GraphCall,
  type KnowledgeGraph,
  openNodes,
  readGraph,
  searchNodes,
} from './graph.ts'

const name = z.string().min(1).max(1000)
const texts = z.array(z.string().max(100_000)).max(10_000)
const entity = z.object({
  name: name.describe('The name of the entity'),
  entityType: name.describe('The type of the entity'),
  observations: texts.describe('An array of observation contents associated with the entity'),
})
const relation = z.object({
  from: name.describe('The name of the entity where the relation starts'),
  to: name.describe('The name of the entity where the relation ends'),
  relationType: name.describe('The type of the relation'),
})
const graph = z.object({ entities: z.array(entity), relations: z.array(relation) })
const done = z.object({ success: z.boolean(), message: z.string() })
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(1000)

const reads = ['kstar:query_facts'] as const
const writes = ['kstar:store_fact', 'kstar:get_record'] as const
const forgets = ['kstar:forget', 'kstar:get_record', 'kstar:query_facts'] as const

interface GraphTool<Input extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  readonly verbs: readonly [string, ...string[]]
  run(input: z.output<Input>, call: GraphCall): Promise<ToolAnswer>
}

/** Creates an answer whose text shows `shown` instead of `value`, as in the reference server. */
const withText = (value: unknown, shown: unknown): ToolAnswer => ({
  value,
  text: JSON.stringify(shown, undefined, 2),
})
const whole = (value: KnowledgeGraph) => withText(value, value)
const finished = (message: string): ToolAnswer => ({ value: { success: true, message }, text: message })

function graphTool<Input extends z.ZodType>({ input, output, run, ...row }: GraphTool<Input>): McpTool {
  const isReading = row.verbs.every((id) => reads.some((one) => one === id))
  return {
    ...row,
    input: schemaOf(input as unknown as Schema, 'input'),
    output: schemaOf(output as unknown as Schema, 'output'),
    hints: hintsOf(row.verbs),
    isQuoted: isReading,
    async run(sent, at) {
      const read = (await readInput(input as unknown as Schema, sent ?? {}, {
        id: row.verbs[0],
        admit: at.admit,
      })) as z.output<Input>
      let step = 0
      const work = () => run(read, (id, value) => at.call(id, value, step++))
      try {
        return await (isReading ? work() : at.alone(work))
      } catch (error) {
        if (!isDaybookError(error, 'not-found')) throw error
        const message = error.message.replace(/ not found\..*$/s, ' not found')
        return { value: { error: message }, text: message, isFailure: true }
      }
    },
  }
}

export const graphTools: readonly McpTool[] = [
  graphTool({
    name: 'create_entities',
    description: 'Create multiple new entities in the knowledge graph',
    input: z.object({ entities: list(entity) }),
    output: z.object({ entities: z.array(entity) }),
    verbs: writes,
    async run({ entities }, call) {
      const created = await createEntities(call, entities)
      return withText({ entities: created }, created)
    },
  }),
  graphTool({
    name: 'create_relations',
    description:
      'Create multiple new relations between entities in the knowledge graph. Relations should be in active voice',
    input: z.object({ relations: list(relation) }),
    output: z.object({ relations: z.array(relation) }),
    verbs: writes,
    async run({ relations }, call) {
      const created = await createRelations(call, relations)
      return withText({ relations: created }, created)
    },
  }),
  graphTool({
    name: 'add_observations',
    description: 'Add new observations to existing entities in the knowledge graph',
    input: z.object({ observations: list(z.object({ entityName: name, contents: texts })) }),
    output: z.object({
      results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
    }),
    verbs: writes,
    async run({ observations }, call) {
      const results = await addObservations(call, observations)
      return withText({ results }, results)
    },
  }),
  graphTool({
    name: 'delete_entities',
    description: 'Delete multiple entities and their associated relations from the knowledge graph',
    input: z.object({ entityNames: list(name) }),
    output: done,
    verbs: forgets,
    async run({ entityNames }, call) {
      await deleteEntities(call, entityNames)
      return finished('Entities deleted successfully')
    },
  }),
  graphTool({
    name: 'delete_observations',
    description: 'Delete specific observations from entities in the knowledge graph',
    input: z.object({ deletions: list(z.object({ entityName: name, observations: texts })) }),
    output: done,
    verbs: writes,
    async run({ deletions }, call) {
      await deleteObservations(call, deletions)
      return finished('Observations deleted successfully')
    },
  }),
  graphTool({
    name: 'delete_relations',
    description: 'Delete multiple relations from the knowledge graph',
    input: z.object({ relations: list(relation) }),
    output: done,
    verbs: forgets,
    async run({ relations }, call) {
      await deleteRelations(call, relations)
      return finished('Relations deleted successfully')
    },
  }),
  graphTool({
    name: 'read_graph',
    description: 'Read the entire knowledge graph',
    input: z.object({}),
    output: graph,
    verbs: reads,
    run: async (_input, call) => whole(await readGraph(call)),
  }),
  graphTool({
    name: 'search_nodes',
    description: 'Search for nodes in the knowledge graph based on a query',
    input: z.object({ query: z.string().max(10_000) }),
    output: graph,
    verbs: reads,
    run: async ({ query }, call) => whole(await searchNodes(call, query)),
  }),
  graphTool({
    name: 'open_nodes',
    description: 'Open specific nodes in the knowledge graph by their names',
    input: z.object({ names: list(name) }),
    output: graph,
    verbs: reads,
    run: async ({ names }, call) => whole(await openNodes(call, names)),
  }),
]
