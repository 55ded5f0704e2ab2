// Two records that were made apart from each other to stand in the place of one: one of them does, everywhere the same.
import { expect, it } from 'vitest'
import { defined } from '../../../../src/core/defined.ts'
import { createKinds, type Kind } from '../../../../src/core/kind.ts'
import { factKind } from '../../../../src/memory/kstar/fact-kind.ts'
import { createNumbers, createWorld, type DatabaseHost, type Site, type World } from '../mirror-world.ts'

/** As a fact, with a policy by which what was made last stands. */
const noteKind: Kind = { ...factKind, name: 'note', policy: 'last_write_wins' } as Kind
const kinds = createKinds([factKind as Kind, noteKind])
const names = ['a', 'b', 'c'] as const

function createFactWorld(host: DatabaseHost): World {
  const kindsAt = Object.fromEntries(names.map((name) => [name, kinds]))
  return createWorld(host, { kindsAtMirror: kinds, kindsAt })
}

const fact = (value: string, supersedes?: string) => ({
  schema: 'city',
  data: { value },
  verified: false,
  ...defined({ supersedes }),
})

/** What is current at `site`, by id. */
function current(site: Site, kind = 'fact'): Promise<string[]> {
  return site.look((store) => {
    store.projection.catchUp()
    return store.queries
      .query({ kind, limit: 1000 })
      .records.map(({ id }) => id)
      .toSorted()
  })
}

async function log(site: Site): Promise<string[]> {
  return (await site.conflicts()).map(({ record, winner }) => `${record} to ${winner?.record}`).toSorted()
}

