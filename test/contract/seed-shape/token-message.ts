// Messages of P3394 that ask for each verb, and for what goes by a name that others know, with an input that none takes.
import { seedShapes } from '../../../src/doors/seed-shape/seed-shape.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import type { Right } from '../../../src/core/access/permission.ts'
import { verbRights } from '../access/verb-right.ts'

/** Nobody is told what is wrong with it who may not ask. */
export const wrongInput = { 'no such field': true }

/** A message in the form of the seed. */
export const bareMessage = (capability: string) => ({
  id: 'm-1',
  source: { agent_id: 'probe' },
  destination: { agent_id: 'kstar-memory', capability_id: capability },
  content: [{ type: 'json', data: wrongInput }],
})

/** The same as an envelope `p3394/1.0`. */
export const envelopeMessage = (capability: string) => ({
  spec_version: 'p3394/1.0',
  message_id: 'm-1',
  kind: 'message',
  performative: 'request',
  sender: { agent_id: 'probe' },
  recipients: [{ agent_id: 'kstar-memory', capability_id: capability }],
  payload: { parts: [{ type: 'json', data: wrongInput }] },
})

/** The right that a caller needs for a verb, by its id. */
export const rightOf = (id: string): Right | 'owner' | undefined => verbRights[id as keyof typeof verbRights]

/** Verbs by their ids, and shapes by the first of their names, each with the verb that it asks for first. */
export const askedFor: readonly (readonly [name: string, verb: string])[] = [
  ...capabilityTable.map(({ id }) => [id, id] as const),
  ...seedShapes.map(({ names, capabilities }) => [names[0], capabilities[0]] as const),
]
