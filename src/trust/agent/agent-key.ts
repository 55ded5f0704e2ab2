// Agents that are known by name: a DID and the public key that its requests are signed with, as the owner has written it
// down. Invariant: the owner's word alone binds a name to a key, so that nobody takes the name of an agent that a policy is
// for; and whose key was withdrawn is nobody here.
import { z } from 'zod'
import { canonicalTime } from '../../core/time.ts'
import type { Kind } from '../../core/kind.ts'
import { nameId } from '../../core/text/name-id.ts'
import type { Ledger } from '../../core/capability/port/record-port.ts'
import { bodyOf } from '../../core/record.ts'
import { isAgentDid } from '../../shape/a2p-did.ts'
import { fromDidKey } from '../../shape/did-key.ts'
import { ledgerKind } from '../ledger-kind.ts'

const instant = z.string().refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')

/** A text of people that stands in lists and answers. */
const shown = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')

export const agentDid = z
  .string()
  .refine(isAgentDid, 'is not the DID of an agent, such as did:a2p:agent:local:assistant')
export const agentName = shown(200)
export const agentDescription = shown(2000)

export const agentKeyBody = z.strictObject({
  did: agentDid,
  /** Its Ed25519 public key. */
  key: z.string().refine((text) => fromDidKey(text) !== undefined, 'is not a did:key of Ed25519'),
  name: agentName.optional(),
  description: agentDescription.optional(),
  registered_at: instant,
  revoked: z.boolean(),
  revoked_at: instant.optional(),
})
export type AgentKeyBody = z.output<typeof agentKeyBody>

/** The id of the record of an agent: the same on every device. */
export const agentKeyId = (did: string): string => nameId('agent_key', did)

/** What is written down of the agent, its key withdrawn or not. */
export function findAgentKey(ledger: Pick<Ledger, 'get'>, did: string): AgentKeyBody | undefined {
  const found = ledger.get(agentKeyId(did))
  if (found?.kind !== 'agent_key') return undefined
  const body = agentKeyBody.safeParse(bodyOf(found)).data
  return body?.did === did ? body : undefined
}

export const agentKeyKind: Kind<'agent_key', AgentKeyBody> = {
  ...ledgerKind,
  name: 'agent_key',
  idPrefix: 'agent_key::',
  summary: 'An agent that is known by its DID: the public key that its requests are signed with.',
  version: 1,
  schema: agentKeyBody,
  facets: { happened_at: 'registered_at', name: 'name', subject: 'did' },
  bound: true,
}
