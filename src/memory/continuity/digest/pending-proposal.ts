// Proposals of a persona that wait for their user.
// Invariant: a stored digest or snapshot names such a proposal and its category, never its content: no user agreed to
// store it, and recall searches digests.
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { personaFilter, type Persona } from '../persona/persona.ts'
import { type DigestLine, createLine } from './digest-line.ts'

interface PendingProposal {
  readonly id: string
  /** Category of the proposed memory, such as `a2p:preferences.communication`. */
  readonly category: string
  readonly content: string
}

export interface PendingPorts {
  readonly records: Pick<RecordReader, 'query' | 'get'>
  readonly call: Pick<CallPort, 'now'>
}

/** Most proposals in a digest or a sunrise. */
const maxPending = 20

/** The persona's proposals that wait now, oldest first, at most `maxPending`. */
function listPending({ records, call }: PendingPorts, persona: Persona): PendingProposal[] {
  const page = records.query({
    kind: 'proposal',
    filters: { ...personaFilter(persona), status: 'pending', expiresAt: { gt: call.now } },
    orderBy: 'proposedAt',
    limit: maxPending,
  })
  return page.records.map(({ id, category, content }) => ({
    id,
    category: String(category),
    content: String(content),
  }))
}

/** One line for each category, without content: these lines may be stored. */
export function pendingLines(at: PendingPorts, persona: Persona): DigestLine[] {
  const byCategory = Map.groupBy(listPending(at, persona), ({ category }) => category)
  return [...byCategory].flatMap(([category, proposals]) => {
    const subject = proposals.length === 1 ? 'a proposal' : `${proposals.length} proposals`
    const about = category.slice(category.indexOf(':') + 1)
    const ids = proposals.map(({ id }) => id)
    return createLine(`Waits for an answer: ${subject} about ${about}`, ids) ?? []
  })
}

/** True for a line about proposals only. */
const isPendingLine = ({ records }: PendingPorts, line: DigestLine) =>
  line.records.every((id) => records.get(id)?.kind === 'proposal')

/**
 * Returns `questions` for display only, never for storage: without lines about earlier proposals, and with the
 * content of the proposals that wait now.
 */
export function currentQuestions(
  at: PendingPorts,
  persona: Persona,
  questions: readonly DigestLine[],
): DigestLine[] {
  const pending = listPending(at, persona)
  return [
    ...withoutPendingLines(at, questions),
    ...pending.flatMap(({ id, content }) => createLine(`Waits for an answer: ${content}`, [id]) ?? []),
  ]
}

/** Returns `questions` without lines about proposals that waited when the lines were written. */
export const withoutPendingLines = (at: PendingPorts, questions: readonly DigestLine[]): DigestLine[] =>
  questions.filter((line) => !isPendingLine(at, line))
