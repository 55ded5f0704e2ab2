// The verbs that read control tokens: verify one, read its chain, list them. A guest sees only its own chain,
// without hashes and signatures (`viewFor`). `readVerb`: every caller with the right to read may call.
import { z } from 'zod'
import type { CallPort } from '../core/capability/context.ts'
import type { Guest } from '../core/capability/caller.ts'
import type { Ledger } from '../core/capability/port/record-port.ts'
import { defined } from '../core/defined.ts'
import { DaybookError } from '../core/errors.ts'
import { type ControlToken, shownToken, tokenId, tokenType } from './token-schema.ts'
import {
  createVerifier,
  isInChainOf,
  tokenFaults,
  viewFor,
  tokenStateOf,
  tokenStates,
  verifyToken,
} from './verify-token.ts'
import { cursor, limit, nextOf } from '../shape/page.ts'
import { readVerb } from '../shape/record-verbs.ts'

const guestOf = ({ caller }: Pick<CallPort, 'caller'>): Guest | undefined =>
  caller.role === 'guest' ? caller : undefined

/** `pending`: not yet valid. `foreign`: not valid here, such as a token of another book. */
const tokenWithState = shownToken.extend({ state: z.enum(tokenStates) })

export const tokenReadCapabilities = [
  readVerb({
    id: 'kstar:verify_control_token',
    method: 'tokens.verify',
    summary:
      'Checks whether a token is valid for a scope, and optionally a permission; if not, gives the reason.',
    input: z.strictObject({
      token_id: z.string().max(200),
      scope: z.string().max(1000),
      permission: z.string().max(200).optional(),
    }),
    output: z.object({
      valid: z.boolean(),
      reason: z.enum(tokenFaults).optional(),
      token: shownToken.optional(),
    }),
    uses: ['trust'],
    async run({ token_id, scope, permission }, at) {
      const guest = guestOf(at.call)
      const verifier = createVerifier(at.trust)
      const storedToken = verifier.find(token_id)
      const token =
        storedToken && (!guest || isInChainOf(storedToken, guest, verifier.find)) ? storedToken : undefined
      const reason = await verifyToken(token, { scope, permission }, at.trust.time(), verifier)
      if (reason) return { valid: false, reason }
      return { valid: true, ...(token ? { token: viewFor(guest, token) } : {}) }
    },
  }),
  readVerb({
    id: 'kstar:get_token_lineage',
    method: 'tokens.lineage',
    summary:
      'Reads a token and then its ancestors, the nearest first, with the state of each; empty without such a token.',
    input: z.strictObject({ token_id: tokenId }),
    output: z.object({ tokens: z.array(tokenWithState) }),
    uses: ['trust'],
    run({ token_id }, at) {
      const guest = guestOf(at.call)
      const verifier = createVerifier(at.trust)
      const { find } = verifier
      const token = find(token_id)
      if (!token || (guest && !isInChainOf(token, guest, find))) return { tokens: [] }
      const chain = [token, ...token.delegation_chain.flatMap((id) => find(id) ?? [])]
      return {
        tokens: chain.map((link) => ({
          ...viewFor(guest, link),
          state: tokenStateOf(link, verifier, at.trust.time()),
        })),
      }
    },
  }),
  readVerb({
    id: 'kstar:list_tokens_by_type',
    method: 'tokens.list',
    summary: 'Lists tokens, of one type or of all, the newest first, with the state of each.',
    input: z
      .strictObject({
        type: tokenType.optional(),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({
      tokens: z.array(tokenWithState),
      cursor: z.string().optional(),
    }),
    uses: ['trust'],
    run({ type, limit, cursor }, at) {
      const guest = guestOf(at.call)
      const verifier = createVerifier(at.trust)
      const { find } = verifier
      const filters = {
        ...defined({ type }),
        ...(guest ? chainFilter(guest, find) : {}),
      }
      const query = { kind: 'token', filters, limit, cursor } as const
      const page = guest ? guestPage(at.trust.ledger, query) : at.trust.ledger.query(query)
      const tokens = page.records.flatMap((record) => {
        const token = find(record.id)
        return token
          ? [{ ...viewFor(guest, token), state: tokenStateOf(token, verifier, at.trust.time()) }]
          : []
      })
      return { tokens, ...nextOf(page) }
    },
  }),
] as const

type LedgerQuery = Parameters<Ledger['query']>[0] & { readonly limit: number }

/** A page for a guest. Its cursor is the id of the last token: the ledger's cursor reveals how many records exist. */
function guestPage(ledger: Ledger, { limit: most, cursor: after, ...query }: LedgerQuery) {
  const own: ReturnType<Ledger['query']>['records'][number][] = []
  let next: string | undefined
  do {
    const page = ledger.query({ ...query, limit: 1000, cursor: next })
    own.push(...page.records)
    next = page.cursor
  } while (next !== undefined)
  const first = after === undefined ? 0 : own.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && first === 0)
    throw new DaybookError('invalid-filter', 'The cursor belongs to another query. Start again without it.', {
      details: { path: 'cursor' },
    })
  const records = own.slice(first, first + most)
  return { records, ...defined({ cursor: own.length > first + most ? records.at(-1)?.id : undefined }) }
}

/** Filters for the guest's token, its ancestors and its descendants. */
function chainFilter(guest: Guest, find: (id: string) => ControlToken | undefined) {
  const chainIds = [guest.token, ...(find(guest.token)?.delegation_chain ?? [])]
  return { or: [{ token_id: { in: chainIds } }, { delegation_chain: { contains: guest.token } }] }
}
