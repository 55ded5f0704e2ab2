// Trace categories as the inspector shows them: which fields traces of an action in a domain must carry.
import type { TraceCategory } from '../../src/index.ts'
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
