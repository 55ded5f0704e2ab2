// A record that is forgotten, purged or sealed after it was sent and before the answer came: its words are not sent again.
import { describe, expect, it } from 'vitest'
import { body, expectSame, failure, id, textOf } from './mirror-case.ts'
import {
  createWorld,
  type DatabaseHost,
  type Fault,
  lastRequest,
  type TestDevice,
  type World,
} from './mirror-world.ts'

const word = 'Siegelwort'
const cuts = ['lose-request', 'lose-answer'] as const satisfies Fault[]
const ways: Record<string, (device: TestDevice) => Promise<unknown>> = {
  forgotten: (device) => device.forget(id(1)),
  purged: (device) => device.purge(id(1)),
  sealed: (device) => device.put('last_write_wins', id(1), body(word), { sensitivity: 'restricted' }),
}

/** What the outbox of a device says in clear. */
const outbox = (device: TestDevice) =>
  device.look(({ db }) => JSON.stringify(db.all<{ wire: string | null }>('SELECT wire FROM ops')))

/** Both devices have the same; the mirror has no word of it in clear, nor has it who has no right to it any more. */
async function expectEnd(world: World, way: string): Promise<void> {
  const [a, b] = [world.device('a'), world.device('b')]
  await expectSame(a, b)
  const text = await textOf(b)
  expect(text).toBe(way === 'sealed' ? word : undefined)
  const seen = await world.mirror.look((store) => JSON.stringify(store.records.history(id(1))))
  expect(JSON.stringify(await world.mirror.all()) + seen).not.toContain(word)
}

/** A world in which a device has sent an edit that never came, a second ago. */
async function unanswered(host: DatabaseHost) {
  const world = createWorld(host)
  const [a, b] = [world.device('a'), world.device('b')]
  await a.put('last_write_wins', id(1), body(word))
  a.faults('lose-request')
  await failure(a.sync())
  world.clock.nowMs += 1000
  return { world, a, b }
}

