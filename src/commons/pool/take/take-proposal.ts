// Taking in proposals and votes. Invariant: of each claw one ballot counts, whatever comes twice or out of order.
import { formatTime, parseTime } from '../../../core/time.ts'
import { timeoutMs } from '../pool-config.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import {
  isDecided,
  isWithdrawn,
  put,
  readBallot,
  readProposal,
  type Scene,
  saidTime,
  headFor,
  readSealedProposal,
  say,
} from './pool-context.ts'
import { accepted, conflict, type Letter, type Verdict, withdrawn } from './verdict.ts'

/** How often a claw may change its vote. */
export const changeLimit = 100

export function takeProposal(scene: Scene, envelope: Letter<'proposal'>): Verdict {
  const { clawId: claw, instanceId: instance, traceId: trace, timestamp, payload } = envelope
  const { proposalId, group, title, statement, tags, expiresAt, fact } = payload
  if (readProposal(scene, proposalId)) return { result: 'ignored', reason: 'existing_proposal' }
  if (isWithdrawn(scene, proposalId)) return withdrawn
  if (fact?.version === 1 && fact.factId !== factIdOf(proposalId)) return conflict('fact_of_another_proposal')
  const at = saidTime(scene, timestamp)
  const latest = formatTime((parseTime(at) ?? 0) + timeoutMs(scene.config))
  put(scene, 'pool_proposal', recordIds.proposal(proposalId), {
    proposal: proposalId,
    claw,
    by: claw,
    group,
    instance,
    trace,
    ...(title ? { title } : {}),
    statement,
    tags: tags ?? [],
    proposed_at: at,
    expires_at: expiresAt === undefined ? latest : formatTime(parseTime(expiresAt) ?? 0),
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
  return accepted('new_proposal', { frees: [proposalId] })
}

export function takeVote(scene: Scene, envelope: Letter<'vote'>): Verdict {
  const { proposalId, vote, reason, n = 1 } = envelope.payload
  const proposal = readProposal(scene, proposalId)
  if (isWithdrawn(scene, proposalId)) return withdrawn
  if (!proposal) {
    const waits = { about: proposalId, forMs: timeoutMs(scene.config) }
    return { result: 'ignored', reason: 'unknown_proposal', waits, again: true }
  }
  if (isDecided(scene, proposalId)) return { result: 'stale', reason: 'already_decided' }
  const { clawId: claw, timestamp } = envelope
  const known = readBallot(scene, proposalId, claw)
  const before = known?.votes[String(n)]
  if (before) {
    return before.vote === vote
      ? { result: 'duplicate', reason: 'already_cast' }
      : { result: 'conflict', reason: 'vote_number_reused' }
  }
  if (known && Object.keys(known.votes).length >= changeLimit)
    return { result: 'conflict', reason: 'too_many_changes' }
  const cast = { vote, at: saidTime(scene, timestamp), ...(reason ? { reason } : {}) }
  put(scene, 'pool_ballot', recordIds.ballot(proposalId, claw), {
    claw,
    by: claw,
    group: proposal.group,
    proposal: recordIds.proposal(proposalId),
    votes: { ...known?.votes, [String(n)]: cast },
    vote,
    n,
    cast_at: cast.at,
  })
  const isEarlier = known !== undefined && known.n > n
  const word = known ? 'changed_vote' : 'new_vote'
  return accepted(isEarlier ? 'earlier_vote' : word, { frees: [proposalId], count: proposalId })
}

// Taking back a proposal, and honouring that another claw takes back its own. Invariant: nobody but its proposer withdraws it,
// and then no word of it stays: ballots, decision and fact go with it, as what was made from it.
export function takeWithdrawal(
  scene: Scene,
  { clawId, payload: { proposalId } }: Letter<'withdrawal'>,
): Verdict {
  if (scene.records.wasForgotten(recordIds.proposal(proposalId)))
    return { result: 'ignored', reason: 'already_withdrawn' }
  const proposal = readSealedProposal(scene, proposalId)
  if (!proposal) {
    const waits = { about: proposalId, forMs: timeoutMs(scene.config) }
    return { result: 'ignored', reason: 'unknown_proposal', waits, again: true }
  }
  if (!sameClaw(proposal.claw, clawId)) return conflict('not_the_proposer')
  remove(scene, proposalId)
  return accepted(withdrawn.reason)
}

/** Tells the others of the proposals of this book that are gone from it: with their record, or forgotten or sealed themselves. */
export function withdrawGone(scene: Scene): void {
  const { pool, records } = scene
  for (const { claw, proposal } of pool.proposed()) {
    const key = `knowledge:withdrawal:${proposal}`
    if (pool.had(claw, key) !== undefined || !isWithdrawn(scene, proposal)) continue
    say(scene, {
      ...headFor(scene, { claw, key }),
      type: 'withdrawal',
      payload: { proposalId: proposal },
    })
    // A sealed proposal stays in its own book.
    if (records.wasForgotten(recordIds.proposal(proposal))) remove(scene, proposal)
    else pool.silence(proposal)
  }
}

/** What was forgotten before is purged too: what waited to be sent must not stay in the files. */
function remove({ records, pool }: Scene, proposal: string): void {
  records.purge(recordIds.proposal(proposal))
  pool.silence(proposal)
}
