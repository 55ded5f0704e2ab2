// Facts as the inspector shows them: data of named schemas. Superseded facts are left out unless chosen.
import { type FilterFields, type ListOptions, order, orderField } from './filter-field.ts'
import type { CapabilityInput, Daybook, Fact } from '../../src/index.ts'
import { valueLine } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

/** A fact, and whether another one supersedes it, which its own record does not have. */
export type ShownFact = Fact & { readonly isSuperseded?: boolean }

const fields = {
  schema: { type: 'text', name: 'Schema', path: 'schema' },
  data: {
    type: 'text',
    name: 'Data',
    path: 'data',
    ask: { hint: 'A JSONPath, alone or with a value: $.score = 85', options: pathOptions },
  },
  verified: {
    type: 'choice',
    name: 'Verified',
    choices: [
      { value: 'yes', word: 'verified', filters: { verified: true } },
      { value: 'no', word: 'not verified', filters: { verified: false } },
    ],
  },
  superseded: {
    type: 'choice',
    name: 'Superseded',
    choices: [{ value: 'shown', word: 'shown too', options: { includeSuperseded: true } }],
  },
  source: { type: 'text', name: 'Source', path: 'source' },
  agent: { type: 'text', name: 'Agent', path: 'agent' },
  time: { type: 'time', name: 'Stored', path: 'created_at' },
  order: orderField(
    'created_at',
    order('schema', 'by schema', 'schema'),
    order('source', 'by source', 'source'),
  ),
} satisfies FilterFields

export type FactField = keyof typeof fields

/** `$.a.b = 85` requires that value, `$.a.b` any. A value that is no JSON is text. */
export function pathOptions(input: string): ListOptions {
  const [, path = input, text] = /^(.*?)\s*=\s*(.*)$/.exec(input) ?? []
  if (text === undefined) return { path: path.trim() }
  return { path: path.trim(), value: scalarOf(text.trim()) }
}

function scalarOf(text: string): string | number | boolean | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? text : (value as string | number | boolean | null)
  } catch {
    return text
  }
}

/** Adds to each fact whether another one supersedes it. */
async function withStanding(book: Daybook, facts: readonly Fact[]): Promise<ShownFact[]> {
  if (facts.length === 0) return []
  const filters = { id: { in: facts.map(({ id }) => id) } }
  const { records } = await book.facts.query({ filters, includeExpired: true, limit: facts.length })
  const current = new Set(records.map(({ id }) => id))
  return facts.map((fact) => ({ ...fact, isSuperseded: !current.has(fact.id) }))
}

export const factKind: RecordKind<ShownFact> = {
  view: 'facts',
  name: 'fact',
  one: 'fact',
  many: 'facts',
  order: 'newest first',
  fields,
  timePath: 'created_at',
  hides: true,
  glance: 'Open a fact to see its data, its schema and its previous values.',
  searched: 'Search looks at the data with its field names, the schema, the source and the day of each fact.',
  cites: [{ path: 'supersedes', to: 'Supersedes', from: 'Superseded by' }],
  replace: (book, id, content) => book.facts.store({ ...content, id } as CapabilityInput<'kstar:store_fact'>),
  row(fact) {
    const [first, ...others] = Object.entries(fact.data)
    const title = first
      ? [first, ...others].slice(0, 4).map(([name, value]) => `${name}: ${valueLine(value, 80)}`)
      : []
    const more = others.length - 3
    return {
      id: fact.id,
      at: fact.created_at,
      mark: fact.isSuperseded ? 'superseded' : fact.verified ? 'verified' : 'unverified',
      title: `${title.join(' · ')}${more > 0 ? ` · ${more} more` : ''}` || '(no data)',
      lead: valueLine(fact.schema, 60),
      rest: fact.schema_version === undefined ? 'not checked' : `version ${fact.schema_version}`,
      aside: valueLine(fact.source ?? '', 40),
      seen: {
        schema: [valueLine(fact.schema, 60)],
        source: [valueLine(fact.source ?? '', 60)],
        agent: [fact.agent],
      },
    }
  },
  async query(book, { options, ...ask }, abort) {
    const found = await book.facts.query({ ...ask, ...options }, abort)
    const records = options.includeSuperseded ? await withStanding(book, found.records) : found.records
    return { ...found, records }
  },
  async complete(book, fact) {
    const [completed] = await withStanding(book, [fact])
    return completed ?? fact
  },
}
