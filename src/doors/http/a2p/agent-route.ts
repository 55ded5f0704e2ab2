// Routes of the a2p protocol about agents: the owner registers one by its public key, it is looked up, its key is withdrawn.
import { z } from 'zod'
import { DaybookError } from '../../../core/errors.ts'
import { toBase64 } from '../../../shape/encoded-bytes.ts'
import { fromDidKey } from '../../../shape/did-key.ts'
import { type A2pRoute, type Given, present, readBody, wrongField } from './route.ts'

const registerBody = z.strictObject({
  did: z.string().max(1000),
  publicKey: z.string().max(200).optional(),
  keyType: z.literal('Ed25519').optional(),
  /** Keys are made where they are used: nobody else ever has one. */
  generateKeys: z.boolean().optional(),
  name: z.string().max(1000).optional(),
  description: z.string().max(10_000).optional(),
})

/** An agent as the protocol's profile of one says it, with the key that its requests are signed by. */
function tellAgent(agent: Given): Given {
  const { did, key, name, description, registered_at, state, revoked_at } = agent
  const bytes = fromDidKey(String(key))
  return present({
    id: did,
    profileType: 'agent',
    identity: present({ did, name: name ?? did, description }),
    publicKey: bytes && toBase64(bytes),
    keyType: 'Ed25519',
    status: state,
    registeredAt: registered_at,
    revokedAt: revoked_at,
  })
}

const noAgent = () =>
  new DaybookError('not-found', 'There is no agent of this DID.', { details: { path: 'did' } })

export const agentRoutes: readonly A2pRoute[] = [
  {
    method: 'POST',
    path: '/agents/register',
    operation: 'policy',
    capability: 'a2p:register_agent',
    input(asked) {
      const { did, publicKey, generateKeys, name, description } = readBody(registerBody, asked)
      if (generateKeys === true)
        throw wrongField('generateKeys', 'Make the keys where the agent runs, and send the public one')
      return present({ did, public_key: publicKey, name, description })
    },
    answer: ({ changed, ...agent }) => ({ status: changed === true ? 201 : 200, data: tellAgent(agent) }),
  },
  {
    method: 'GET',
    path: '/agents/:did',
    operation: 'other',
    capability: 'a2p:get_agent',
    input: (asked) => ({ did: asked.param('did') }),
    answer(agent) {
      if ((agent as unknown) === null) throw noAgent()
      return { data: tellAgent(agent) }
    },
  },
  {
    method: 'POST',
    path: '/agents/:did/revoke',
    operation: 'policy',
    capability: 'a2p:revoke_agent',
    input: (asked) => ({ did: asked.param('did') }),
    answer({ revoked, revoked_at }, asked) {
      if (revoked !== true) throw noAgent()
      return { data: { id: asked.param('did'), status: 'revoked', revokedAt: revoked_at } }
    },
  },
]
