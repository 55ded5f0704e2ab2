// Proposals of a persona that wait for their user. Invariant: what a digest or a snapshot keeps of one names the proposal and what it
// is about, never what it would have remembered: no user has agreed to that, and recall finds digests by their words.
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

/** Those that wait now, the oldest first. */
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

/** A line for each category, to be kept. */
export function waitingLines(at: PendingPorts, persona: Persona): Line[] {
  const byCategory = Map.groupBy(pendingOf(at, persona), ({ category }) => category)
  return [...byCategory].flatMap(([category, waiting]) => {
    const what = waiting.length === 1 ? 'a proposal' : `${waiting.length} proposals`
    const about = category.slice(category.indexOf(':') + 1)
    const ids = waiting.map(({ id }) => id)
    return lineOf(`Waits for an answer: ${what} about ${about}`, ids) ?? []
  })
}

/** Whether a line says that something waited. */
const isWaiting = ({ records }: PendingPorts, line: Line) =>
  line.records.every((id) => records.get(id)?.kind === 'proposal')

/** `questions` as they are now, to be read and not kept: what waited then is left out, what waits now is said in its own words. */
export function openNow(at: PendingPorts, persona: Persona, questions: readonly Line[]): Line[] {
  const waiting = pendingOf(at, persona)
  return [
    ...withoutWaiting(at, questions),
    ...waiting.flatMap(({ id, content }) => lineOf(`Waits for an answer: ${content}`, [id]) ?? []),
  ]
}

/** `questions` without what waited when they were told. */
export const withoutWaiting = (at: PendingPorts, questions: readonly Line[]): Line[] =>
  questions.filter((line) => !isWaiting(at, line))
