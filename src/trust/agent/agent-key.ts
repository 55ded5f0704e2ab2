// Registered agents: a DID with the public key that verifies its requests.
// Invariant: only the owner binds a name to a key, so nobody can take the name of an agent that has a policy; an
// agent with a withdrawn key is not admitted; a withdrawal ends only when the owner registers the agent again.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { nameId } from '../../core/text/name-id.ts'
import type { Ledger } from '../../core/capability/port/record-port.ts'
import { bodyOf } from '../../core/record.ts'
import { fromDidKey, isAgentDid } from '../../shape/did.ts'
import { ledgerKind } from '../ledger-kind.ts'
import { canonicalInstant } from '../../shape/field.ts'
import { someText } from '../../shape/sound-text.ts'

export const agentDid = z
  .string()
  .refine(isAgentDid, 'is not the DID of an agent, such as did:a2p:agent:local:assistant')
export const agentName = someText(200)
export const agentDescription = someText(2000)

export const agentKeyBody = z.strictObject({
  did: agentDid,
  /** Its Ed25519 public key. */
  key: z.string().refine((text) => fromDidKey(text) !== undefined, 'is not a did:key of Ed25519'),
  name: agentName.optional(),
  description: agentDescription.optional(),
  registeredAt: canonicalInstant,
  revoked: z.boolean(),
  revokedAt: canonicalInstant.optional(),
})
export type AgentKeyBody = z.output<typeof agentKeyBody>

/** The id of an agent's record: the same on every device. */
export const agentKeyId = (did: string): string => nameId('agent_key', did)

/** The registration of an agent, also with a withdrawn key. Undefined without one. */
export function findAgentKey(ledger: Pick<Ledger, 'get'>, did: string): AgentKeyBody | undefined {
  const record = ledger.get(agentKeyId(did))
  if (record?.kind !== 'agent_key') return undefined
  const body = agentKeyBody.safeParse(bodyOf(record)).data
  return body?.did === did ? body : undefined
}

export const agentKeyKind: Kind<'agent_key', AgentKeyBody> = {
  ...ledgerKind,
  name: 'agent_key',
  idPrefix: 'agent_key::',
  summary: 'An agent that is known by its DID: the public key that its requests are signed with.',
  version: 1,
  schema: agentKeyBody,
  facets: { happened_at: 'registeredAt', name: 'name', subject: 'did' },
  bound: true,
  // A later registration has another `registeredAt`.
  isFinal: ({ revoked, registeredAt }, other) =>
    revoked && (other === undefined || other.registeredAt === registeredAt),
}
