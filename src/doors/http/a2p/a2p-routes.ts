// Routes of the a2p protocol: profiles, memories and proposals; access and receipts; agents. `sealed` in an
// answer: number of records that the mirror can't read.
import { z } from 'zod'
import { defined } from '../../../core/defined.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import {
  type A2pRoute,
  type A2pRequest,
  bodyOf,
  parseCount,
  type A2pFields,
  parseBody,
  renameField,
} from './route.ts'
import { didOfAgent, fromDidKey } from '../../../shape/did.ts'
import { toBase64 } from '../../../shape/encoded-bytes.ts'

const defaultPageSize = 50
/** An offset reaches only so many memories, because one call returns no more. A page's cursor continues after them. */
const maxReachableMemories = 1000

const textSchema = z.string().max(100_000)
export const reviewBody = z.strictObject({
  action: z.enum(['approve', 'reject', 'edit']),
  editedContent: textSchema.optional(),
  editedCategory: textSchema.optional(),
  editedMemoryType: textSchema.optional(),
  reason: textSchema.optional(),
  /** True: the approver accepts that the text contains invisible characters. */
  despiteHidden: z.boolean().optional(),
})

/** Returns the input of `a2p:review`. An approval with edited fields becomes the action `edit`. */
function toReviewInput(request: A2pRequest): A2pFields {
  const { action, editedContent, editedCategory, editedMemoryType, reason, despiteHidden } = parseBody(
    reviewBody,
    request,
  )
  const edited = defined({ content: editedContent, category: editedCategory, memory_type: editedMemoryType })
  const isEdited = action !== 'reject' && Object.keys(edited).length > 0
  return defined({
    id: request.param('id'),
    action: isEdited ? 'edit' : action,
    ...(isEdited ? { edited } : {}),
    reason,
    despiteHidden,
  })
}

/** Renames `memoryType`, which clients may send, to `memory_type`. */
const withMemoryType = (body: A2pFields) => renameField(body, 'memoryType', 'memory_type')

/** The protocol has no status `edited`. */
const toProtocolStatus = (status: unknown) => (status === 'edited' ? 'approved' : status)

export const memoryRoutes: readonly A2pRoute[] = [
  {
    method: 'GET',
    path: '/profile/:did',
    operation: 'read',
    capability: 'a2p:get_profile',
    input: (request) => defined({ did: request.userDid, scopes: splitAtCommas(request.query('scopes')) }),
    answer: ({ sealed, ...profile }) => ({ data: profile, meta: defined({ sealed }) }),
  },
  {
    method: 'GET',
    path: '/profile/:did/memories',
    operation: 'read',
    capability: 'a2p:query_memories',
    input: (request) => {
      const { limit, offset, cursor } = parsePage(request)
      return defined({
        category: request.query('category'),
        memory_type: request.query('memory_type'),
        status: request.query('status'),
        sensitivity: request.query('sensitivity'),
        // The capability knows no offset: read up to the end of the page, so that the cursor continues after the page.
        limit: Math.max(1, Math.min(maxReachableMemories, offset + limit)),
        cursor,
      })
    },
    answer({ memories, cursor: next, sealed }, request) {
      const { limit, offset } = parsePage(request)
      const allMemories = memories as readonly A2pFields[]
      const page = allMemories.slice(offset, offset + limit)
      const more = next !== undefined || allMemories.length > offset + page.length
      const cursor = limit === 0 ? undefined : next
      return { data: page, meta: defined({ count: page.length, limit, offset, more, cursor, sealed }) }
    },
  },
  {
    method: 'POST',
    path: '/profile/:did/memories',
    operation: 'write',
    capability: 'a2p:store_memory',
    input: (request) => withMemoryType(bodyOf(request)),
    answer: ({ id, result, storedAt }) => ({
      status: result === 'unchanged' ? 200 : 201,
      data: { memoryId: id, status: 'approved', result, storedAt },
    }),
  },
  {
    method: 'POST',
    path: '/profile/:did/memories/propose',
    operation: 'propose',
    capability: 'a2p:propose',
    input: (request) => withMemoryType(bodyOf(request)),
    // A retry that finds its pending proposal gets the same answer.
    answer: ({ id, result, status, proposedAt, expiresAt, hidden }) => ({
      status: 201,
      data: { proposalId: id, status, expiresAt, createdAt: proposedAt, result, hidden },
    }),
  },
  {
    method: 'GET',
    path: '/profile/:did/proposals',
    operation: 'other',
    capability: 'a2p:list_proposals',
    input: (request) =>
      defined({
        status: request.query('status'),
        agent: request.query('agent'),
        form: request.query('form'),
        limit: Math.max(1, parseCount(request, 'limit', { defaultCount: 100, max: maxReachableMemories })),
        cursor: request.query('cursor'),
      }),
    answer: ({ proposals, cursor, sealed }) => ({
      data: proposals,
      meta: defined({ count: (proposals as readonly unknown[]).length, cursor, sealed }),
    }),
  },
  {
    method: 'GET',
    path: '/profile/:did/proposals/:id',
    operation: 'other',
    capability: 'a2p:list_proposals',
    input: (request) => defined({ id: request.param('id'), form: request.query('form') }),
    answer({ proposals }) {
      const [data] = proposals as readonly unknown[]
      if (data === undefined) throw new DaybookError('not-found', 'There is no such proposal.')
      return { data }
    },
  },
  {
    method: 'POST',
    path: '/profile/:did/proposals/:id/review',
    operation: 'write',
    capability: 'a2p:review',
    input: toReviewInput,
    answer: ({ id, status, memory, reopenUntil }) => ({
      data: defined({
        proposalId: id,
        status: toProtocolStatus(status),
        memoryId: memory,
        edited: status === 'edited' ? true : undefined,
        reopenUntil,
      }),
    }),
    convertError: (error) =>
      error.code === 'conflict'
        ? new DaybookError('conflict', `Proposal already reviewed: ${error.message}`, {
            details: error.details,
          })
        : error,
  },
  {
    method: 'POST',
    path: '/profile/:did/proposals/:id/withdraw',
    operation: 'write',
    capability: 'a2p:withdraw',
    input: (request) => ({ ...bodyOf(request), id: request.param('id') }),
    answer: ({ id, status }) => ({ data: { proposalId: id, status } }),
  },
]

