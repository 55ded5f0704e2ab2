// Seed shapes of the KSTAR memory for traces, perceptions, facts and skills, from the P3394 memory specification.
// Names: ids of its manifest, methods of its class, tools of its MCP server.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import {
  idAnswer,
  idAs,
  fields,
  type Fields,
  listCall,
  object,
  oneCall,
  type SeedShape,
  text,
  withOurNames,
  without,
  kstar,
} from './shape.ts'

/** KSTAR's name of the order of a query. Its value is a field, such as `-confidence` (descending). */
const orderField = { orderBy: 'order_by' }
const queryFields = {
  ...orderField,
  includeExpired: 'include_expired',
  includeSuperseded: 'include_superseded',
  includeOutdated: 'include_outdated',
}

const limit = z.number().int().default(100)
const offset = z.number().int().default(0)

/** Removes the times, because the book sets them. */
const undated = (value: Fields) => without(value, 'created_at', 'updated_at')

/** Adds defaults to a trace for fields that the specification makes optional. */
function traceOf({ situation, task, action, ...rest }: Fields): Fields {
  return {
    ...rest,
    situation: { domain: 'general', ...(situation as Fields) },
    task: { goal: '', ...(task as Fields) },
    action: { type: 'unspecified', ...(action as Fields) },
  }
}

/**
 * Returns the input of `kstar:store_skill`. Drops the id, because the book derives it from the name. A skill of the
 * same name is replaced.
 */
function skillOf({ id: _id, definition, ...rest }: Fields): Fields {
  return { ...undated(rest), definition: { procedure: '', ...(definition as Fields) }, replace: true }
}

export const kstarShapes: readonly SeedShape[] = [
  oneCall({
    names: kstar('store_trace'),
    summary: 'Stores a trace: what an agent did, as situation, task, action and result.',
    capability: 'kstar:store_trace',
    input: fields({ situation: object, task: object, action: object, result: object.optional() }),
    wrapped: 'trace',
    to: traceOf,
    answers: idAnswer('trace_id'),
    from: idAs('trace_id'),
  }),
  oneCall({
    names: kstar('get_trace'),
    summary: 'Reads a trace, or null.',
    capability: 'kstar:get_trace',
    input: fields({ trace_id: text }),
    fields: { id: 'trace_id' },
  }),
  listCall({
    names: kstar('query_traces'),
    summary: 'Lists traces by filters.',
    capability: 'kstar:query_traces',
    input: fields({ filters: object.optional(), limit, offset }),
    fields: orderField,
  }),
  listCall({
    names: kstar('search_traces'),
    summary: 'Finds traces by words.',
    capability: 'kstar:search_traces',
    input: fields({ query: text, fields: z.array(text).optional() }),
  }),
  oneCall({
    names: kstar('store_perception'),
    summary: 'Stores an observation about a subject.',
    capability: 'kstar:store_perception',
    input: fields({
      type: text.optional(),
      subject: text.optional(),
      content: text,
      confidence: z.number().min(0).max(1).optional(),
    }),
    wrapped: 'perception',
    to: undated,
    answers: idAnswer('perception_id'),
    from: idAs('perception_id'),
  }),
  listCall({
    names: kstar('get_perceptions'),
    summary: 'Lists the beliefs about a subject, most confident first.',
    capability: 'kstar:get_perceptions',
    input: fields({ subject: text, min_confidence: z.number().min(0).max(1).optional() }),
    fields: { minConfidence: 'min_confidence', includeExpired: 'include_expired' },
  }),
  listCall({
    names: kstar('query_perceptions'),
    summary: 'Lists perceptions by filters and order.',
    capability: 'kstar:query_perceptions',
    input: fields({ filters: object.optional(), order_by: text.optional() }),
    fields: { ...orderField, includeExpired: 'include_expired' },
  }),
  oneCall({
    names: kstar('update_perception'),
    summary: 'Changes fields of a perception.',
    capability: 'kstar:update_perception',
    input: fields({ perception_id: text, updates: object }),
    fields: { id: 'perception_id' },
    answers: z.object({ updated: z.boolean() }),
    from: ({ updated }) => ({ updated }),
  }),
  oneCall({
    names: kstar('store_fact'),
    summary: 'Stores data of a named schema.',
    capability: 'kstar:store_fact',
    input: fields({ schema: text, data: object, source: text.optional() }),
    wrapped: 'fact',
    to: undated,
    answers: idAnswer('fact_id'),
    from: idAs('fact_id'),
  }),
  listCall({
    names: kstar('get_facts'),
    summary: 'Lists the facts of a schema.',
    capability: 'kstar:get_facts',
    input: fields({ schema: text }),
    fields: { includeSuperseded: 'include_superseded' },
  }),
  listCall({
    names: kstar('query_facts'),
    summary: 'Lists facts of a schema that have a value at a JSONPath.',
    capability: 'kstar:query_facts',
    input: fields({ schema: text.optional(), path: text.optional(), value: z.unknown().optional() }),
    fields: { ...orderField, includeSuperseded: 'include_superseded' },
  }),
  oneCall({
    names: kstar('store_skill'),
    summary: 'Stores a skill under its name, or changes the one of that name.',
    capability: 'kstar:store_skill',
    input: fields({ name: text, definition: object }),
    wrapped: 'skill',
    to: skillOf,
    answers: idAnswer('skill_id'),
    from: idAs('skill_id'),
  }),
  oneCall({
    names: kstar('get_skill'),
    summary: 'Reads the skill of a name, or null.',
    capability: 'kstar:get_skill',
    input: fields({ skill_name: text }),
    fields: { skillName: 'skill_name' },
  }),
  oneCall({
    names: kstar('update_skill_maturity', 'kstar:update_skill', 'mcp__kstar__update_skill', 'update_skill'),
    summary: 'Notes whether a use of a skill worked.',
    capability: 'kstar:update_skill_maturity',
    input: fields({ skill_name: text, outcome: z.boolean() }),
    fields: { skillName: 'skill_name' },
    answers: z.object({ skill_id: text, maturity: object }),
    from: ({ id, maturity }) => ({ skill_id: id, maturity }),
  }),
  oneCall({
    names: kstar('register_trace_category'),
    summary: 'Registers what traces of an action in a domain must carry.',
    capability: 'kstar:register_trace_category',
    input: fields({ name: text, domain: text, required_fields: z.array(text) }),
  }),
  oneCall({
    names: kstar('register_token_type'),
    summary: 'Registers a type of control token.',
    capability: 'kstar:register_token_type',
    input: fields({
      name: text,
      description: text.optional(),
      scope_pattern: text,
      required_permissions: z.array(text).optional(),
    }),
  }),
  registerSchemas(),
  memoryQuery(),
]

