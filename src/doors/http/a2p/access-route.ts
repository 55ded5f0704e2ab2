// Routes of the a2p protocol about access: an agent asks to read, sees its receipts, and the user takes one back.
import { z } from 'zod'
import { DaybookError } from '../../../core/errors.ts'
import { didOfAgent } from '../../../shape/a2p-did.ts'
import { type A2pRoute, type Asked, bodyOf, type Given, present, readBody } from './route.ts'

/** What an agent says it asks for. The rest of the schema's purpose binds the agent, and is told back to nobody. */
const accessBody = z.looseObject({
  scopes: z.array(z.string().max(512)).min(1).max(100),
  purpose: z.looseObject({
    type: z.string().max(100),
    description: z.string().max(500).optional(),
    legalBasis: z.string().max(100).optional(),
  }),
  agentDid: z.string().max(1000).optional(),
  userDid: z.string().max(1000).optional(),
})

/** A request speaks for whoever signed it, and of the profile that it is sent to. */
function checkNames({ agentDid, userDid }: z.output<typeof accessBody>, asked: Asked): void {
  const isOther = agentDid !== undefined && asked.signer !== undefined && agentDid !== asked.signer
  if (!isOther && (userDid === undefined || userDid === asked.userDid)) return
  const path = isOther ? 'agentDid' : 'userDid'
  throw new DaybookError('forbidden', `\`${path}\`: It is another one than the request is signed for.`, {
    details: { path },
  })
}

/** A receipt as the protocol's schema has it. */
function tellReceipt(receipt: Given, userDid: string): Given {
  const { purpose = {}, retention } = receipt
  const { type, description, legal_basis } = purpose as Given
  return present({
    receiptId: receipt['id'],
    userDid,
    agentDid: didOfAgent(String(receipt['granted_to'])),
    grantedScopes: receipt['scopes'],
    deniedScopes: receipt['denied'],
    permissions: receipt['permissions'],
    purpose: present({ type, description, legalBasis: legal_basis }),
    consentMethod: receipt['method'],
    grantedAt: receipt['granted_at'],
    expiresAt: receipt['expires_at'],
    status: receipt['state'],
    revokedAt: receipt['revoked_at'],
    retention,
  })
}

export const accessRoutes: readonly A2pRoute[] = [
  {
    method: 'POST',
    path: '/profile/:did/access',
    operation: 'consent',
    capability: 'consent:request',
    input(asked) {
      const body = readBody(accessBody, asked)
      checkNames(body, asked)
      const { type, description, legalBasis } = body.purpose
      return {
        scopes: body.scopes,
        purpose: present({ type, description: description || type, legal_basis: legalBasis }),
      }
    },
    answer({ status, receipt, request }, asked) {
      if (receipt !== undefined) return { data: tellReceipt(receipt as Given, asked.userDid) }
      const { id, scopes } = (request ?? {}) as Given
      const isDenied = status === 'denied'
      throw new DaybookError(
        isDenied ? 'forbidden' : 'consent-required',
        isDenied
          ? 'The user has denied it.'
          : 'The user is asked whether to consent: ask again for the same once that is decided.',
        { details: { deniedScopes: scopes, requestId: id, status } },
      )
    },
  },
  {
    method: 'GET',
    path: '/profile/:did/receipts',
    operation: 'other',
    capability: 'consent:receipts',
    input: (asked) => present({ state: asked.query('status'), agent: asked.query('agent') }),
    answer({ receipts }, asked) {
      const told = (receipts as readonly Given[]).map((one) => tellReceipt(one, asked.userDid))
      return { data: told, meta: { count: told.length } }
    },
  },
  {
    method: 'POST',
    path: '/profile/:did/receipts/:id/revoke',
    operation: 'consent',
    capability: 'consent:revoke',
    input: (asked) => ({ ...bodyOf(asked), id: asked.param('id') }),
    answer: ({ receipt }, asked) => ({ data: tellReceipt(receipt as Given, asked.userDid) }),
  },
]
