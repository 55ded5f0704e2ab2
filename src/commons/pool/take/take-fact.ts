// Takes in a fact, and publishes one.
// Invariant: a fact comes from an approved proposal and has its words; one device of one claw publishes all its
// versions, so a fact has one history.
import { defined } from '../../../core/defined.ts'
import type { PoolFactBody, PoolFactVersion, PoolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import { judgeFact, sameStatement } from '../rule/fact-apply.ts'
import {
  envelopeHead,
  isGone,
  isOwnClaw,
  isWithdrawn,
  putRecord,
  readDecision,
  readFact,
  readProposal,
  type PoolContext,
  sendEnvelope,
  claimedTime,
} from './pool-context.ts'
import { accepted, conflict, decisionWaitMs, type EnvelopeOf, type Verdict, withdrawn } from './verdict.ts'
import { countHere } from './count.ts'

export function takeFact(context: PoolContext, envelope: EnvelopeOf<'fact'>, isLast: boolean): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { factId, version, proposalId = '', subject, predicate, object, tags } = payload
  const isEnded = isGone(context.records, recordIds.fact(factId))
  if (isEnded || (proposalId !== '' && isWithdrawn(context, proposalId))) return withdrawn
  const stored = readFact(context, factId)
  const verdict = judgeFact(stored, payload)
  if (verdict.result !== 'accepted') return verdict.result === 'conflict' ? conflict(verdict.reason) : verdict
  const decision = proposalId === '' ? undefined : readDecision(context, proposalId)
  const proposal = proposalId === '' ? undefined : readProposal(context, proposalId)
  const counted = !decision && proposal ? countHere(context, proposal) : undefined
  const isApproved = decision ? decision.outcome === 'approved' : counted?.outcome === 'approved'
  if (!proposal || !isApproved) {
    if (isLast || decision || proposalId === '') return conflict('no_approved_decision')
    return { ...conflict('no_approved_decision'), waits: { about: proposalId, forMs: decisionWaitMs } }
  }
  const wrong = context.config.compatibility ? undefined : judgeOrigin(proposal, stored, envelope)
  if (wrong !== undefined) return conflict(wrong)
  const { yes, no } = decision ?? counted ?? { yes: 0, no: 0 }
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
      publishedAt: claimedTime(context, payload.publishedAt ?? timestamp),
    },
  )
  return accepted(verdict.reason, { frees: [factId] })
}

/**
 * The fault of a fact: it differs from its proposal, or another claw published its first version. Undefined: no
 * fault.
 */
function judgeOrigin(
  proposal: PoolProposalBody,
  stored: PoolFactBody | undefined,
  { payload, clawId }: EnvelopeOf<'fact'>,
): string | undefined {
  const voted = factOf(proposal)
  if (payload.factId !== voted.id || payload.version !== voted.version || !sameStatement(payload, voted))
    return 'not_what_was_voted_on'
  return stored && !sameClaw(stored.home, clawId) ? 'not_the_publisher' : undefined
}

/** The fact that a proposal becomes when it is approved. */
export function factOf({
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

interface FactPlace {
  readonly proposal: PoolProposalBody
  readonly stored: PoolFactBody | undefined
  readonly factId: string
  readonly version: number
}

function putFact(
  context: PoolContext,
  { proposal, stored, factId, version }: FactPlace,
  words: PoolFactVersion,
): void {
  const home = stored ?? { home: proposal.claw, homeDevice: instanceDevice(proposal.instance) }
  const { subject, predicate, object, tags, yes, no, publishedAt } = words
  putRecord(context, 'pool_fact', recordIds.fact(factId), {
    claw: home.home,
    by: home.home,
    group: proposal.group,
    fact: factId,
    home: home.home,
    homeDevice: home.homeDevice,
    versions: { ...stored?.versions, [String(version)]: { ...words, ...madeFrom(proposal) } },
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
export function publish(context: PoolContext, proposalId: string, isDecider: boolean): void {
  const { pool, config } = context
  const proposal = readProposal(context, proposalId)
  const decision = readDecision(context, proposalId)
  if (!proposal || decision?.outcome !== 'approved' || !config.governance) return
  const { id: factId, version, subject, predicate, object } = factOf(proposal)
  if (isGone(context.records, recordIds.fact(factId))) return
  const stored = readFact(context, factId)
  if (stored && stored.version >= version) return
  const isHome = stored && isOwnClaw(context, stored.home) && stored.homeDevice === pool.self.device
  if (version === 1 ? !isDecider : isHome === false) return
  if (judgeFact(stored, { version, subject, predicate, object }).result !== 'accepted') {
    // The previous version may still arrive: wait for it.
    waitForFact(context, factId, proposalId)
    return
  }
  const claw = stored ? stored.home : context.own
  const publishedAt = claimedTime(context, '')
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

function waitForFact({ pool, now }: PoolContext, about: string, proposal: string): void {
  const isWaiting = pool.waiting({ about }).some((one) => one.type === 'promotion' && one.text === proposal)
  if (isWaiting) return
  pool.wait({
    type: 'promotion',
    about,
    claw: '',
    key: proposal,
    text: proposal,
    at: now,
    due: now + 86_400_000,
  })
}
