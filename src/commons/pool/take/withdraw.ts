// Taking back a proposal, and honouring that another claw takes back its own. Invariant: nobody but its proposer withdraws it,
// and then no word of it stays: ballots, decision and fact go with it, as what was made from it.
import { timeoutMs } from '../pool-config.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { sameClaw } from '../rule/claw-id.ts'
import { headFor, isWithdrawn, readSealedProposal, type Scene, say } from './scene.ts'
import { accepted, conflict, type Letter, type Verdict, withdrawn } from './verdict.ts'

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
