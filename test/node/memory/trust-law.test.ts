// The law of trust: over any sequence of calls by the owner, agents, guests, tools and imports, the trust of a record never
// rises without the owner's verb, and is the lowest of those that wrote its text or its sources.
import { expect, it } from 'vitest'
import { readReach } from '../../../src/core/access/reach.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { type Trust, trustClasses } from '../../../src/core/trusted.ts'
import type { CallOptions } from '../../../src/engine/engine-shape.ts'
import { createDice } from '../../support/dice.ts'
import { openTestEngine } from '../../support/test-engine.ts'

const guest: Caller = {
  role: 'guest',
  token: 'claims',
  agent: 'helper',
  reach: readReach({ scope: '**' }) ?? expect.unreachable(),
  permissions: ['read', 'write', 'export'],
  by: 'claims',
}
const writers: readonly (readonly [Trust, CallOptions])[] = [
  ['owner', {}],
  ['agent', { scope: { agent: 'scout' } }],
  ['external', { scope: { trust: 'external' } }],
  ['device', { scope: { trust: 'device' } }],
  ['agent', { caller: guest }],
]
const rank = (trust: Trust | undefined) => trustClasses.indexOf(trust ?? 'owner')
const lowest = (...some: (Trust | undefined)[]): Trust =>
  trustClasses[Math.max(...some.map(rank))] ?? expect.unreachable()

interface Known {
  trust: Trust
  /** The trust of each version, the first one at 0. */
  readonly versions: Trust[]
}

class Law {
  readonly site = openTestEngine()
  readonly records = new Map<string, Known>()
  readonly steps: string[] = []
  readonly #dice
  #serial = 0

  constructor(seed: number) {
    this.#dice = createDice(seed)
  }

  readonly call = (id: string, input: object, options: CallOptions = {}) =>
    this.site.engine.call(id, input, options) as Promise<{ id: string; trust?: Trust }>
  readonly #pick = <One>(some: readonly One[]): One => some[this.#dice.below(some.length)] as One
  readonly #content = () => `Statement ${(this.#serial += 1)}`

  #wrote(id: string, trust: Trust): void {
    const known = this.records.get(id)
    if (known) known.versions.push((known.trust = trust))
    else this.records.set(id, { trust, versions: [trust] })
  }

  async step(): Promise<void> {
    const [writer, options] = this.#pick(writers)
    const ids = [...this.records.keys()]
    const id = ids.length === 0 ? undefined : this.#pick(ids)
    const known = id === undefined ? undefined : this.records.get(id)
    const action = known ? this.#dice.below(7) : 0
    this.steps.push(`${action} ${writer} ${ids.indexOf(id ?? '')}`)
    if (!known || id === undefined || action < 2) {
      const trust = this.#pick([undefined, undefined, ...trustClasses])
      const input = { content: this.#content(), ...(trust ? { trust } : {}) }
      const made = await this.call('kstar:store_perception', input, options)
      return this.#wrote(made.id, lowest(writer, trust))
    }
    const attempt = (verb: string, input: object) =>
      this.call(verb, { id, ...input }, options).then(
        () => true,
        (error: { code?: string }) => {
          // Agents may not change each other's records.
          expect(error.code).toBe('forbidden')
          return false
        },
      )
    if (action < 4) {
      const isDone = await attempt('kstar:update_perception', { updates: { content: this.#content() } })
      return isDone ? this.#wrote(id, lowest(writer, known.trust)) : undefined
    }
    if (action === 4) {
      const version = this.#dice.below(known.versions.length)
      if (!(await attempt('kstar:restore', { version: version + 1 }))) return
      // Repeating the text keeps the trust.
      const isSame = version === known.versions.length - 1 && writer !== 'owner'
      return this.#wrote(
        id,
        isSame
          ? lowest(known.trust, known.versions[version])
          : lowest(writer, known.trust, known.versions[version]),
      )
    }
    if (action === 5) {
      const trust = this.#pick(trustClasses)
      const isDone = await attempt('kstar:set_trust', { trust })
      expect(isDone && options.caller !== undefined).toBe(false)
      expect(isDone && options.scope?.agent !== undefined).toBe(false)
      if (isDone && trust !== known.trust) this.#wrote(id, lowest(trust, writer))
      return
    }
    const records = [id, this.#pick(ids)]
    const input = { question: this.#content(), answer: 'yes', records }
    const { id: answer } = await this.call('ks:cache_answer', input)
    const made = await this.call('kstar:get_record', { id: answer })
    expect(made.trust ?? 'owner').toBe(lowest(...records.map((one) => this.records.get(one)?.trust)))
  }

  async check(): Promise<void> {
    for (const [id, { trust }] of this.records) {
      const stored = await this.call('kstar:get_record', { id })
      expect(stored.trust ?? 'owner', this.steps.join('\n')).toBe(trust)
    }
  }
}

it('is the lowest of all that wrote a record, and rises by the verb of the owner only', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const law = new Law(seed)
    for (let i = 0; i < 25; i++) {
      await law.step()
      await law.check()
    }
    law.site.engine.close()
  }
})