/** Splits a text at commas, and trims each part. */
function splitAtCommas(value: string | undefined): string[] | undefined {
  if (value === undefined) return undefined
  return value.split(',').map((one) => one.trim())
}

interface MemoryPage {
  readonly limit: number
  readonly offset: number
  readonly cursor: string | undefined
}

function parsePage(request: A2pRequest): MemoryPage {
  const limit = parseCount(request, 'limit', { defaultCount: defaultPageSize, max: maxReachableMemories })
  const offset = parseCount(request, 'offset', { defaultCount: 0, max: maxReachableMemories })
  const cursor = request.query('cursor')
  if (cursor !== undefined && offset > 0) throw invalidInput('offset', 'A cursor has its own place')
  return { limit, offset, cursor }
}

/** Body of an agent's request for access. Other fields are accepted and ignored. */
export const accessBody = z.looseObject({
  scopes: z.array(z.string().max(512)).min(1).max(100),
  purpose: z.looseObject({
    type: z.string().max(100),
    description: z.string().max(500).optional(),
    legalBasis: z.string().max(100).optional(),
  }),
  agentDid: z.string().max(1000).optional(),
  userDid: z.string().max(1000).optional(),
})

/** Throws `forbidden` if the body names another agent than the signer, or another user than the address. */
function assertNamesMatch({ agentDid, userDid }: z.output<typeof accessBody>, request: A2pRequest): void {
  const isOther = agentDid !== undefined && request.signer !== undefined && agentDid !== request.signer
  if (!isOther && (userDid === undefined || userDid === request.userDid)) return
  const path = isOther ? 'agentDid' : 'userDid'
  throw new DaybookError('forbidden', `\`${path}\`: The request is signed for another one.`, {
    details: { path },
  })
}

/** Converts a receipt to the protocol's shape. */
function toProtocolReceipt(receipt: A2pFields, userDid: string): A2pFields {
  const { purpose = {}, retention } = receipt
  const { type, description, legalBasis } = purpose as A2pFields
  return defined({
    receiptId: receipt['id'],
    userDid,
    agentDid: didOfAgent(String(receipt['grantedTo'])),
    grantedScopes: receipt['scopes'],
    deniedScopes: receipt['denied'],
    permissions: receipt['permissions'],
    purpose: defined({ type, description, legalBasis }),
    consentMethod: receipt['method'],
    grantedAt: receipt['grantedAt'],
    expiresAt: receipt['expiresAt'],
    status: receipt['state'],
    revokedAt: receipt['revokedAt'],
    retention,
  })
}

