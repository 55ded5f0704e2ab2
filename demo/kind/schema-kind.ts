// Registered schemas as the inspector shows them: what facts of a name must keep to.
import type { FactSchema } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

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
