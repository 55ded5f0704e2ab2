// Takes in proposals, votes and withdrawals.
// Invariant: each claw has one counted ballot, even if votes repeat or arrive out of order; only its proposer
// withdraws a proposal, and then its ballots, decision and fact go too, because they are made from it.
import { formatTime, parseTime } from '../../../core/time.ts'
import { votingTimeMs } from '../pool-config.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import {
  hasDecision,
  isWithdrawn,
  putRecord,
  readBallot,
  readProposal,
  type PoolContext,
  believableTime,
  envelopeHead,
  readSealedProposal,
  sendEnvelope,
} from './pool-context.ts'
import {
  acceptedVerdict,
  conflictVerdict,
  type EnvelopeOf,
  type Verdict,
  withdrawnVerdict,
} from './verdict.ts'

/** Most votes of a claw on one proposal: the first vote and its changes. */
export const maxVotesPerClaw = 100

export function takeProposal(context: PoolContext, envelope: EnvelopeOf<'proposal'>): Verdict {
  const { clawId: claw, instanceId: instance, traceId: trace, timestamp, payload } = envelope
  const { proposalId, group, title, statement, tags, expiresAt, fact } = payload
  if (readProposal(context, proposalId)) return { result: 'ignored', reason: 'existing_proposal' }
  if (isWithdrawn(context, proposalId)) return withdrawnVerdict
  if (fact?.version === 1 && fact.factId !== factIdOf(proposalId))
    return conflictVerdict('fact_of_another_proposal')
  const at = believableTime(context, timestamp)
  const defaultEnd = formatTime((parseTime(at) ?? 0) + votingTimeMs(context.config))
  putRecord(context, 'pool_proposal', recordIds.proposal(proposalId), {
    proposal: proposalId,
    claw,
    by: claw,
    group,
    instance,
    trace,
    ...(title ? { title } : {}),
    statement,
    tags: tags ?? [],
    proposedAt: at,
    expiresAt: expiresAt === undefined ? defaultEnd : formatTime(parseTime(expiresAt) ?? 0),
    ...(fact
      ? {
          fact: {
            id: fact.factId,
            version: fact.version,
            subject: fact.subject,
            predicate: fact.predicate,
            object: fact.object,
          },
        }
      : {}),
  })
  return acceptedVerdict('new_proposal', { retryWaitingFor: [proposalId] })
}

export function takeVote(context: PoolContext, envelope: EnvelopeOf<'vote'>): Verdict {
  // `n` is absent in envelopes of claws that never change a vote.
  const { proposalId, vote, reason, n = 1 } = envelope.payload
  const proposal = readProposal(context, proposalId)
  if (isWithdrawn(context, proposalId)) return withdrawnVerdict
  if (!proposal) {
    const waitFor = { id: proposalId, maxWaitMs: votingTimeMs(context.config) }
    return { result: 'ignored', reason: 'unknown_proposal', waitFor, isKeyReusable: true }
  }
  if (hasDecision(context, proposalId)) return { result: 'stale', reason: 'already_decided' }
  const { clawId: claw, timestamp } = envelope
  const stored = readBallot(context, proposalId, claw)
  const sameNumbered = stored?.votes[String(n)]
  if (sameNumbered) {
    return sameNumbered.vote === vote
      ? { result: 'duplicate', reason: 'already_cast' }
      : { result: 'conflict', reason: 'vote_number_reused' }
  }
  if (stored && Object.keys(stored.votes).length >= maxVotesPerClaw)
    return { result: 'conflict', reason: 'too_many_changes' }
  const cast = { vote, at: believableTime(context, timestamp), ...(reason ? { reason } : {}) }
  putRecord(context, 'pool_ballot', recordIds.ballot(proposalId, claw), {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    votes: { ...stored?.votes, [String(n)]: cast },
    vote,
    n,
    castAt: cast.at,
  })
  const isEarlier = stored !== undefined && stored.n > n
  const change = stored ? 'changed_vote' : 'new_vote'
  return acceptedVerdict(isEarlier ? 'earlier_vote' : change, {
    retryWaitingFor: [proposalId],
    proposalToCount: proposalId,
  })
}

export function takeWithdrawal(
  context: PoolContext,
  { clawId, payload: { proposalId } }: EnvelopeOf<'withdrawal'>,
): Verdict {
  if (context.records.wasForgotten(recordIds.proposal(proposalId)))
    return { result: 'ignored', reason: 'already_withdrawn' }
  const proposal = readSealedProposal(context, proposalId)
  if (!proposal) {
    const waitFor = { id: proposalId, maxWaitMs: votingTimeMs(context.config) }
    return { result: 'ignored', reason: 'unknown_proposal', waitFor, isKeyReusable: true }
  }
  if (!sameClaw(proposal.claw, clawId)) return conflictVerdict('not_the_proposer')
  purgeProposal(context, proposalId)
  return acceptedVerdict(withdrawnVerdict.reason)
}

/**
 * Sends a withdrawal for each proposal of this book that was forgotten or sealed, alone or with the record that it
 * publishes.
 */
export function sendWithdrawals(context: PoolContext): void {
  const { pool, records } = context
  for (const { claw, proposal } of pool.proposed()) {
    const key = `knowledge:withdrawal:${proposal}`
    if (pool.receivedHash(claw, key) !== undefined || !isWithdrawn(context, proposal)) continue
    sendEnvelope(context, {
      ...envelopeHead(context, { claw, key }),
      type: 'withdrawal',
      payload: { proposalId: proposal },
    })
    // A sealed proposal stays in this book.
    if (records.wasForgotten(recordIds.proposal(proposal))) purgeProposal(context, proposal)
    else pool.dropProposalWords(proposal)
  }
}

/** Purges the proposal, even if it is forgotten already, so that no queued text of it stays in the files. */
function purgeProposal({ records, pool }: PoolContext, proposal: string): void {
  records.purge(recordIds.proposal(proposal))
  pool.dropProposalWords(proposal)
}
