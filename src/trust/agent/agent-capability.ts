// The verbs of agents that are known by name: register one, look it up, list them, withdraw a key. All but looking oneself up
// is the owner's.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { fromBase64, fromBase64Url } from '../../shape/encoded-bytes.ts'
import { fromDidKey, toDidKey } from '../../shape/did-key.ts'
import {
  agentDescription,
  agentDid,
  agentKeyBody,
  type AgentKeyBody,
  agentKeyId,
  agentName,
  findAgentKey,
} from './agent-key.ts'

const keyBytes = 32

const agent = z.object({
  did: z.string(),
  /** Its public key as a `did:key`. */
  key: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  registered_at: z.string(),
  state: z.enum(['active', 'revoked']),
  revoked_at: z.string().optional(),
})

const shown = ({ revoked, ...body }: AgentKeyBody): z.output<typeof agent> => ({
  ...body,
  state: revoked ? 'revoked' : 'active',
})

const wrong = (path: string, message: string) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })

/** The key of an agent: what was given, or for a `did:key` the one that its name says. */
function keyOf(did: string, given: string | undefined): string {
  const named = did.startsWith('did:key:') ? did : undefined
  if (named !== undefined && !fromDidKey(named)) throw wrong('did', 'Only keys of Ed25519 are known')
  if (given === undefined) {
    if (named !== undefined) return named
    throw wrong('public_key', 'is missing')
  }
  const bytes = fromDidKey(given) ?? fromBase64(given) ?? fromBase64Url(given)
  if (bytes?.length !== keyBytes) throw wrong('public_key', 'is not the 32 bytes of an Ed25519 key in base64')
  const key = toDidKey(bytes)
  if (named !== undefined && named !== key) throw wrong('public_key', 'is not the key that the DID names')
  return key
}

export const agentCapabilities = [
  defineCapability({
    id: 'a2p:register_agent',
    methods: ['agents.register'],
    summary:
      'Says by which public key an agent is known, so that it may sign requests. It may do nothing yet: policies say what.',
    input: z.strictObject({
      did: agentDid,
      /** Ed25519, 32 bytes in base64, or a `did:key`. Of a `did:key` it is in its name. */
      public_key: z.string().max(200).optional(),
      name: agentName.optional(),
      description: agentDescription.optional(),
    }),
    output: agent.extend({
      /** False when it was known by this key already, and nothing was changed. */
      changed: z.boolean(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ did, public_key, name, description }, at) {
      const key = keyOf(did, public_key)
      const { ledger } = at.trust
      const known = findAgentKey(ledger, did)
      const isSame =
        known?.key === key &&
        !known.revoked &&
        (name ?? known.name) === known.name &&
        (description ?? known.description) === known.description
      if (isSame) return { ...shown(known), changed: false }
      const label = name ?? known?.name
      const words = description ?? known?.description
      const body: AgentKeyBody = {
        did,
        key,
        registered_at: at.call.now,
        revoked: false,
        ...(label === undefined ? {} : { name: label }),
        ...(words === undefined ? {} : { description: words }),
      }
      ledger.put({ kind: 'agent_key', id: agentKeyId(did), body: body as JsonObject })
      return { ...shown(body), changed: true }
    },
  }),
  defineCapability({
    id: 'a2p:get_agent',
    methods: ['agents.get'],
    summary: 'Reads what is known of an agent, or null. An agent may look itself up, and nobody else.',
    permission: 'read',
    input: z.strictObject({ did: agentDid }),
    output: agent.nullable(),
    effect: 'read',
    uses: ['trust'],
    run({ did }, at) {
      const { caller } = at.call
      // Who else may come is nobody's business but the owner's.
      if (caller.role === 'guest' && caller.agent !== did) return null
      const known = findAgentKey(at.trust.ledger, did)
      return known ? shown(known) : null
    },
  }),
  defineCapability({
    id: 'a2p:list_agents',
    methods: ['agents.list'],
    summary: 'Lists the agents that are known by name, newest first, those whose key was withdrawn included.',
    input: z
      .strictObject({
        limit: z.number().int().min(1).max(1000).default(100),
        cursor: z.string().max(40_000).optional(),
      })
      .prefault({}),
    output: z.object({ agents: z.array(agent), cursor: z.string().optional() }),
    effect: 'read',
    uses: ['trust'],
    run({ limit, cursor }, at) {
      const page = at.trust.ledger.query({ kind: 'agent_key', limit, cursor })
      const agents = page.records.flatMap((record) => {
        const body = agentKeyBody.safeParse(bodyOf(record)).data
        return body ? [shown(body)] : []
      })
      return { agents, ...(page.cursor === undefined ? {} : { cursor: page.cursor }) }
    },
  }),
  defineCapability({
    id: 'a2p:revoke_agent',
    methods: ['agents.revoke'],
    summary:
      'Withdraws the key of an agent: its requests are refused from then on. Registering it again lets it come back.',
    input: z.strictObject({ did: agentDid }),
    output: z.object({
      /** False when no such agent is known. */
      revoked: z.boolean(),
      revoked_at: z.string().optional(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ did }, at) {
      const { ledger } = at.trust
      const known = findAgentKey(ledger, did)
      if (!known) return { revoked: false }
      const revoked_at = known.revoked_at ?? at.call.now
      if (!known.revoked)
        ledger.put({
          kind: 'agent_key',
          id: agentKeyId(did),
          body: { ...known, revoked: true, revoked_at } as JsonObject,
        })
      return { revoked: true, revoked_at }
    },
  }),
] as const