/** Shape that registers one schema by its name, or several: `{ schemas: { learner_profile: { … } } }`. */
function registerSchemas(): SeedShape {
  const capability = 'kstar:register_schema'
  return {
    names: kstar('register_schema', 'kstar:register_schemas', 'register_schemas'),
    summary: 'Registers the JSON Schema that facts of a name keep to, or several by their names.',
    uses: [capability],
    input: fields({ schemas: z.record(text, object).optional() }),
    answers: object,
    async run({ schemas, ...one }, { call }) {
      if (schemas === undefined) return call(capability, one, 0)
      const registered: unknown[] = []
      for (const [name, schema] of Object.entries(schemas as Fields))
        registered.push(await call(capability, { name, schema }, registered.length))
      return { registered }
    },
  }
}

/** Shape that finds records by filters: of one kind, or of all. With a query the best matches come first. */
function memoryQuery(): SeedShape {
  return {
    names: kstar('query_memory'),
    summary: 'Finds traces, perceptions, facts and all other records by filters, by words, or by both.',
    uses: ['kstar:query_memory', 'kstar:search_memory'],
    input: fields({
      type: text.optional(),
      query: text.optional(),
      /** Filter on `situation.domain` of traces. */
      domain: text.optional(),
      /** Words of the goal; they are the query if `query` is empty. */
      goal: text.optional(),
      filters: object.optional(),
      limit,
      offset,
    }),
    fields: { kind: 'type', ...queryFields },
    answers: z.array(object),
    async run({ type, query, domain, goal, filters, ...page }, { call }) {
      const within = [filters, domain === undefined ? undefined : { 'situation.domain': domain }]
      const conditions = within.filter((one) => one !== undefined)
      const input = {
        ...withOurNames(page, queryFields),
        ...defined({ kind: type }),
        ...(conditions.length === 0 ? {} : { filters: { and: conditions } }),
      }
      const words = [query, goal].find((one) => one !== undefined && one !== '')
      const answer =
        words === undefined
          ? await call('kstar:query_memory', input, 0)
          : await call('kstar:search_memory', { ...input, query: words }, 0)
      return (answer as Fields)['records']
    },
  }
}
