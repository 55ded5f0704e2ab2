// Proposals of a persona that wait for their user. Invariant: a digest or snapshot names such a proposal and its
// category, never its content: no user agreed to store it, and recall searches digests.
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { type Line, lineOf } from './line.ts'

interface Pending {
  readonly id: string
  /** `a2p:preferences.communication`. */
  readonly category: string
  readonly content: string
}

export interface PendingPorts {
  readonly records: Pick<RecordReader, 'query' | 'get'>
  readonly call: Pick<CallPort, 'now'>
}

const limit = 20

/** Those that wait now, oldest first. */
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

/** One line for each category, to be stored. */
export function waitingLines(at: PendingPorts, persona: Persona): Line[] {
  const byCategory = Map.groupBy(pendingOf(at, persona), ({ category }) => category)
  return [...byCategory].flatMap(([category, waiting]) => {
    const subject = waiting.length === 1 ? 'a proposal' : `${waiting.length} proposals`
    const about = category.slice(category.indexOf(':') + 1)
    const ids = waiting.map(({ id }) => id)
    return lineOf(`Waits for an answer: ${subject} about ${about}`, ids) ?? []
  })
}

/** True for a line about waiting proposals. */
const isWaiting = ({ records }: PendingPorts, line: Line) =>
  line.records.every((id) => records.get(id)?.kind === 'proposal')

/** `questions` to be shown now and not stored: without former waiting proposals, with the content of current ones. */
export function openNow(at: PendingPorts, persona: Persona, questions: readonly Line[]): Line[] {
  const waiting = pendingOf(at, persona)
  return [
    ...withoutWaiting(at, questions),
    ...waiting.flatMap(({ id, content }) => lineOf(`Waits for an answer: ${content}`, [id]) ?? []),
  ]
}

/** `questions` without the proposals that waited when they were written. */
export const withoutWaiting = (at: PendingPorts, questions: readonly Line[]): Line[] =>
  questions.filter((line) => !isWaiting(at, line))
