// Registered token types as the inspector shows them: the pattern of their scope and the permissions they need.
import type { TokenType } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

export const tokenTypeKind: RecordKind<TokenType> = {
  view: 'tokenTypes',
  name: 'token_type',
  one: 'token type',
  many: 'token types',
  order: 'newest first',
  fields: { name: { type: 'text', name: 'Name', path: 'name' } },
  timePath: 'created_at',
  glance: 'Open a type to see what its tokens require.',
  cites: [],
  row: (type) => ({
    id: type.id,
    at: type.updated_at,
    mark: 'definition',
    title: type.name,
    lead: oneLine(type.scope_pattern, 80),
    rest: oneLine(type.description, 120),
    isProse: true,
    aside: oneLine(type.required_permissions.join(', '), 60),
    seen: { name: [type.name] },
  }),
}
