// Trace categories (required fields of traces, by action and domain) and schemas of facts, as the inspector shows them.
import type { FactSchema, TraceCategory } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

export const categoryKind: RecordKind<TraceCategory> = {
  view: 'categories',
  name: 'trace_category',
  one: 'category',
  many: 'categories',
  order: 'newest first',
  fields: {
    name: { type: 'text', name: 'Action', path: 'name' },
    domain: { type: 'text', name: 'Domain', path: 'domain' },
  },
  timePath: 'created_at',
  glance: 'Open a category to see which fields its traces need.',
  cites: [],
  row: (category) => ({
    id: category.id,
    at: category.updated_at,
    mark: 'definition',
    title: category.name,
    lead: oneLine(category.required_fields.join(', '), 160) || 'nothing required',
    rest: '',
    aside: oneLine(category.domain, 60),
    seen: { name: [category.name], domain: [category.domain] },
  }),
}

export const schemaKind: RecordKind<FactSchema> = {
  view: 'schemas',
  name: 'fact_schema',
  one: 'schema',
  many: 'schemas',
  order: 'newest first',
  fields: {
    name: { type: 'text', name: 'Name', path: 'name' },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
  },
  timePath: 'created_at',
  glance: 'Open a schema to see its fields and rules.',
  cites: [],
  row: (schema) => ({
    id: schema.id,
    at: schema.updated_at,
    mark: 'definition',
    title: schema.name,
    lead: `version ${schema.version}`,
    rest: oneLine(schema.description ?? '', 120),
    isProse: true,
    aside: '',
    seen: { name: [schema.name], agent: [schema.agent] },
  }),
}
