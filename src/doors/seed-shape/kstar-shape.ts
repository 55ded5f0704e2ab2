// Seed shapes of the KSTAR memory for traces, perceptions, facts and skills, from the P3394 memory specification.
// Names: ids of its manifest, methods of its class, tools of its MCP server. `fieldNames` maps the
// capability's name of a field to the shape's.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import {
  idAnswerSchema,
  toIdAnswer,
  inputFields,
  type Fields,
  listShape,
  object,
  singleCallShape,
  type SeedShape,
  text,
  toCapabilityNames,
  without,
  kstarNames,
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

const timeFields = ['created_at', 'updated_at']
/** Removes the times, because the book sets them. */
const withoutTimes = (value: Fields) => without(value, ...timeFields)

/** Adds defaults to a trace for fields that the specification makes optional. */
function toCompleteTrace({ situation, task, action, ...rest }: Fields): Fields {
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
function toSkillInput({ id: _id, definition, ...rest }: Fields): Fields {
  return { ...withoutTimes(rest), definition: { procedure: '', ...(definition as Fields) }, replace: true }
}

export const kstarShapes: readonly SeedShape[] = [
  singleCallShape({
    names: kstarNames('store_trace'),
    summary: 'Stores a trace: what an agent did, as situation, task, action and result.',
    capability: 'kstar:store_trace',
    input: inputFields({ situation: object, task: object, action: object, result: object.optional() }),
    wrapperField: 'trace',
    toCapabilityInput: toCompleteTrace,
    answerSchema: idAnswerSchema('trace_id'),
    toShapeAnswer: toIdAnswer('trace_id'),
  }),
  singleCallShape({
    names: kstarNames('get_trace'),
    summary: 'Reads a trace, or null.',
    capability: 'kstar:get_trace',
    input: inputFields({ trace_id: text }),
    fieldNames: { id: 'trace_id' },
  }),
  listShape({
    names: kstarNames('query_traces'),
    summary: 'Lists traces by filters.',
    capability: 'kstar:query_traces',
    input: inputFields({ filters: object.optional(), limit, offset }),
    fieldNames: orderField,
  }),
  listShape({
    names: kstarNames('search_traces'),
    summary: 'Finds traces by words.',
    capability: 'kstar:search_traces',
    input: inputFields({ query: text, fields: z.array(text).optional() }),
  }),
  singleCallShape({
    names: kstarNames('store_perception'),
    summary: 'Stores an observation about a subject.',
    capability: 'kstar:store_perception',
    input: inputFields({
      type: text.optional(),
      subject: text.optional(),
      content: text,
      confidence: z.number().min(0).max(1).optional(),
    }),
    wrapperField: 'perception',
    toCapabilityInput: withoutTimes,
    ignored: timeFields,
    answerSchema: idAnswerSchema('perception_id'),
    toShapeAnswer: toIdAnswer('perception_id'),
  }),
  listShape({
    names: kstarNames('get_perceptions'),
    summary: 'Lists the beliefs about a subject, most confident first.',
    capability: 'kstar:get_perceptions',
    input: inputFields({ subject: text, min_confidence: z.number().min(0).max(1).optional() }),
    fieldNames: { minConfidence: 'min_confidence', includeExpired: 'include_expired' },
  }),
  listShape({
    names: kstarNames('query_perceptions'),
    summary: 'Lists perceptions by filters and order.',
    capability: 'kstar:query_perceptions',
    input: inputFields({ filters: object.optional(), order_by: text.optional() }),
    fieldNames: { ...orderField, includeExpired: 'include_expired' },
  }),
  singleCallShape({
    names: kstarNames('update_perception'),
    summary: 'Changes fields of a perception.',
    capability: 'kstar:update_perception',
    input: inputFields({ perception_id: text, updates: object }),
    fieldNames: { id: 'perception_id' },
    answerSchema: z.object({ updated: z.boolean() }),
    toShapeAnswer: ({ updated }) => ({ updated }),
  }),
  singleCallShape({
    names: kstarNames('store_fact'),
    summary: 'Stores data of a named schema.',
    capability: 'kstar:store_fact',
    input: inputFields({ schema: text, data: object, source: text.optional() }),
    wrapperField: 'fact',
    toCapabilityInput: withoutTimes,
    ignored: timeFields,
    answerSchema: idAnswerSchema('fact_id'),
    toShapeAnswer: toIdAnswer('fact_id'),
  }),
  listShape({
    names: kstarNames('get_facts'),
    summary: 'Lists the facts of a schema.',
    capability: 'kstar:get_facts',
    input: inputFields({ schema: text }),
    fieldNames: { includeExpired: 'include_expired', includeSuperseded: 'include_superseded' },
  }),
  listShape({
    names: kstarNames('query_facts'),
    summary: 'Lists facts of a schema that have a value at a JSONPath.',
    capability: 'kstar:query_facts',
    input: inputFields({ schema: text.optional(), path: text.optional(), value: z.unknown().optional() }),
    fieldNames: { ...orderField, includeExpired: 'include_expired', includeSuperseded: 'include_superseded' },
  }),
  singleCallShape({
    names: kstarNames('store_skill'),
    summary: 'Stores a skill under its name, or changes the one of that name.',
    capability: 'kstar:store_skill',
    input: inputFields({ name: text, definition: object }),
    wrapperField: 'skill',
    toCapabilityInput: toSkillInput,
    ignored: ['id', ...timeFields],
    answerSchema: idAnswerSchema('skill_id'),
    toShapeAnswer: toIdAnswer('skill_id'),
  }),
  singleCallShape({
    names: kstarNames('get_skill'),
    summary: 'Reads the skill of a name, or null.',
    capability: 'kstar:get_skill',
    input: inputFields({ skill_name: text }),
    fieldNames: { skillName: 'skill_name' },
  }),
  singleCallShape({
    names: kstarNames(
      'update_skill_maturity',
      'kstar:update_skill',
      'mcp__kstar__update_skill',
      'update_skill',
    ),
    summary: 'Notes whether a use of a skill worked.',
    capability: 'kstar:update_skill_maturity',
    input: inputFields({ skill_name: text, outcome: z.boolean() }),
    fieldNames: { skillName: 'skill_name' },
    answerSchema: z.object({ skill_id: text, maturity: object }),
    toShapeAnswer: ({ id, maturity }) => ({ skill_id: id, maturity }),
  }),
  singleCallShape({
    names: kstarNames('register_trace_category'),
    summary: 'Registers what traces of an action in a domain must carry.',
    capability: 'kstar:register_trace_category',
    input: inputFields({ name: text, domain: text, required_fields: z.array(text) }),
  }),
  singleCallShape({
    names: kstarNames('register_token_type'),
    summary: 'Registers a type of control token.',
    capability: 'kstar:register_token_type',
    input: inputFields({
      name: text,
      description: text.optional(),
      scope_pattern: text,
      required_permissions: z.array(text).optional(),
    }),
  }),
  registerSchemaShape(),
  queryMemoryShape(),
]

/** Shape that registers one schema by its name, or several: `{ schemas: { learner_profile: { … } } }`. */
function registerSchemaShape(): SeedShape {
  const capability = 'kstar:register_schema'
  return {
    names: kstarNames('register_schema', 'kstar:register_schemas', 'register_schemas'),
    summary: 'Registers the JSON Schema that facts of a name keep to, or several by their names.',
    capabilities: [capability],
    input: inputFields({ schemas: z.record(text, object).optional() }),
    answerSchema: object,
    async run({ schemas, ...singleSchema }, { call }) {
      if (schemas === undefined) return call(capability, singleSchema, 0)
      const registered: unknown[] = []
      for (const [name, schema] of Object.entries(schemas as Fields))
        registered.push(await call(capability, { name, schema }, registered.length))
      return { registered }
    },
  }
}

/** Shape that finds records by filters: of one kind, or of all. With a query the best matches come first. */
function queryMemoryShape(): SeedShape {
  return {
    names: kstarNames('query_memory'),
    summary: 'Finds traces, perceptions, facts and all other records by filters, by words, or by both.',
    capabilities: ['kstar:query_memory', 'kstar:search_memory'],
    passesTo: ['kstar:query_memory', 'kstar:search_memory'],
    input: inputFields({
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
    fieldNames: { kind: 'type', ...queryFields },
    answerSchema: z.array(object),
    async run({ type, query, domain, goal, filters, ...page }, { call }) {
      const optionalConditions = [filters, domain === undefined ? undefined : { 'situation.domain': domain }]
      const conditions = optionalConditions.filter((one) => one !== undefined)
      const input = {
        ...toCapabilityNames(page, queryFields),
        ...defined({ kind: type }),
        ...(conditions.length === 0 ? {} : { filters: { and: conditions } }),
      }
      const searchText = [query, goal].find((one) => one !== undefined && one !== '')
      const answer =
        searchText === undefined
          ? await call('kstar:query_memory', input, 0)
          : await call('kstar:search_memory', { ...input, query: searchText }, 0)
      return (answer as Fields)['records']
    },
  }
}
