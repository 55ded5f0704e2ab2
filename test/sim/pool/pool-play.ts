// Plays a schedule of a pool of five claws: what they do, and what the network and the clock do to them.
import { createDice } from '../../support/dice.ts'
import { attackOf } from './attack.ts'
import { ClawSite, signedBy } from './claw-site.ts'
import { brokenLaw, notWithdrawn } from './pool-law.ts'

export const agents = ['ada', 'bob', 'cyd', 'dan', 'eve']

/** One step; `at` is the claw, `pick` chooses among what there is to choose from. */
export interface PoolStep {
  readonly do:
    | 'propose'
    | 'revise'
    | 'vote'
    | 'deliver'
    | 'double'
    | 'lose'
    | 'present'
    | 'wait'
    | 'restart'
    | 'settle'
    | 'attack'
    | 'withdraw'
  readonly at: number
  readonly pick: number
}

const weights: readonly (readonly [PoolStep['do'], number])[] = [
  ['propose', 3],
  ['revise', 6],
  ['vote', 14],
  ['deliver', 50],
  ['double', 5],
  ['lose', 3],
  ['present', 10],
  ['wait', 5],
  ['restart', 1],
  ['settle', 6],
]

/** With somebody among them who has a key of his own, one of the claws' keys, and no right to either. */
const attacked: typeof weights = [...weights, ['attack', 30]]

/** With claws that take back what they have proposed. */
const regretted: typeof weights = [...weights, ['withdraw', 6]]

const sorts = { plain: weights, attacked, regretted } as const
export type PoolSort = keyof typeof sorts

/** The schedule of a seed, the same for ever. */
export function scheduleOf(seed: number, sort: PoolSort = 'plain'): PoolStep[] {
  const dice = createDice(seed)
  const steps = sorts[sort]
  const total = steps.reduce((sum, [, weight]) => sum + weight, 0)
  return Array.from({ length: 40 + dice.below(160) }, () => {
    let left = dice.below(total)
    const found = steps.find(([, weight]) => (left -= weight) < 0)
    return { do: found?.[0] ?? 'deliver', at: dice.below(agents.length), pick: dice.below(1_000_000) }
  })
}

export interface Played {
  readonly fault?: string
  readonly facts: number
  readonly versions: number
  readonly decisions: number
  readonly withdrawn: number
}

/** What was wrong once stays so: a version is never replaced. */
const lookEvery = 16

const sites = agents.map((agent) => new ClawSite(agent))

/** Plays it; stops at the first law that is broken. */
export async function play(steps: readonly PoolStep[]): Promise<Played> {
  for (const site of sites) site.clear(agents)
  const world = new World()
  await world.begin()
  for (const [number, step] of steps.entries()) {
    await world.take(step)
    world.collect()
    const fault = number % lookEvery === 0 ? brokenLaw(sites) : undefined
    if (fault !== undefined) return { fault: `step ${number}: ${fault}`, ...counts(world) }
  }
  await world.rest()
  const fault = brokenLaw(sites) ?? notWithdrawn(sites, world.withdrawn)
  return { ...(fault === undefined ? {} : { fault: `at rest: ${fault}` }), ...counts(world) }
}

function counts({ withdrawn }: World) {
  const facts = sites.flatMap((site) => site.of('pool_fact'))
  return {
    facts: new Set(facts.map(({ fact }) => fact)).size,
    versions: Math.max(0, ...facts.map(({ version }) => Number(version))),
    decisions: sites.reduce((sum, site) => sum + site.of('pool_decision').length, 0),
    withdrawn: withdrawn.size,
  }
}

const readType = (text: string) => (JSON.parse(text) as { type: string }).type

class World {
  #now = Date.parse('2026-03-01T12:00:00Z')
  #serial = 0
  #forged = 0
  readonly withdrawn = new Set<string>()
  readonly #flying: { readonly to: ClawSite; readonly text: string }[] = []