export const accessRoutes: readonly A2pRoute[] = [
  {
    method: 'POST',
    path: '/profile/:did/access',
    operation: 'consent',
    capability: 'consent:request',
    input(request) {
      const body = parseBody(accessBody, request)
      assertNamesMatch(body, request)
      const { type, description, legalBasis } = body.purpose
      return {
        scopes: body.scopes,
        purpose: defined({ type, description: description || type, legalBasis }),
      }
    },
    answer({ status, receipt, request: pending }, request) {
      if (receipt !== undefined) return { data: toProtocolReceipt(receipt as A2pFields, request.userDid) }
      const { id, scopes } = (pending ?? {}) as A2pFields
      const isDenied = status === 'denied'
      throw new DaybookError(
        isDenied ? 'forbidden' : 'consent-required',
        isDenied
          ? 'The user denied the request.'
          : 'The user has not decided yet: send the same request again later.',
        { details: { deniedScopes: scopes, requestId: id, status } },
      )
    },
  },
  {
    method: 'GET',
    path: '/profile/:did/receipts',
    operation: 'other',
    capability: 'consent:receipts',
    input: (request) => defined({ state: request.query('status'), agent: request.query('agent') }),
    answer({ receipts }, request) {
      const data = (receipts as readonly A2pFields[]).map((one) => toProtocolReceipt(one, request.userDid))
      return { data, meta: { count: data.length } }
    },
  },
  {
    method: 'POST',
    path: '/profile/:did/receipts/:id/revoke',
    operation: 'consent',
    capability: 'consent:revoke',
    input: (request) => ({ ...bodyOf(request), id: request.param('id') }),
    answer: ({ receipt }, request) => ({ data: toProtocolReceipt(receipt as A2pFields, request.userDid) }),
  },
]

export const registerBody = z.strictObject({
  did: z.string().max(1000),
  publicKey: z.string().max(200).optional(),
  keyType: z.literal('Ed25519').optional(),
  /** True is refused: an agent creates its own keys, so that no other party has them. */
  generateKeys: z.boolean().optional(),
  name: z.string().max(1000).optional(),
  description: z.string().max(10_000).optional(),
})

/** Converts an agent to the protocol's shape, with its public key in base64. */
function toProtocolAgent(agent: A2pFields): A2pFields {
  const { did, key, name, description, registeredAt, state, revokedAt } = agent
  const bytes = fromDidKey(String(key))
  return defined({
    id: did,
    profileType: 'agent',
    identity: defined({ did, name: name ?? did, description }),
    publicKey: bytes && toBase64(bytes),
    keyType: 'Ed25519',
    status: state,
    registeredAt,
    revokedAt,
  })
}

const noAgentError = () =>
  new DaybookError('not-found', 'There is no agent with this DID.', { details: { path: 'did' } })

export const agentRoutes: readonly A2pRoute[] = [
  {
    method: 'POST',
    path: '/agents/register',
    operation: 'policy',
    capability: 'a2p:register_agent',
    input(request) {
      const { did, publicKey, generateKeys, name, description } = parseBody(registerBody, request)
      if (generateKeys === true)
        throw invalidInput('generateKeys', 'Make the keys where the agent runs, and send the public one')
      return defined({ did, publicKey, name, description })
    },
    answer: ({ changed, ...agent }) => ({
      status: changed === true ? 201 : 200,
      data: toProtocolAgent(agent),
    }),
  },
  {
    method: 'GET',
    path: '/agents/:did',
    operation: 'other',
    capability: 'a2p:get_agent',
    input: (request) => ({ did: request.param('did') }),
    answer(agent) {
      if ((agent as unknown) === null) throw noAgentError()
      return { data: toProtocolAgent(agent) }
    },
  },
  {
    method: 'POST',
    path: '/agents/:did/revoke',
    operation: 'policy',
    capability: 'a2p:revoke_agent',
    input: (request) => ({ did: request.param('did') }),
    answer({ revoked, revokedAt }, request) {
      if (revoked !== true) throw noAgentError()
      return { data: { id: request.param('did'), status: 'revoked', revokedAt } }
    },
  },
]
