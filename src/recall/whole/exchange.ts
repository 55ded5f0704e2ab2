// Scores of a talk for a whole answer: a message counts together with its exchange, which is a person's message and the
// agent's reply. Pure.
// Invariant: a record without a speaker keeps its score.
import type { Want } from '../../core/capability/port/recall-port.ts'

/** A record's place in its session, and its speaker. */
export interface WholePlace {
  /** Numbers of the records beside it in its session. */
  readonly before: number | undefined
  readonly after: number | undefined
  readonly happenedAtMs: number
  readonly role: 'person' | 'agent' | undefined
}

export interface Placed {
  readonly seq: number
  readonly score: number
  readonly place: WholePlace
}

/** A message gets this share of the scores of the exchanges beside its own. */
const besideShare = 0.1
/** An agent's message has this share of its score left where a question asks for a person's words. */
const agentShare = 0.2

/**
 * By number, the scores for `want`. A person's message has the better score of its exchange, because the reply repeats at
 * length what the message is about, + 0.1 × the scores of the exchanges beside it. `summary`: its reply too. Else a reply has its own
 * score, or 0.2 × that if the question asks for a person's words (`prefersPerson`).
 */
export function exchangeScores(
  placed: readonly Placed[],
  want: Want,
  prefersPerson: boolean,
): Map<number, number> {
  const bySeq = new Map(placed.map((one) => [one.seq, one]))
  const at = (seq: number | undefined) => (seq === undefined ? undefined : bySeq.get(seq))
  const withRole = (seq: number | undefined, role: WholePlace['role']) => {
    const one = at(seq)
    return one?.place.role === role ? one : undefined
  }
  return new Map(
    placed.map(({ seq, score, place }) => {
      const { role, before, after } = place
      if (role === undefined) return [seq, score]
      const isPerson = role === 'person'
      const partner = isPerson ? withRole(after, 'agent') : withRole(before, 'person')
      const previous = isPerson ? at(at(before)?.place.before) : undefined
      const next = isPerson ? at(partner?.place.after) : undefined
      const around = besideShare * ((previous?.score ?? 0) + (next?.score ?? 0))
      if (isPerson || want === 'summary') return [seq, Math.max(score, partner?.score ?? 0) + around]
      return [seq, prefersPerson ? score * agentShare : score]
    }),
  )
}
