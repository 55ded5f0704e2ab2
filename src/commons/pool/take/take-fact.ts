// Takes in a fact, and publishes one.
// Invariant: a fact comes from an approved proposal and has its words; one device of one claw publishes all its
// versions, so a fact has one history.
import { defined } from '../../../core/defined.ts'
import { formatTime } from '../../../core/time.ts'
import type { PoolFactBody, PoolFactVersion, PoolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import { judgeFact, sameStatement } from '../rule/judge-fact.ts'
import {
  envelopeHead,
  isForgottenOrSealed,
  isOwnClaw,
  isWithdrawn,
  putRecord,
  readDecision,
  readFact,
  readProposal,
  type PoolContext,
  sendEnvelope,
  believableTime,
} from './pool-context.ts'
import {
  acceptedVerdict,
  conflictVerdict,
  decisionWaitMs,
  type EnvelopeOf,
  type Verdict,
  withdrawnVerdict,
} from './verdict.ts'
import { countLocalVotes } from './count-votes.ts'

export function takeFact(context: PoolContext, envelope: EnvelopeOf<'fact'>, isLastTry: boolean): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { factId, version, proposalId = '', subject, predicate, object, tags } = payload
  const isFactGone = isForgottenOrSealed(context.records, recordIds.fact(factId))
  if (isFactGone || (proposalId !== '' && isWithdrawn(context, proposalId))) return withdrawnVerdict
  const stored = readFact(context, factId)
  const verdict = judgeFact(stored, payload)
  if (verdict.result !== 'accepted')
    return verdict.result === 'conflict' ? conflictVerdict(verdict.reason) : verdict
  const decision = proposalId === '' ? undefined : readDecision(context, proposalId)
  const proposal = proposalId === '' ? undefined : readProposal(context, proposalId)
  const localCount = !decision && proposal ? countLocalVotes(context, proposal) : undefined
  const isApproved = decision ? decision.outcome === 'approved' : localCount?.outcome === 'approved'
  if (!proposal || !isApproved) {
    if (isLastTry || decision || proposalId === '') return conflictVerdict('no_approved_decision')
    return {
      ...conflictVerdict('no_approved_decision'),
      waitFor: { id: proposalId, maxWaitMs: decisionWaitMs },
    }
  }
  const fault = context.config.compatibility ? undefined : originFault(proposal, stored, envelope)
  if (fault !== undefined) return conflictVerdict(fault)
  const { yes, no } = decision ?? localCount ?? { yes: 0, no: 0 }
  putFact(
    context,
    { proposal, stored, factId, version },
    {
      subject,
      predicate,
      object,
      tags: tags ?? [],
      proposal: proposalId,
      decision: payload.decisionId ?? '',
      source: claw,
      yes,
      no,
      publishedAt: believableTime(context, payload.publishedAt ?? timestamp),
    },
  )
  return acceptedVerdict(verdict.reason, { retryWaitingFor: [factId] })
}

/**
 * The fault of a fact: it differs from its proposal, or another claw published its first version. Undefined: no
 * fault.
 */
function originFault(
  proposal: PoolProposalBody,
  stored: PoolFactBody | undefined,
  { payload, clawId }: EnvelopeOf<'fact'>,
): string | undefined {
  const proposedFact = factOfProposal(proposal)
  if (
    payload.factId !== proposedFact.id ||
    payload.version !== proposedFact.version ||
    !sameStatement(payload, proposedFact)
  )
    return 'not_what_was_voted_on'
  return stored && !sameClaw(stored.home, clawId) ? 'not_the_publisher' : undefined
}

/** The fact that a proposal becomes when it is approved. */
export function factOfProposal({
  proposal,
  fact,
  title,
  statement,
}: PoolProposalBody): NonNullable<PoolProposalBody['fact']> {
  if (fact) return fact
  return {
    id: factIdOf(proposal),
    version: 1,
    subject: title || 'statement',
    predicate: 'states',
    object: statement,
  }
}

