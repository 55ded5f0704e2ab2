// Proposes rules that users stated in messages. A proposal quotes its message, and a person decides about it.
// Invariant: each statement is proposed once: a decided, expired or forgotten proposal keeps its id.
import type { WriteContext } from '../../../core/capability/context.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Stored } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { hashId } from '../../../core/text/name-id.ts'
import { fold } from '../../../core/text/fold.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { beginningOf } from '../../../core/zone.ts'
import { didOfAgent } from '../../../shape/did.ts'
import { speakerRole } from '../../../shape/source.ts'
import { pendingLimit, ruleCategory } from '../proposal/propose.ts'
import { findRuleCandidates } from './find-candidate.ts'

/** The proposer of these proposals, so that every person may decide about them. */
const finder = 'daybook-rules'
const dayMs = 86_400_000
const limits = { proposals: 20, messages: 2000, lookBackDays: 2, expiryDays: 30 } as const

type FindContext = WriteContext<'records' | 'own'>
type Message = Stored<JsonObject>

/** Proposes the rules in messages stored since then, at most 20. Returns the ids of the new proposals. */
export function proposeRules(at: FindContext, since?: string): string[] {
  const { now, zone } = at.call
  const days = (count: number) => formatTime((parseTime(now) ?? 0) + count * dayMs)
  const from = since === undefined ? days(-limits.lookBackDays) : beginningOf(since, zone)
  const waiting = at.own.countWhere('proposal', { status: 'pending', expiresAt: { gt: now } })
  const room = Math.min(limits.proposals, pendingLimit - waiting)
  const { records: messages } = at.records.query({
    kind: 'message',
    filters: { created_at: { gte: from } },
    orderBy: ['-created_at', '-id'],
    limit: limits.messages,
  })
  const proposed: string[] = []
  for (const message of messages.filter(isOpenWord))
    for (const quote of findRuleCandidates(String(message['content']))) {
      if (proposed.length >= room) return proposed
      const id = hashId('proposal', 'rule', fold(quote))
      if (!at.own.isFree(id)) continue
      at.own.put({
        kind: 'proposal',
        id,
        body: bodyOf(message, quote, [now, days(limits.expiryDays)]),
        scope: { agent: finder },
      })
      proposed.push(id)
    }
  return proposed
}

/** True for the clear words of a person: a rule is never sealed, so a sealed message gives none. */
const isOpenWord = (message: Message): boolean =>
  !isSealing(message.sensitivity) && speakerRole(message['source'] as never) === 'person'

function bodyOf(
  message: Message,
  quote: string,
  [proposedAt, expiresAt]: readonly [string, string],
): JsonObject {
  return {
    by: finder,
    agentDid: didOfAgent(finder),
    content: quote,
    category: ruleCategory,
    memory_type: 'procedural',
    confidence: 0.7,
    rule: {},
    // Forgets the proposal with its message.
    alike: [message.id],
    evidence: [
      { type: 'user_statement', quote, timestamp: String(message['timestamp']), record: message.id },
    ],
    proposedAt,
    expiresAt,
    status: 'pending',
  }
}
