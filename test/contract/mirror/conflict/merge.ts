// Conflicts that the content decides: three-way merge on the device, and what is left to a person.
import { expect, it } from 'vitest'
import { kinds } from '../../../../src/engine/capability-table.ts'
import { body, expectSame, failure, id, losers, textOf } from '../mirror-case.ts'
import { createWorld, type DatabaseHost, type TestDevice, type World } from '../mirror-world.ts'

const first = { text: 'first', tags: ['a', 'b'], uses: 5, deep: { x: 1, y: 1 } }

async function twoWith(world: World, kind: string, said: Parameters<TestDevice['put']>[2] = first) {
  const [a, b] = [world.device('a'), world.device('b')]
  await a.put(kind, id(1), said)
  await a.sync()
  await b.sync()
  world.clock.nowMs += 1000
  return [a, b] as const
}

export function mergeCases(host: DatabaseHost): void {
  it('C6 merge: what either side changed is there everywhere, and nothing is in a log', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'merge')
    await a.put('merge', id(1), { ...first, text: 'of a', uses: 7, deep: { x: 2, y: 1 } })
    await b.put('merge', id(1), { ...first, tags: ['b', 'c'], uses: 6, deep: { x: 1, y: 9 } })
    await a.sync()
    expect(await b.sync()).toEqual({ pulled: 0, pushed: 1, conflicts: 0 })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({
      text: 'of a',
      tags: ['b', 'c'],
      uses: 8,
      deep: { x: 2, y: 9 },
    })
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
  })

  it('C6 C12 merge: two that counted the same, and said nothing else, have counted twice', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'merge')
    await a.put('merge', id(1), { ...first, uses: 6 })
    await b.put('merge', id(1), { ...first, uses: 6 })
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({ uses: 7 })
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
  })

  it('C14 merge: a skill that two devices used tells the rate and the level of all its uses', async () => {
    const world = createWorld(host, { kindsAtMirror: kinds, kindsAt: { a: kinds, b: kinds } })
    const [a, b] = [world.device('a'), world.device('b')]
    const skill = (usage_count: number, rate: number, last_used: string) => ({
      name: 'weed',
      description: '',
      learned_from: {},
      definition: { procedure: 'p' },
      maturity: { usage_count, success_rate: rate, level: 'novice', last_used },
    })
    // Of a time when the good outcomes were not counted.
    await a.look(({ db, writes, records, stamps }) =>
      writes.write(() => {
        const at = '2026-01-01T00:00:00.000Z'
        const head = {
          op: 'put',
          kind: 'skill',
          id: id(1),
          at,
          stamp: stamps.next(),
          created_at: at,
        } as const
        records.put({ ...head, agent: 'a', body: skill(20, 0.5, at) })
        return db.get('SELECT 1 AS one')
      }),
    )
    await a.sync()
    await b.sync()
    const use = (outcomes: number, uses: number, at: string) => ({
      ...skill(20 + uses, (10 + outcomes) / (20 + uses), at),
    })
    await a.put('skill', id(1), use(1, 1, '2026-01-02T00:00:00.000Z'))
    await b.put('skill', id(1), use(1, 2, '2026-01-01T12:00:00.000Z'))
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.get(id(1))).toMatchObject({
      maturity: {
        usage_count: 23,
        successes: 12,
        success_rate: 12 / 23,
        level: 'novice',
        last_used: '2026-01-02T00:00:00.000Z',
      },
    })
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
  })

  it('C14 merge: a profile tells what both devices have learned', async () => {
    const world = createWorld(host, { kindsAtMirror: kinds, kindsAt: { a: kinds, b: kinds } })
    const [a, b] = [world.device('a'), world.device('b')]
    const facts = (...known: readonly (readonly [attribute: string, value: string])[]) => ({
      user_id: 'ana',
      content: '',
      facts: Object.fromEntries(
        known.map(([attribute, value]) => {
          const since = '2026-01-01T00:00:00.000Z'
          return [
            `${attribute}: ${value.toLowerCase()}`,
            { attribute, value, since, stated_at: since, messages: [] },
          ]
        }),
      ),
    })
    await a.put('profile', id(1), facts(['name', 'Ada']))
    await a.sync()
    await b.sync()
    await a.put('profile', id(1), facts(['name', 'Ada'], ['home', 'Graz']))
    await b.put('profile', id(1), facts(['name', 'Ada'], ['likes', 'tea']))
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({ content: 'home: Graz\nname: Ada\nlikes: tea' })
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
  })

  it('C6 merge: where both said something else the later edit stands, the earlier one is in the log with its base', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'merge')
    await b.put('merge', id(1), { ...first, text: 'earlier' })
    world.clock.nowMs += 1000
    await a.put('merge', id(1), { ...first, text: 'later' })
    await a.sync()
    expect(await b.sync()).toMatchObject({ conflicts: 1 })
    await expectSame(a, b, world.mirror)
    expect(await textOf(b)).toBe('later')
    expect(await b.conflicts()).toMatchObject([
      {
        state: 'settled',
        paths: ['text'],
        base: first,
        loser: { body: { text: 'earlier' } },
        winner: { op: 'put' },
      },
    ])
  })

  it('C6 merge: several edits before the answer came are merged as one, on what they were made from', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'merge')
    await a.put('merge', id(1), { ...first, tags: ['a', 'b', 'of a'] })
    await a.sync()
    await b.put('merge', id(1), { ...first, text: 'b one', uses: 6 })
    b.faults('lose-answer')
    await failure(b.sync())
    await b.put('merge', id(1), { ...first, text: 'b two', uses: 7 })
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({ text: 'b two', uses: 7, tags: ['a', 'b', 'of a'] })
    expect(await b.conflicts()).toEqual([])
  })

  it('C6 merge: two that made the same record have nothing in common but what they said', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('merge', id(1), { text: 'same', of: 'a' })
    await b.put('merge', id(1), { text: 'same', more: 'b' })
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({ text: 'same', of: 'a', more: 'b' })
  })

  it('C8 merge: what would not fit its kind is left to a person, and nothing is lost', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'merge', { text: 'first', short: 'sixteen letters.' })
    await a.put('merge', id(1), { text: 'first', short: 'another, of a' })
    await b.put('merge', id(1), { text: 'first', short: 'something of b' })
    await a.sync()
    expect(await b.sync()).toEqual({ pulled: 0, pushed: 0, conflicts: 1 })
    await expectSame(a, b, world.mirror)
    expect(await b.conflicts()).toMatchObject([
      { state: 'open', loser: { body: { short: 'something of b' } } },
    ])
  })

  it('C8 merge: a record that meets another change each time is left to a person after five rounds', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'merge')
    await b.put('merge', id(1), { ...first, by: 'b' })
    let n = 0
    const meet = async (send: () => Promise<unknown>) => {
      n += 1
      await a.sync()
      await a.put('merge', id(1), { ...first, [`a${n}`]: n })
      await a.sync()
      return send()
    }
    b.faults(...Array.from({ length: 6 }, () => meet))
    await b.sync()
    expect(await b.conflicts()).toMatchObject([{ state: 'open', loser: { body: { by: 'b' } } }])
    await a.sync()
    await expectSame(a, b, world.mirror)
  })

  it('C9 a decision is a change like any other: it reaches everyone, and can be taken anew', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'manual', body('first'))
    await a.put('manual', id(1), body('of a'))
    await b.put('manual', id(1), body('of b'))
    await a.sync()
    await b.sync()
    const [entry] = await b.conflicts()
    const choose = (choose: string, more = {}) => b.choose({ id: entry?.id, choose, ...more })
    expect(await choose('winner')).toEqual({ record: id(1), changed: false })
    expect(await b.conflicts()).toMatchObject([{ state: 'decided' }])
    for (const [what, more, text] of [
      ['loser', {}, 'of b'],
      ['winner', {}, 'of a'],
      ['body', { body: body('of both') }, 'of both'],
    ] as const) {
      expect(await choose(what, more)).toEqual({ record: id(1), changed: true })
      await b.sync()
      await a.sync()
      await expectSame(a, b, world.mirror)
      expect(await textOf(a)).toBe(text)
    }
    expect(await b.state()).toMatchObject({ conflicts: 0 })
  })

  it('C9 a decision that says nothing sound changes nothing', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'manual', body('first'))
    await a.put('manual', id(1), body('of a'))
    await b.put('manual', id(1), body('of b'))
    await a.sync()
    await b.sync()
    const [entry] = await b.conflicts()
    for (const [input, code] of [
      [{ id: 99, choose: 'winner' }, 'not-found'],
      [{ id: entry?.id, choose: 'body' }, 'invalid-input'],
      [{ id: entry?.id, choose: 'loser', body: body('x') }, 'invalid-input'],
      [{ id: entry?.id, choose: 'body', body: { text: 1 } }, 'invalid-input'],
    ] as const) {
      expect(await failure(b.choose(input))).toMatchObject({ code })
    }
    expect(await b.conflicts()).toMatchObject([{ state: 'open' }])
    expect(await textOf(b)).toBe('of a')
    expect(await losers(b)).toEqual(['of b'])
  })

  it('C5 a forgotten record’s losing edits stay in the log', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWith(world, 'remote_wins', body('first'))
    await a.put('remote_wins', id(1), body('of a'))
    await b.put('remote_wins', id(1), body('of b'))
    await a.sync()
    await b.sync()
    await b.forget(id(1))
    await b.sync()
    await a.sync()
    expect(await textOf(a)).toBeUndefined()
    expect(await losers(b)).toEqual(['of b'])
    expect(await losers(world.mirror)).toEqual(['of b'])
  })
}