export function rivalCases(host: DatabaseHost): void {
  it('C15 of two that supersede one record, made apart, one is current everywhere, and the other in each log', async () => {
    for (const [kind, winner, loser] of [
      ['fact', 'earlier', 'later'],
      ['note', 'later', 'earlier'],
    ] as const) {
      const world = createFactWorld(host)
      const [a, b, c] = [world.device('a'), world.device('b'), world.device('c')]
      await a.put(kind, 'root', fact('Berlin'))
      await a.sync()
      await b.sync()
      world.clock.nowMs += 1000
      await b.put(kind, 'earlier', fact('Munich', 'root'))
      world.clock.nowMs += 1000
      await a.put(kind, 'later', fact('Hamburg', 'root'))
      expect(await a.sync()).toMatchObject({ conflicts: 0 })
      expect(await b.sync()).toMatchObject({ conflicts: 1 })
      expect(await a.sync()).toMatchObject({ conflicts: 1 })
      expect(await c.sync()).toMatchObject({ conflicts: 1 })
      for (const site of [a, b, c, world.mirror]) {
        expect(await current(site, kind)).toEqual([winner])
        expect(await log(site)).toEqual([`${loser} to ${winner}`])
      }
      expect((await a.conflicts())[0]).toMatchObject({
        loser: {
          by: await (winner === 'later' ? b : a).look(({ device }) => device),
          body: { supersedes: 'root' },
        },
        winner: { by: await (winner === 'later' ? a : b).look(({ device }) => device), record: winner },
        state: 'settled',
      })
      // What comes again is not logged again.
      await a.put(kind, loser, fact('Bremen', 'root'))
      await a.sync()
      expect(await b.sync()).toMatchObject({ pulled: 1, conflicts: 0 })
      expect(await log(world.mirror)).toEqual([`${loser} to ${winner}`])
    }
  })

  it('C15 what supersedes a record that yielded yields with it, and what supersedes the other one is current', async () => {
    const world = createFactWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('fact', 'root', fact('Berlin'))
    await a.sync()
    await b.sync()
    for (const [site, id, target] of [
      [a, 'a-1', 'root'],
      [b, 'b-1', 'root'],
      [b, 'b-2', 'b-1'],
      [b, 'b-3', 'b-2'],
      [a, 'a-2', 'a-1'],
    ] as const) {
      world.clock.nowMs += 1000
      await site.put('fact', id, fact(id, target))
    }
    await b.sync()
    await a.sync()
    await b.sync()
    for (const site of [a, b, world.mirror]) expect(await current(site)).toEqual(['a-2'])
    await a.forget('a-1')
    await a.forget('a-2')
    await a.sync()
    await b.sync()
    // Nothing is in the way of the other branch any more.
    for (const site of [a, b, world.mirror]) expect(await current(site)).toEqual(['b-3'])
  })

  it('C15 deciding for what lost makes it current everywhere, and deciding anew undoes that', async () => {
    const world = createFactWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('fact', 'root', fact('Berlin'))
    await a.sync()
    await b.sync()
    for (const [site, id, target] of [
      [a, 'a-1', 'root'],
      [b, 'b-1', 'root'],
      [a, 'a-2', 'a-1'],
    ] as const) {
      world.clock.nowMs += 1000
      await site.put('fact', id, fact(id, target))
    }
    await a.sync()
    await b.sync()
    await a.sync()
    const [entry] = await a.conflicts()
    const decide = async (choice: object) => {
      const answer = await a.choose({ id: entry?.id, ...choice })
      await a.sync()
      await b.sync()
      return answer
    }
    const everywhere = async () => {
      const each = await Promise.all([a, b, world.mirror].map((site) => current(site)))
      return [...new Set(each.map(String))]
    }
    expect(entry).toMatchObject({ record: 'b-1', winner: { record: 'a-1' } })
    expect(await decide({ choose: 'winner' })).toEqual({ record: 'b-1', changed: false })
    expect(await everywhere()).toEqual(['a-2'])
    expect(await decide({ choose: 'loser' })).toEqual({ record: 'b-1', changed: true })
    expect(await everywhere()).toEqual(['b-1'])
    expect(await decide({ choose: 'loser' })).toEqual({ record: 'b-1', changed: false })
    expect(await decide({ choose: 'winner' })).toEqual({ record: 'b-1', changed: true })
    expect(await everywhere()).toEqual(['a-2'])
    expect(await decide({ choose: 'body', body: fact('both') })).toEqual({ record: 'b-1', changed: true })
    expect(await everywhere()).toEqual(['b-1'])
    expect((await b.get('b-1'))?.['data']).toEqual({ value: 'both' })
    // Forgotten meanwhile: it is there again, in the place of what is current.
    await a.forget('b-1')
    expect(await decide({ choose: 'loser' })).toEqual({ record: 'b-1', changed: true })
    expect(await everywhere()).toEqual(['b-1'])
  })

  it('C15 in whatever order changes arrive, all copies have the same one current, and each that yielded in a log', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const world = createFactWorld(host)
      const numbers = createNumbers(seed)
      const pick = <One>(from: readonly One[]) => from[numbers() % from.length] as One
      const devices = names.map((name) => world.device(name))
      const kind = pick(['fact', 'note'])
      await world.device('a').put(kind, 'root', fact('root'))
      for (const device of devices) {
        await world.device('a').sync()
        await device.sync()
      }
      for (let step = 0; step < 14; step++) {
        world.clock.nowMs += numbers() % 3 === 0 ? 0 : 1000
        const device = pick(devices)
        if (numbers() % 3 === 0) await device.sync()
        else {
          const [now = 'root'] = await current(device, kind)
          await device.put(kind, `f-${numbers() % 9000}`, fact(String(step), now))
        }
      }
      for (const device of [...devices, ...devices]) await device.sync()
      const sites = [...devices, world.mirror]
      const each = await Promise.all(sites.map((site) => current(site, kind)))
      expect(each[0], `seed ${seed}`).toHaveLength(1)
      for (const one of each) expect(one, `seed ${seed}`).toEqual(each[0])
      const all = Object.values(await world.mirror.all())
      const targets = all.map((one) => one['supersedes'])
      const logged = new Set((await world.mirror.conflicts()).map(({ record }) => record))
      const rivals = all.filter((one) => targets.filter((target) => target === one['supersedes']).length > 1)
      const forks = new Set(rivals.map((one) => one['supersedes'])).size
      // Of each fork one stands; it may have yielded to none, or been here before another that it yields to came.
      expect([...logged].every((id) => rivals.some((one) => one.id === id))).toBe(true)
      expect(logged.size, `seed ${seed}`).toBe(rivals.length - forks)
    }
  })
}