interface FactTarget {
  readonly proposal: PoolProposalBody
  readonly stored: PoolFactBody | undefined
  readonly factId: string
  readonly version: number
}

function putFact(
  context: PoolContext,
  { proposal, stored, factId, version }: FactTarget,
  factVersion: PoolFactVersion,
): void {
  const publisher = stored ?? { home: proposal.claw, homeDevice: instanceDevice(proposal.instance) }
  const { subject, predicate, object, tags, yes, no, publishedAt } = factVersion
  putRecord(context, 'pool_fact', recordIds.fact(factId), {
    claw: publisher.home,
    by: publisher.home,
    group: proposal.group,
    fact: factId,
    home: publisher.home,
    homeDevice: publisher.homeDevice,
    versions: { ...stored?.versions, [String(version)]: { ...factVersion, ...madeFrom(proposal) } },
    version,
    subject,
    predicate,
    object,
    tags,
    votes: { yes, no },
    publishedAt,
  })
}

const madeFrom = ({ madeFrom }: PoolProposalBody) => defined({ madeFrom })

/** The device in an instance name, which has the form `device#start`. */
export const instanceDevice = (instance: string): string => instance.split('#')[0] ?? ''

/**
 * Publishes the fact of an approved proposal, if this copy of the book is the publisher. `isDecider`: this copy has
 * just decided the proposal; only then it publishes version 1.
 */
export function publishFact(
  context: PoolContext,
  proposalId: string,
  { isDecider }: { readonly isDecider: boolean },
): void {
  const { pool, config } = context
  const proposal = readProposal(context, proposalId)
  const decision = readDecision(context, proposalId)
  if (!proposal || decision?.outcome !== 'approved' || !config.governance) return
  const { id: factId, version, subject, predicate, object } = factOfProposal(proposal)
  if (isForgottenOrSealed(context.records, recordIds.fact(factId))) return
  const stored = readFact(context, factId)
  if (stored && stored.version >= version) return
  // Undefined without a stored version: then the earlier version may still arrive.
  const isHome = stored && isOwnClaw(context, stored.home) && stored.homeDevice === pool.self.device
  if (version === 1 ? !isDecider : isHome === false) return
  if (judgeFact(stored, { version, subject, predicate, object }).result !== 'accepted') {
    // The previous version may still arrive: wait for it.
    waitForEarlierVersion(context, factId, proposalId)
    return
  }
  const claw = stored ? stored.home : context.ownClaw
  const publishedAt = formatTime(context.now)
  const decisionId = recordIds.decision(proposalId)
  const { tags } = proposal
  putFact(
    context,
    { proposal, stored, factId, version },
    {
      subject,
      predicate,
      object,
      tags,
      proposal: proposalId,
      decision: decisionId,
      source: claw,
      yes: decision.yes,
      no: decision.no,
      publishedAt,
    },
  )
  sendEnvelope(context, {
    ...envelopeHead(context, { claw, key: `knowledge:fact:${factId}:${version}`, trace: proposal.trace }),
    type: 'fact',
    payload: {
      factId,
      group: proposal.group,
      subject,
      predicate,
      object,
      version,
      source: claw,
      proposalId,
      decisionId,
      tags,
      publishedAt,
    },
  })
}

/** A proposal of a later version waits this long for the version before it. */
const earlierVersionWaitMs = 86_400_000

function waitForEarlierVersion({ pool, now }: PoolContext, about: string, proposal: string): void {
  const isWaiting = pool.waiting({ about }).some((one) => one.type === 'promotion' && one.text === proposal)
  if (isWaiting) return
  // `promotion`: no envelope waits, but a proposal. `text` is its id.
  pool.wait({
    type: 'promotion',
    about,
    claw: '',
    key: proposal,
    text: proposal,
    at: now,
    due: now + earlierVersionWaitMs,
  })
}
