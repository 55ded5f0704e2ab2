// The nine tools of MCP's reference memory server, with the same names, shapes and texts, so that hosts of that
// server can use this one.
import { z } from 'zod'
import { isDaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { Schema } from '../../core/schema.ts'
import { shownJson } from '../../core/text/shown-text.ts'
import { parseInput } from '../seed-shape/shape.ts'
import type { McpTool, ToolAnswer, ToolQuestion } from './tool.ts'
import { toToolSchema } from './tool-schema.ts'
import { hintsOf } from './verb-tool.ts'
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

/** The reference server takes empty texts too. */
const nameText = z.string().max(1000)
const textList = z.array(z.string().max(100_000)).max(10_000)
const entitySchema = z.object({
  name: nameText.describe('The name of the entity'),
  entityType: nameText.describe('The type of the entity'),
  observations: textList.describe('An array of observation contents associated with the entity'),
})
const relationSchema = z.object({
  from: nameText.describe('The name of the entity where the relation starts'),
  to: nameText.describe('The name of the entity where the relation ends'),
  relationType: nameText.describe('The type of the relation'),
})
const graphSchema = z.object({ entities: z.array(entitySchema), relations: z.array(relationSchema) })
const successSchema = z.object({ success: z.boolean(), message: z.string() })
const limitedList = <Item extends z.ZodType>(item: Item) => z.array(item).max(1000)

/** Verbs that the functions of graph.ts call. */
const readVerbs = ['kstar:query_facts'] as const
const writeVerbs = ['kstar:store_fact', 'kstar:get_record'] as const
const forgetVerbs = ['kstar:forget', 'kstar:get_record', 'kstar:query_facts'] as const

interface GraphTool<Input extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  readonly verbs: readonly [string, ...string[]]
  /** True: it removes from facts that it stores anew. */
  readonly removes?: boolean
  /** See `McpTool`. */
  question?(input: unknown): ToolQuestion | undefined
  run(input: z.output<Input>, call: GraphCall): Promise<ToolAnswer>
}

/** Asks before a call that deletes several of the entries in `field`. */
const askIfSeveral = (field: string) => (input: unknown) => {
  const entries = isJsonObject(input) ? input[field] : undefined
  if (!Array.isArray(entries) || entries.length < 2) return undefined
  const list = entries.map((one) => shownJson(one)).join(', ')
  return { text: `Delete these ${entries.length} from the memory for good? ${list.slice(0, 1000)}` }
}

/** Creates an answer whose text shows `shown` instead of `value`, as in the reference server. */
const answerWithText = (value: unknown, shown: unknown): ToolAnswer => ({
  value,
  text: JSON.stringify(shown, undefined, 2),
})
const graphAnswer = (value: KnowledgeGraph) => answerWithText(value, value)
const successAnswer = (message: string): ToolAnswer => ({ value: { success: true, message }, text: message })

function graphTool<Input extends z.ZodType>({
  input,
  output,
  run,
  removes,
  ...row
}: GraphTool<Input>): McpTool {
  const isReading = row.verbs.every((id) => readVerbs.some((readVerb) => readVerb === id))
  return {
    ...row,
    input: toToolSchema(input as unknown as Schema, 'input'),
    output: toToolSchema(output as unknown as Schema, 'output'),
    hints: hintsOf(row.verbs, removes),
    isQuoted: isReading,
    async run(rawInput, at) {
      const parsed = (await parseInput(input as unknown as Schema, rawInput ?? {}, {
        id: row.verbs[0],
        admit: at.admit,
      })) as z.output<Input>
      let step = 0
      const work = () => run(parsed, (id, value) => at.call(id, value, step++))
      try {
        return await (isReading ? work() : at.inTurn(work))
      } catch (error) {
        if (!isDaybookError(error, 'not-found')) throw error
        // The reference server's text, without the advice that Daybook's errors add.
        const message = error.message.replace(/ not found\..*$/s, ' not found')
        return { value: { error: message }, text: message, isErrorAnswer: true }
      }
    },
  }
}

export const graphTools: readonly McpTool[] = [
  graphTool({
    name: 'create_entities',
    description: 'Create multiple new entities in the knowledge graph',
    input: z.object({ entities: limitedList(entitySchema) }),
    output: z.object({ entities: z.array(entitySchema) }),
    verbs: writeVerbs,
    async run({ entities }, call) {
      const created = await createEntities(call, entities)
      return answerWithText({ entities: created }, created)
    },
  }),
  graphTool({
    name: 'create_relations',
    description:
      'Create multiple new relations between entities in the knowledge graph. Relations should be in active voice',
    input: z.object({ relations: limitedList(relationSchema) }),
    output: z.object({ relations: z.array(relationSchema) }),
    verbs: writeVerbs,
    async run({ relations }, call) {
      const created = await createRelations(call, relations)
      return answerWithText({ relations: created }, created)
    },
  }),
  graphTool({
    name: 'add_observations',
    description: 'Add new observations to existing entities in the knowledge graph',
    input: z.object({ observations: limitedList(z.object({ entityName: nameText, contents: textList })) }),
    output: z.object({
      results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
    }),
    verbs: writeVerbs,
    async run({ observations }, call) {
      const results = await addObservations(call, observations)
      return answerWithText({ results }, results)
    },
  }),
  graphTool({
    name: 'delete_entities',
    description: 'Delete multiple entities and their associated relations from the knowledge graph',
    input: z.object({ entityNames: limitedList(nameText) }),
    output: successSchema,
    verbs: forgetVerbs,
    question: askIfSeveral('entityNames'),
    async run({ entityNames }, call) {
      await deleteEntities(call, entityNames)
      return successAnswer('Entities deleted successfully')
    },
  }),
  graphTool({
    name: 'delete_observations',
    description: 'Delete specific observations from entities in the knowledge graph',
    removes: true,
    input: z.object({ deletions: limitedList(z.object({ entityName: nameText, observations: textList })) }),
    output: successSchema,
    verbs: writeVerbs,
    async run({ deletions }, call) {
      await deleteObservations(call, deletions)
      return successAnswer('Observations deleted successfully')
    },
  }),
  graphTool({
    name: 'delete_relations',
    description: 'Delete multiple relations from the knowledge graph',
    input: z.object({ relations: limitedList(relationSchema) }),
    output: successSchema,
    verbs: forgetVerbs,
    question: askIfSeveral('relations'),
    async run({ relations }, call) {
      await deleteRelations(call, relations)
      return successAnswer('Relations deleted successfully')
    },
  }),
  graphTool({
    name: 'read_graph',
    description: 'Read the entire knowledge graph',
    input: z.object({}),
    output: graphSchema,
    verbs: readVerbs,
    run: async (_input, call) => graphAnswer(await readGraph(call)),
  }),
  graphTool({
    name: 'search_nodes',
    description: 'Search for nodes in the knowledge graph based on a query',
    input: z.object({ query: z.string().max(10_000) }),
    output: graphSchema,
    verbs: readVerbs,
    run: async ({ query }, call) => graphAnswer(await searchNodes(call, query)),
  }),
  graphTool({
    name: 'open_nodes',
    description: 'Open specific nodes in the knowledge graph by their names',
    input: z.object({ names: limitedList(nameText) }),
    output: graphSchema,
    verbs: readVerbs,
    run: async ({ names }, call) => graphAnswer(await openNodes(call, names)),
  }),
]
