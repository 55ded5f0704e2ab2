// Answers that were lost and are given again after the record has moved on: what the op met then still decides.
import { expect, it } from 'vitest'
import { expectSame, failure, id, textOf } from '../mirror-case.ts'
import { createWorld, type DatabaseHost, type TestDevice, type World } from '../mirror-world.ts'

const first = { text: 'first', tags: ['a'], uses: 5 }

/** `a` changes a record first; `b` sends its own change, and the answer is lost on its way. */
async function lostAnswer(world: World, kind: string, b: TestDevice, said: Parameters<TestDevice['put']>[2]) {
  const a = world.device('a')
  await a.put(kind, id(1), first)
  await a.sync()
  await b.sync()
  world.clock.nowMs += 1000
  await a.put(kind, id(1), { ...first, text: 'met' })
  await a.sync()
  world.clock.nowMs += 1000
  await b.put(kind, id(1), said)
  b.faults('lose-answer')
  await failure(b.sync())
  world.clock.nowMs += 1000
  return a
}

export function lateAnswerCases(host: DatabaseHost): void {
  it('C3 C13 an edit that nobody decided loses to a forget that came before its answer did', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'merge', b, { ...first, text: 'of b' })
    await a.forget(id(1))
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.get(id(1))).toBeUndefined()
    expect(await b.conflicts()).toMatchObject([
      { state: 'settled', loser: { op: 'put', body: { text: 'of b' } }, winner: { op: 'forget' } },
    ])
  })

  it('C3 C13 an edit that nobody decided loses to a forget whose tombstone was collected', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'merge', b, { ...first, text: 'of b' })
    await a.forget(id(1))
    await a.sync()
    await a.sync()
    world.clock.nowMs += 200 * 86_400_000
    await a.sync()
    expect(await world.mirror.tidy()).toBe(1)
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.get(id(1))).toBeUndefined()
    expect(await b.conflicts()).toMatchObject([{ loser: { op: 'put', body: { text: 'of b' } } }])
  })

  it('C3 C13 an edit of a purged record that nobody decided leaves no text, whenever its answer comes', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'merge', b, { ...first, text: 'zanzibar' })
    await a.purge(id(1))
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.get(id(1))).toBeUndefined()
    expect(await b.conflicts()).toMatchObject([
      { loser: { op: 'put' }, winner: { op: 'forget', purged: true } },
    ])
    expect(JSON.stringify(await b.conflicts())).not.toContain('zanzibar')
  })

  it('C3 C13 where a later edit revives, one that nobody decided is decided by the mirror, and all say so', async () => {
    const world = createWorld(host)
    const b = world.device('b', { policies: new Map([['later_revives', 'merge']]) })
    b.skewMs = 30_000
    const a = await lostAnswer(world, 'later_revives', b, { ...first, text: 'of b' })
    await a.forget(id(1))
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(b)).toBe('of b')
    for (const site of [a, b, world.mirror])
      expect(await site.conflicts()).toMatchObject([
        { loser: { op: 'forget' }, winner: { op: 'put', body: { text: 'of b' } } },
      ])
  })

  it('C13 the log names what the edit lost to, not what stands there when the answer comes', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'remote_wins', b, { ...first, text: 'of b' })
    await a.put('remote_wins', id(1), { ...first, text: 'later' })
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(b)).toBe('later')
    const [here] = await b.conflicts()
    const [there] = await world.mirror.conflicts()
    expect(here).toMatchObject({
      loser: { body: { text: 'of b' } },
      winner: { op: 'put', body: { text: 'met' } },
    })
    expect(there).toMatchObject({
      loser: { body: { text: 'of b' } },
      winner: { op: 'put', body: { text: 'met' } },
    })
  })

  it('C13 the log names nothing where what the edit lost to was forgotten since', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'remote_wins', b, { ...first, text: 'of b' })
    await a.forget(id(1))
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
    const [entry] = await b.conflicts()
    expect(entry).toMatchObject({ loser: { body: { text: 'of b' } } })
    expect(entry?.winner).toBeUndefined()
  })

  it('C1 C13 what said the same as it met has lost nothing, whatever came later', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'last_write_wins', b, { ...first, text: 'met' })
    await a.put('last_write_wins', id(1), { ...first, text: 'later' })
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(b)).toBe('later')
    expect(await b.conflicts()).toEqual([])
  })

  it('C1 C13 an edit on top of one that said the same was made on what that one met', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = await lostAnswer(world, 'merge', b, { ...first, text: 'met' })
    await a.put('merge', id(1), { ...first, text: 'met', tags: ['a', 'of a'] })
    await a.sync()
    await b.put('merge', id(1), { ...first, text: 'of b' })
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.get(id(1))).toMatchObject({ text: 'of b', tags: ['a', 'of a'] })
    expect(await b.conflicts()).toEqual([])
  })

  it('C13 E5 a sealed edit that nobody decided loses to a forget that came before its answer did', async () => {
    const world = createWorld(host)
    const b = world.device('b')
    const a = world.device('a')
    await a.put('last_write_wins', id(1), first)
    await a.sync()
    await b.sync()
    world.clock.nowMs += 1000
    await a.put('last_write_wins', id(1), { ...first, text: 'met' })
    await a.sync()
    await b.put('last_write_wins', id(1), { ...first, text: 'of b' }, { sensitivity: 'sensitive' })
    b.faults('lose-answer')
    await failure(b.sync())
    await a.forget(id(1))
    await a.sync()
    await b.sync()
    await a.sync()
    await expectSame(a, b)
    expect(await b.get(id(1))).toBeUndefined()
    expect(await b.conflicts()).toMatchObject([
      { loser: { op: 'put', body: { text: 'of b' }, sensitive: true } },
    ])
  })
}
