// The kind `fact`: declarative memory, data of a named schema.
import { type Kind, whenField } from '../../core/kind.ts'
import { factBody, type FactBody } from './fact-schema.ts'

export const factKind: Kind<'fact', FactBody> = {
  name: 'fact',
  complete: (body) => ({ verified: false, ...body }),
  summary: 'Data of a named schema, with its source; it may stand in the place of an earlier fact.',
  version: 1,
  schema: factBody,
  text: [whenField, 'schema', 'data', 'source'],
  names: ['data.name', 'data.title', 'data.canonical_name', 'data.aliases'],
  facets: { schema: 'schema' },
  scopedBy: 'schema',
  // The other side is taken to be the authority on facts.
  policy: 'remote_wins',
  links: ['supersedes'],
  guardedBy: ['supersedes'],
  cites: [{ path: 'supersedes', supersedes: true }],
}
