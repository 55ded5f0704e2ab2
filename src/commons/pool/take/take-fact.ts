// Taking in a fact, and giving one out. Invariant: a fact rests on an approved proposal and says what that said; its versions
// are given out by one device of one claw, so that there is one history of it.
import type { FactBody, FactVersion, ProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { factIdOf, sameClaw } from '../rule/claw-id.ts'
import { judgeFact, saysSame } from '../rule/fact-apply.ts'
import {
  headFor,
  isGone,
  isOwnClaw,
  isWithdrawn,
  put,
  readDecision,
  readFact,
  readProposal,
  type Scene,
  say,
  saidTime,
} from './pool-context.ts'
import { accepted, conflict, decisionWaitMs, type Letter, type Verdict, withdrawn } from './verdict.ts'
import { countHere } from './count.ts'

export function takeFact(scene: Scene, envelope: Letter<'fact'>, isLast: boolean): Verdict {
  const { payload, clawId: claw, timestamp } = envelope
  const { factId, version, proposalId = '', subject, predicate, object, tags } = payload
  const isEnded = isGone(scene.records, recordIds.fact(factId))
  if (isEnded || (proposalId !== '' && isWithdrawn(scene, proposalId))) return withdrawn
  const known = readFact(scene, factId)
  const verdict = judgeFact(known, payload)
  if (verdict.result !== 'accepted') return verdict.result === 'conflict' ? conflict(verdict.reason) : verdict
  const decision = proposalId === '' ? undefined : readDecision(scene, proposalId)
  const proposal = proposalId === '' ? undefined : readProposal(scene, proposalId)
  const counted = !decision && proposal ? countHere(scene, proposal) : undefined
  const isApproved = decision ? decision.outcome === 'approved' : counted?.outcome === 'approved'
  if (!proposal || !isApproved) {
    if (isLast || decision || proposalId === '') return conflict('no_approved_decision')
    return { ...conflict('no_approved_decision'), waits: { about: proposalId, forMs: decisionWaitMs } }
  }
  const wrong = scene.config.compatibility ? undefined : judgeOrigin(proposal, known, envelope)
  if (wrong !== undefined) return conflict(wrong)
  const { yes, no } = decision ?? counted ?? { yes: 0, no: 0 }
  putFact(
    scene,
    { proposal, known, factId, version },
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
      published_at: saidTime(scene, payload.publishedAt ?? timestamp),
    },
  )
  return accepted(verdict.reason, { frees: [factId] })
}

/** A fact says what was voted on, and its later versions come from where the first one was proposed. */
function judgeOrigin(
  proposal: ProposalBody,
  known: FactBody | undefined,
  { payload, clawId }: Letter<'fact'>,
): string | undefined {
  const voted = factOf(proposal)
  if (payload.factId !== voted.id || payload.version !== voted.version || !saysSame(payload, voted))
    return 'not_what_was_voted_on'
  return known && !sameClaw(known.home, clawId) ? 'not_the_publisher' : undefined
}

/** What a proposal becomes when it is approved. */
export function factOf({
  proposal,
  fact,
  title,
  statement,
}: ProposalBody): NonNullable<ProposalBody['fact']> {
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
  readonly proposal: ProposalBody
  readonly known: FactBody | undefined
  readonly factId: string
  readonly version: number
}

function putFact(scene: Scene, { proposal, known, factId, version }: FactPlace, said: FactVersion): void {
  const home = known ?? { home: proposal.claw, home_device: deviceOf(proposal.instance) }
  const { subject, predicate, object, tags, yes, no, published_at } = said
  put(scene, 'pool_fact', recordIds.fact(factId), {
    claw: home.home,
    by: home.home,
    group: proposal.group,
    fact: factId,
    home: home.home,
    home_device: home.home_device,
    versions: { ...known?.versions, [String(version)]: { ...said, ...madeFrom(proposal) } },
    version,
    subject,
    predicate,
    object,
    tags,
    votes: { yes, no },
    published_at,
  })
}

const madeFrom = ({ made_from }: ProposalBody) => (made_from === undefined ? {} : { made_from })

/** An instance is a device and a start of its engine. */
export const deviceOf = (instance: string): string => instance.split('#')[0] ?? ''

/** Gives out what an approved proposal makes, where that is for this copy of the book to do. */
export function publish(scene: Scene, proposalId: string, isDecider: boolean): void {
  const { pool, config } = scene
  const proposal = readProposal(scene, proposalId)
  const decision = readDecision(scene, proposalId)
  if (!proposal || decision?.outcome !== 'approved' || !config.governance) return
  const { id: factId, version, subject, predicate, object } = factOf(proposal)
  if (isGone(scene.records, recordIds.fact(factId))) return
  const known = readFact(scene, factId)
  if (known && known.version >= version) return
  const isHome = known && isOwnClaw(scene, known.home) && known.home_device === pool.self.device
  if (version === 1 ? !isDecider : isHome === false) return
  if (judgeFact(known, { version, subject, predicate, object }).result !== 'accepted') {
    // The version before it may be on its way.
    waitForFact(scene, factId, proposalId)
    return
  }
  const claw = known ? known.home : scene.own
  const published_at = saidTime(scene, '')
  const decisionId = recordIds.decision(proposalId)
  const { tags } = proposal
  putFact(
    scene,
    { proposal, known, factId, version },
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
      published_at,
    },
  )
  say(scene, {
    ...headFor(scene, { claw, key: `knowledge:fact:${factId}:${version}`, trace: proposal.trace }),
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
      publishedAt: published_at,
    },
  })
}

function waitForFact({ pool, now }: Scene, about: string, proposal: string): void {
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
