// What may never be in a pool, whatever was lost, doubled, late or restarted.
import { minActiveClaws, majorityOf } from '../../../src/commons/pool/rule/quorum.ts'
import { recordIds } from '../../../src/core/text/name-id.ts'
import type { Body, ClawSite } from './claw-site.ts'

interface Counted {
  readonly claw: string
  readonly vote: string
  readonly n: number
}

/** The first law that is broken, in words; undefined when none is. */
export function brokenLaw(sites: readonly ClawSite[]): string | undefined {
  return (
    sites.map((site) => forged(site, sites)).find(Boolean) ??
    sites.map(doubleVote).find(Boolean) ??
    sites.map(wrongDecision).find(Boolean) ??
    sites.map(unfoundedFact).find(Boolean) ??
    twoHistories(sites)
  )
}

/** What its proposer took back is in nobody's book, once all have heard of it. */
export function notWithdrawn(sites: readonly ClawSite[], withdrawn: ReadonlySet<string>): string | undefined {
  for (const site of sites) {
    const about = new Set(
      [...site.of('pool_ballot'), ...site.of('pool_decision')].map(({ proposal }) => String(proposal)),
    )
    const odd = [...withdrawn]
      .map((proposal) => recordIds.proposal(proposal))
      .find((id) => site.bodies.has(id) || about.has(id))
    if (odd !== undefined) return `${site.agent} still holds ${odd}, or what was said about it`
    const fact = site
      .of('pool_fact')
      .find((one) => versionsOf(one).some(([, { proposal }]) => withdrawn.has(String(proposal))))
    if (fact) return `${site.agent} holds ${fact['fact']}, of which a version was withdrawn`
  }
  return undefined
}

/** Nobody speaks who was not admitted, and nobody in another's name. */
function forged(site: ClawSite, sites: readonly ClawSite[]): string | undefined {
  const bySelf = new Map(sites.map((one) => [one.claw, one]))
  for (const kind of ['pool_proposal', 'pool_ballot', 'pool_decision', 'pool_claw']) {
    const odd = site.of(kind).find(({ claw }) => !bySelf.has(String(claw)))
    if (odd) return `${site.agent} holds a ${kind} of ${odd['claw']}, who was not admitted`
  }
  for (const { claw, proposal, votes } of site.of('pool_ballot')) {
    const voter = bySelf.get(String(claw))
    // What was withdrawn is gone there already.
    if (voter?.gone.has(String(proposal))) continue
    const own = voter?.of('pool_ballot')
    const cast = own?.find((one) => one['claw'] === claw && one['proposal'] === proposal)?.['votes'] as Body
    for (const [n, { vote }] of Object.entries(votes as Record<string, Body>))
      if ((cast?.[n] as Body | undefined)?.['vote'] !== vote)
        return `${site.agent} holds a vote ${n} of ${claw} on ${proposal} that it did not cast`
  }
  for (const { active, proposal } of site.of('pool_decision') as { active: string[]; proposal: string }[])
    if (active.some((claw) => !bySelf.has(claw)))
      return `${site.agent} holds a decision on ${proposal} that counts a stranger`
  return undefined
}

function doubleVote(site: ClawSite): string | undefined {
  const seen = new Set<string>()
  for (const { proposal, claw } of site.of('pool_ballot')) {
    const key = `${proposal} ${claw}`
    if (seen.has(key)) return `${site.agent} has two ballots of ${claw} on ${proposal}`
    seen.add(key)
  }
  for (const { ballots = [], proposal } of site.of('pool_decision') as {
    ballots?: Counted[]
    proposal: string
  }[]) {
    if (new Set(ballots.map(({ claw }) => claw)).size !== ballots.length)
      return `${site.agent} holds a decision on ${proposal} that counts a claw twice`
  }
  return undefined
}

function wrongDecision(site: ClawSite): string | undefined {
  for (const one of site.of('pool_decision')) {
    const { outcome, active, yes, ballots, proposal } = one as {
      outcome: string
      active: string[]
      yes: number
      ballots: Counted[]
      proposal: string
    }
    if (outcome !== 'approved') continue
    if (new Set(active).size < minActiveClaws)
      return `${site.agent}: ${proposal} approved by ${active.length} claws`
    const counted = ballots.filter(({ vote }) => vote === 'yes').length
    if (counted !== yes || yes < majorityOf(active.length))
      return `${site.agent}: ${proposal} approved with ${yes} of ${active.length}, ${counted} named`
  }
  return undefined
}

const versionsOf = (fact: Body) => Object.entries(fact['versions'] as Record<string, Body>)

function unfoundedFact(site: ClawSite): string | undefined {
  const proposals = new Map(site.of('pool_proposal').map((one) => [one['proposal'], one]))
  for (const fact of site.of('pool_fact')) {
    const numbers = versionsOf(fact).map(([n]) => Number(n))
    if (site.gone.size === 0 && Math.max(...numbers) !== numbers.length)
      return `${site.agent}: ${fact['fact']} has a gap`
    for (const [version, { proposal, object }] of versionsOf(fact)) {
      const voted = proposals.get(proposal)?.['fact'] as Body | undefined
      if (!voted || voted['object'] !== object)
        return `${site.agent}: ${fact['fact']} v${version} was not voted on`
    }
  }
  return undefined
}

function twoHistories(sites: readonly ClawSite[]): string | undefined {
  const said = new Map<string, string>()
  const approved = new Set(
    sites.flatMap((site) =>
      site.of('pool_decision').flatMap((one) => (one['outcome'] === 'approved' ? [one['proposal']] : [])),
    ),
  )
  for (const site of sites) {
    for (const fact of site.of('pool_fact')) {
      for (const [version, { subject, predicate, object, proposal }] of versionsOf(fact)) {
        const key = `${fact['fact']} v${version}`
        const word = JSON.stringify([subject, predicate, object, proposal])
        if ((said.get(key) ?? word) !== word) return `two histories of ${key}: ${said.get(key)} and ${word}`
        said.set(key, word)
        const isWithdrawn = sites.some(({ gone }) => gone.has(`pool_proposal::${proposal}`))
        if (!isWithdrawn && !approved.has(`pool_proposal::${proposal}`))
          return `${key} rests on no approved decision anywhere`
      }
    }
  }
  return undefined
}
