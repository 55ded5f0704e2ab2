// The verbs of registered agents: register, get, list, revoke. Only the owner may call them, but an agent may get
// its own registration.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { defined } from '../../core/defined.ts'
import { invalidInput } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { fromBase64, fromBase64Url } from '../../shape/encoded-bytes.ts'
import { formatTime } from '../../core/time.ts'
import { fromDidKey, toDidKey } from '../../shape/did.ts'
import {
  agentDescription,
  agentDid,
  agentKeyBody,
  type AgentKeyBody,
  agentKeyId,
  agentName,
  findAgentKey,
} from './agent-key.ts'
import { cursor, limit, nextOf } from '../../shape/page.ts'
import { readVerb } from '../../shape/record-verbs.ts'

const keyBytes = 32

const registration = z.object({
  did: z.string(),
  /** Its public key as a `did:key`. */
  key: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  registeredAt: z.string(),
  state: z.enum(['active', 'revoked']),
  revokedAt: z.string().optional(),
})

const toRegistration = ({ revoked, ...body }: AgentKeyBody): z.output<typeof registration> => ({
  ...body,
  state: revoked ? 'revoked' : 'active',
})

/**
 * The key of an agent: `input`, or for a `did:key` the key in the DID. Throws `invalid-input` for a missing or
 * wrong key.
 */
function resolveKey(did: string, input: string | undefined): string {
  const didKey = did.startsWith('did:key:') ? did : undefined
  if (didKey !== undefined && !fromDidKey(didKey))
    throw invalidInput('did', 'Only Ed25519 keys are supported')
  if (input === undefined) {
    if (didKey !== undefined) return didKey
    throw invalidInput('publicKey', 'is missing')
  }
  const bytes = fromDidKey(input) ?? fromBase64(input) ?? fromBase64Url(input)
  if (bytes?.length !== keyBytes)
    throw invalidInput('publicKey', 'is not the 32 bytes of an Ed25519 key in base64')
  const key = toDidKey(bytes)
  if (didKey !== undefined && didKey !== key)
    throw invalidInput('publicKey', 'is not the key that the DID names')
  return key
}

/** The time of a new registration: never that of the one before, which tells them apart. */
const registrationTime = (before: AgentKeyBody | undefined, now: string): string =>
  before?.registeredAt === now ? formatTime(Date.parse(now) + 1) : now

export const agentCapabilities = [
  defineCapability({
    id: 'a2p:register_agent',
    methods: ['agents.register'],
    summary: "Registers an agent's public key, so that it may sign requests. Policies decide its rights.",
    input: z.strictObject({
      did: agentDid,
      /** Ed25519: 32 bytes in base64, or a `did:key`. Default: the key in the DID, if the DID is a `did:key`. */
      publicKey: z.string().max(200).optional(),
      name: agentName.optional(),
      description: agentDescription.optional(),
    }),
    output: registration.extend({
      /** False if the agent was registered with this key already, and nothing changed. */
      changed: z.boolean(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ did, publicKey, name, description }, at) {
      const key = resolveKey(did, publicKey)
      const { ledger } = at.trust
      const registered = findAgentKey(ledger, did)
      // Without a name or description in the input, the earlier one stays.
      const isRegistered = registered?.key === key && !registered.revoked
      const isSame =
        isRegistered &&
        (name ?? registered.name) === registered.name &&
        (description ?? registered.description) === registered.description
      if (isSame) return { ...toRegistration(registered), changed: false }
      const newName = name ?? registered?.name
      const newDescription = description ?? registered?.description
      const body: AgentKeyBody = {
        did,
        key,
        registeredAt: isRegistered ? registered.registeredAt : registrationTime(registered, at.call.now),
        revoked: false,
        ...defined({ name: newName, description: newDescription }),
      }
      ledger.put({ kind: 'agent_key', id: agentKeyId(did), body: body as JsonObject })
      return { ...toRegistration(body), changed: true }
    },
  }),
  readVerb({
    id: 'a2p:get_agent',
    method: 'agents.get',
    summary: "Reads an agent's registration, or null. An agent may read only its own.",
    input: z.strictObject({ did: agentDid }),
    output: registration.nullable(),
    uses: ['trust'],
    run({ did }, at) {
      const { caller } = at.call
      // Guests may not find out which other agents are registered.
      if (caller.role === 'guest' && caller.agent !== did) return null
      const registered = findAgentKey(at.trust.ledger, did)
      return registered ? toRegistration(registered) : null
    },
  }),
  defineCapability({
    id: 'a2p:list_agents',
    methods: ['agents.list'],
    summary: 'Lists registered agents, newest first, including those with a withdrawn key.',
    input: z
      .strictObject({
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ agents: z.array(registration), cursor: z.string().optional() }),
    effect: 'read',
    uses: ['trust'],
    run({ limit, cursor }, at) {
      const page = at.trust.ledger.query({ kind: 'agent_key', limit, cursor })
      const agents = page.records.flatMap((record) => {
        const body = agentKeyBody.safeParse(bodyOf(record)).data
        return body ? [toRegistration(body)] : []
      })
      return { agents, ...nextOf(page) }
    },
  }),
  defineCapability({
    id: 'a2p:revoke_agent',
    methods: ['agents.revoke'],
    summary:
      'Withdraws the key of an agent: its requests are refused from then on. Registering it again lets it come back.',
    input: z.strictObject({ did: agentDid }),
    output: z.object({
      /** False if no such agent is registered. */
      revoked: z.boolean(),
      revokedAt: z.string().optional(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ did }, at) {
      const { ledger } = at.trust
      const registered = findAgentKey(ledger, did)
      if (!registered) return { revoked: false }
      const revokedAt = registered.revokedAt ?? at.call.now
      if (!registered.revoked)
        ledger.put({
          kind: 'agent_key',
          id: agentKeyId(did),
          body: { ...registered, revoked: true, revokedAt } as JsonObject,
        })
      return { revoked: true, revokedAt }
    },
  }),
] as const
