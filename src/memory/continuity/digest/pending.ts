// Proposals of a persona that wait for their user.
// Invariant: a stored digest or snapshot names such a proposal and its category, never its content: no user agreed to
// store it, and recall searches digests.
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { type Line, lineOf } from './line.ts'

interface Pending {
  readonly id: string
  /** Category of the proposed memory, such as `a2p:preferences.communication`. */
  readonly category: string
  readonly content: string
}

export interface PendingPorts {
  readonly records: Pick<RecordReader, 'query' | 'get'>
  readonly call: Pick<CallPort, 'now'>
}

const limit = 20

/** The persona's proposals that wait now, oldest first, at most `limit`. */
function pendingOf({ records, call }: PendingPorts, persona: Persona): Pending[] {
  const found = records.query({
    kind: 'proposal',
    filters: { ...ownedBy(persona), status: 'pending', expiresAt: { gt: call.now } },
    orderBy: 'proposedAt',
    limit,
  })
  return found.records.map(({ id, category, content }) => ({
    id,
    category: String(category),
    content: String(content),
  }))
}

/** One line for each category, without content: these lines may be stored. */
export function waitingLines(at: PendingPorts, persona: Persona): Line[] {
  const byCategory = Map.groupBy(pendingOf(at, persona), ({ category }) => category)
  return [...byCategory].flatMap(([category, waiting]) => {
    const subject = waiting.length === 1 ? 'a proposal' : `${waiting.length} proposals`
    const about = category.slice(category.indexOf(':') + 1)
    const ids = waiting.map(({ id }) => id)
    return lineOf(`Waits for an answer: ${subject} about ${about}`, ids) ?? []
  })
}

/** True for a line about proposals only. */
const isWaiting = ({ records }: PendingPorts, line: Line) =>
  line.records.every((id) => records.get(id)?.kind === 'proposal')

/**
 * Returns `questions` for display only, never for storage: without lines about earlier proposals, and with the
 * content of the proposals that wait now.
 */
export function openNow(at: PendingPorts, persona: Persona, questions: readonly Line[]): Line[] {
  const waiting = pendingOf(at, persona)
  return [
    ...withoutWaiting(at, questions),
    ...waiting.flatMap(({ id, content }) => lineOf(`Waits for an answer: ${content}`, [id]) ?? []),
  ]
}

/** Returns `questions` without lines about proposals that waited when the lines were written. */
export const withoutWaiting = (at: PendingPorts, questions: readonly Line[]): Line[] =>
  questions.filter((line) => !isWaiting(at, line))