  constructor() {
    // Most of them know of each other when it begins.
    for (const site of sites.slice(0, 4)) site.presence(this.#now)
    this.collect()
  }

  /** A fact that all of them have, for several of them to revise at once. */
  async begin(): Promise<void> {
    await this.#arrive()
    sites[0]?.propose(this.#now, this.#words())
    await this.#arrive()
    for (const site of sites.slice(1, 4)) this.#vote(site, 1)
    await this.#arrive()
    await this.#arrive()
  }

  async #arrive(): Promise<void> {
    this.collect()
    while (this.#flying.length > 0) await this.#deliver(0)
    this.collect()
  }

  /** What the claws have said is under way. */
  collect(): void {
    for (const site of sites)
      for (const { text } of site.outgoing())
        for (const to of sites) if (to !== site) this.#flying.push({ to, text: signedBy(site.agent, text) })
  }

  async take({ do: what, at, pick }: PoolStep): Promise<void> {
    this.#now += 50
    const site = sites[at] ?? sites[0]
    if (!site) return
    switch (what) {
      case 'propose':
        if (site.openProposals().length < 2) site.propose(this.#now, this.#words())
        return
      case 'revise':
        return this.#revise(site, pick)
      case 'vote':
        return this.#vote(site, pick)
      case 'deliver':
        for (let i = 0; i <= pick % 8; i++) await this.#deliver(pick + i)
        return
      case 'double': {
        const one = this.#flying[pick % Math.max(1, this.#flying.length)]
        if (one) this.#flying.push(one)
        return
      }
      case 'lose': {
        const [lost] = this.#flying.splice(pick % Math.max(1, this.#flying.length), 1)
        // Carriers keep what they were given: of this alone all members are to hear.
        if (lost && readType(lost.text) === 'withdrawal') this.#flying.push(lost)
        return
      }
      case 'withdraw': {
        const proposal = site.withdraw(this.#now, pick)
        if (proposal !== undefined) this.withdrawn.add(proposal)
        return
      }
      case 'present':
        return site.presence(this.#now)
      case 'wait':
        this.#now += (pick % 5) * 40_000
        return
      case 'restart':
        return site.restart()
      case 'attack':
        return this.#attack(at, pick)
      case 'settle':
        return site.settle(this.#now)
    }
  }

  /** The attacker says something to everybody. */
  #attack(at: number, pick: number): void {
    const proposals = sites.flatMap((site) =>
      site.of('pool_proposal').map(({ proposal }) => String(proposal)),
    )
    const proposal = proposals[pick % Math.max(1, proposals.length)] ?? 'kp-none'
    this.#forged += 1
    const text = attackOf({
      victim: agents[at] ?? 'ada',
      pick,
      proposal,
      serial: this.#forged,
      now: this.#now,
    })
    for (const to of sites) this.#flying.push({ to, text })
  }

  /** Everything arrives in some order, and what was to be done is done. */
  async rest(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      while (this.#flying.length > 0) await this.#deliver(round * 7)
      for (const site of sites) site.settle(this.#now)
      this.collect()
    }
    this.#now += 200_000
    for (const site of sites) site.settle(this.#now)
  }

  #words() {
    const object = `M${++this.#serial}`
    return {
      statement: `E maps to ${object}`,
      tags: ['ops'],
      fact: { subject: 'E', predicate: 'maps to', object },
    }
  }

  #revise(site: ClawSite, pick: number): void {
    const known = site.of('pool_fact')
    const one = known[pick % Math.max(1, known.length)]
    const { fact, ...words } = this.#words()
    if (one && site.openProposals().length < 3)
      site.propose(this.#now, { ...words, fact: { ...fact, id: one['fact'] } })
  }

  #vote(site: ClawSite, pick: number): void {
    const open = site.openProposals()
    const proposal = open[pick % Math.max(1, open.length)]
    if (proposal !== undefined) site.vote(this.#now, { proposal, vote: pick % 5 === 0 ? 'no' : 'yes' })
  }

  async #deliver(pick: number): Promise<void> {
    if (this.#flying.length === 0) return
    // Mostly one of the oldest, sometimes any.
    const reach = pick % 4 === 0 ? this.#flying.length : Math.min(6, this.#flying.length)
    const [one] = this.#flying.splice(pick % reach, 1)
    await one?.to.take(this.#now, one.text)
  }
}