export function withdrawnCases(host: DatabaseHost): void {
  describe.each(Object.keys(ways))('a record that is %s while its answer is missing', (way) => {
    const withdraw = async (device: TestDevice) => void (await ways[way]?.(device))

    it.each(cuts)('W8 is not sent again as it was: %s', async (cut) => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('last_write_wins', id(1), body(word))
      await a.put('last_write_wins', id(2), body('stays'))
      a.faults(cut)
      expect((await failure(a.sync())).code).toBe('offline')
      world.clock.nowMs += 1000
      await withdraw(a)
      expect(await outbox(a)).not.toContain(word)
      await a.restart()
      const before = a.sent.length
      await a.sync()
      expect(a.sent.slice(before).join('\n')).not.toContain(word)
      expect(a.sent[before]).toContain('"instead":true')
      expect(await a.state()).toMatchObject({ pending: 0, refused: 0, conflicts: 0, repairs: 0 })
      await b.sync()
      await expectEnd(world, way)
      expect(await world.mirror.get(id(2))).toMatchObject({ text: 'stays' })
      // The name of the device stays: the mirror took nobody for its copy.
      expect(lastRequest(a)).toMatchObject({ device: JSON.parse(a.sent[0] ?? '').device })
    })

    it('W8 ends so where its answer comes after that', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('last_write_wins', id(1), body(word))
      a.faults(async (send) => {
        const answer = await send()
        await withdraw(a)
        return answer
      })
      await a.sync()
      await a.sync()
      expect(await a.state()).toMatchObject({ pending: 0, refused: 0, conflicts: 0, repairs: 0 })
      await b.sync()
      await expectEnd(world, way)
    })

    it('W8 meets what another device made of it meanwhile', async () => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('last_write_wins', id(1), body('before'))
      await a.sync()
      await b.sync()
      world.clock.nowMs += 1000
      await a.put('last_write_wins', id(1), body(word))
      a.faults('lose-answer')
      await failure(a.sync())
      await b.sync()
      world.clock.nowMs += 1000
      await b.put('last_write_wins', id(1), body('of b'))
      await b.sync()
      world.clock.nowMs += 1000
      await withdraw(a)
      const before = a.sent.length
      for (const device of [a, b, a, b]) await device.sync()
      expect(a.sent.slice(before).join('\n')).not.toContain(word)
      await expectEnd(world, way)
    })
  })

  it.each(Object.entries(ways))(
    'W8 a record that is %s goes in place of an edit once, and takes nothing that was made on it',
    async (way, withdraw) => {
      const { world, a, b } = await unanswered(host)
      await withdraw(a)
      a.faults('lose-answer')
      await failure(a.sync())
      await b.sync()
      a.faults(async (send) => {
        const answer = await send()
        world.clock.nowMs += 1000
        await b.put(
          'last_write_wins',
          id(1),
          body('of b'),
          way === 'sealed' ? { sensitivity: 'restricted' } : {},
        )
        await b.sync()
        return answer
      })
      for (const device of [a, b, a]) await device.sync()
      await expectSame(a, b)
      expect(await textOf(a)).toBe('of b')
      for (const device of [a, b]) expect(await device.state()).toMatchObject({ pending: 0, conflicts: 0 })
      expect(await world.mirror.conflicts()).toEqual([])
    },
  )

  it.each(['forget', 'purge'] as const)(
    'W8 a %s reaches the mirror where the sealed record went in place of an edit before, and its answer was lost',
    async (verb) => {
      const { world, a, b } = await unanswered(host)
      await a.put('last_write_wins', id(1), body(word), { sensitivity: 'restricted' })
      a.faults('lose-answer')
      await failure(a.sync())
      await b.sync()
      world.clock.nowMs += 1000
      await a[verb](id(1))
      for (const device of [a, b, a]) await device.sync()
      expect(await world.mirror.all()).toEqual({})
      expect(await textOf(b)).toBeUndefined()
      expect(await a.state()).toMatchObject({ pending: 0, refused: 0, conflicts: 0 })
    },
  )

  it('W8 takes an answer that comes after the seal: a conflict, and the end of a forget', async () => {
    const sealed = { sensitivity: 'restricted' } as const
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await b.put('last_write_wins', id(1), body('of b'))
    await a.put('last_write_wins', id(2), body('before'))
    for (const device of [a, b]) await device.sync()
    await a.forget(id(2))
    await b.put('last_write_wins', id(1), body('later of b'))
    await b.sync()
    await a.put('last_write_wins', id(1), body(word))
    a.faults(async (send) => {
      const answer = await send()
      await a.put('last_write_wins', id(1), body(word), sealed)
      await a.put('last_write_wins', id(2), body(word), sealed)
      return answer
    })
    for (const device of [a, b, a, b]) await device.sync()
    await expectSame(a, b)
    expect(await a.state()).toMatchObject({ pending: 0, refused: 0 })
    expect(await textOf(b, id(2))).toBe(word)
  })

  it.each(cuts)('W8 a use that was sent before its record was sealed counts once: %s', async (cut) => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('merge', id(1), { text: 'one', uses: 0 })
    for (const device of [a, b]) await device.sync()
    await a.put('merge', id(1), { text: 'one', uses: 1 })
    a.faults(cut)
    await failure(a.sync())
    await a.put('merge', id(1), { text: 'one', uses: 2 })
    await a.put('merge', id(1), { text: word, uses: 3 }, { sensitivity: 'restricted' })
    a.faults(async (send) => {
      const answer = await send()
      await a.put('merge', id(1), { text: word, uses: 4 }, { sensitivity: 'restricted' })
      await b.sync()
      await b.put('merge', id(1), { ...(await b.get(id(1))), uses: cut === 'lose-answer' ? 2 : 4 })
      await b.sync()
      return answer
    })
    for (const device of [a, b, a, b]) await device.sync()
    await expectSame(a, b)
    expect(await a.get(id(1))).toMatchObject({ text: word, uses: 5 })
  })

  it('W8 C2 what goes in place of an edit says who is to win, too, after an answer to something else', async () => {
    const world = createWorld(host)
    const sealed = { sensitivity: 'restricted' } as const
    const policies = new Map([['remote_wins', 'local_wins']] as const)
    const [a, b] = [world.device('a', { policies }), world.device('b')]
    await a.put('remote_wins', id(2), body('before'))
    await a.sync()
    await b.sync()
    await b.put('remote_wins', id(2), body('of b'), sealed)
    await b.sync()
    await a.put('remote_wins', id(2), body(word))
    a.faults('lose-request')
    await failure(a.sync())
    await a.put('remote_wins', id(2), body('of a'), sealed)
    await a.sync('pull')
    const before = a.sent.length
    await a.sync()
    expect(JSON.parse(a.sent[before] ?? '').ops).toMatchObject([{ policy: 'local_wins', instead: true }])
    await b.sync()
    await expectSame(a, b)
    expect(await textOf(b, id(2))).toBe('of a')
    expect(await a.state()).toMatchObject({ pending: 0, refused: 0 })
    // Sealed as both sides are, the mirror decides once.
    expect((await world.mirror.conflicts()).map(({ loser }) => loser.by)).toHaveLength(1)
  })

  it.each(['forget', 'purge'] as const)(
    'C18 a %s whose answer was lost is not said once more with what is put after it',
    async (verb) => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('last_write_wins', id(1), body('before'))
      await a.sync()
      await a[verb](id(1))
      a.faults('lose-answer')
      await failure(a.sync())
      await b.sync()
      world.clock.nowMs += 1000
      await a.put('last_write_wins', id(1), body('of a'))
      a.faults(async (send) => {
        const answer = await send()
        world.clock.nowMs += 1000
        await b.put('last_write_wins', id(1), body('of b'))
        await b.sync()
        return answer
      })
      for (const device of [a, b]) await device.sync()
      expect(a.sent.join('\n')).not.toContain('"anew"')
      await expectSame(a, b)
      expect(await textOf(a)).toBe('of b')
      // Both were made on the forget: the later one wins, and the other is in the log.
      expect((await a.conflicts()).map(({ loser, winner }) => [loser.body, winner?.body])).toEqual([
        [body('of a'), body('of b')],
      ])
    },
  )

  it('M3 a copy of a device that says `instead` of another record is still taken for a copy', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('last_write_wins', id(1), body('one'))
    a.faults('lose-answer')
    await failure(a.sync())
    const request = lastRequest(a) as unknown as { ops: { id: string; instead?: boolean }[] }
    const other = request.ops.map((op) => ({ ...op, id: id(9), instead: true }))
    expect((await failure(world.mirror.exchange({ ...request, ops: other }))).code).toBe('device-forked')
    const changed = request.ops.map((op) => ({ ...op, body: body('two') }))
    expect((await failure(world.mirror.exchange({ ...request, ops: changed }))).code).toBe('device-forked')
    const instead = changed.map((op) => ({ ...op, instead: true }))
    const { results } = await world.mirror.exchange({ ...request, ops: instead })
    expect(results).toEqual([{ mid: 1, s: 'ok', ver: 1, seq: 1 }])
    expect(await world.mirror.get(id(1))).toMatchObject({ text: 'one' })
    // Under another name no mirror took anything before: it says so, however often. Of two edits of one
    // time the later name wins, and a name of hexadecimal digits is never later than this one.
    const fresh = { ...request, device: 'd_zzz', ops: instead }
    for (let i = 0; i < 2; i++)
      expect((await world.mirror.exchange(fresh)).results).toMatchObject([
        { mid: 1, s: 'ok', ver: 2, instead: true },
      ])
  })
}
