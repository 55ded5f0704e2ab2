// Control tokens and registered token types as the inspector shows them.
import type { CapabilityOutput, Daybook, TokenType } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import type { FilterFields } from './filter-field.ts'
import type { BookRecord, RecordKind } from './record-kind.ts'

type Claims = CapabilityOutput<'kstar:get_token_lineage'>['tokens'][number]
export type TokenState = 'active' | 'revoked' | 'expired' | 'pending' | 'foreign'

/** A token with its state: a revoked or expired ancestor ends it too. */
export type Token = BookRecord & Claims & { readonly state?: TokenState }

const instantNow = () => new Date().toISOString()

const fields = {
  state: {
    type: 'choice',
    name: 'State',
    choices: [
      {
        value: 'active',
        word: 'active',
        get filters() {
          const now = instantNow()
          const begun = [{ not_before: { exists: false } }, { not_before: { lte: now } }]
          return { and: [{ revoked: false }, { expires_at: { gt: now } }, { or: begun }] }
        },
      },
      {
        value: 'pending',
        word: 'not yet valid',
        get filters() {
          return { not_before: { gt: instantNow() } }
        },
      },
      {
        value: 'expired',
        word: 'expired',
        get filters() {
          return { expires_at: { lte: instantNow() } }
        },
      },
      { value: 'revoked', word: 'revoked', filters: { revoked: true } },
    ],
  },
  type: { type: 'text', name: 'Type', path: 'type' },
  holder: { type: 'text', name: 'Holder', path: 'granted_to' },
  scope: { type: 'text', name: 'Scope', path: 'scope' },
  permission: { type: 'text', name: 'Permission', path: 'permissions', isList: true },
  time: { type: 'time', name: 'Granted', path: 'granted_at' },
} satisfies FilterFields

/** The state of a token, without its ancestors. */
export function ownState(
  { revoked, expires_at: until, not_before: from }: Claims,
  nowMs = Date.now(),
): TokenState {
  if (revoked) return 'revoked'
  if (Date.parse(until) <= nowMs) return 'expired'
  return from !== undefined && Date.parse(from) > nowMs ? 'pending' : 'active'
}

/** Adds the state that the book computes from a token's ancestors and signer. */
export function withState(book: Daybook, tokens: readonly Token[]): Promise<Token[]> {
  return Promise.all(
    tokens.map(async (token) => {
      const [own] = (await book.tokens.lineage({ token_id: token.token_id })).tokens
      return { ...token, state: own?.state ?? ownState(token) }
    }),
  )
}

export const tokenKind: RecordKind<Token> = {
  view: 'tokens',
  name: 'token',
  one: 'token',
  many: 'tokens',
  order: 'newest first',
  fields,
  timePath: 'granted_at',
  glance: 'Open a token to see its permissions, its lineage, and what its holder can see.',
  cites: [],
  row: (token) => ({
    id: token.id,
    at: token.granted_at,
    mark: token.state ?? ownState(token),
    title: oneLine(token.granted_to, 120),
    lead: oneLine(token.scope, 80),
    rest: oneLine(token.permissions.join(', '), 80),
    aside: oneLine(token.type.replaceAll('_', ' '), 40),
    seen: {
      type: [token.type],
      holder: [token.granted_to],
      scope: [token.scope],
      permission: token.permissions,
    },
  }),
  async query(book, { options: _options, ...ask }, abort) {
    const found = await book.records.query({ kind: 'token', ...ask }, abort)
    return { ...found, records: await withState(book, found.records as unknown as Token[]) }
  },
  async complete(book, token) {
    const [completed] = await withState(book, [token])
    return completed ?? token
  },
}

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
