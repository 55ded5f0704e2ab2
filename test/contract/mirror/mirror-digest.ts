// What proves that two copies are the same, finds where they differ, and mends it; and how tombstones go at last.
import { expect, it } from 'vitest'
import type { SyncRequest, SyncResponse } from '../../../src/sync/wire/protocol.ts'
import { seenPrecisionMs } from '../../../src/store/record/device-log.ts'
import { retentionMs } from '../../../src/sync/mirror/mirror.ts'
import { body, expectSame, failure, id, losers, textOf, twoWithOne } from './mirror-case.ts'
import { createWorld, type DatabaseHost, lastRequest, type TestDevice, type World } from './mirror-world.ts'

const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => [id(from + i), body(`text ${from + i}`)] as const)
const repairs = async (device: TestDevice) => (await device.state()).repairs

/** Two devices with `count` records, of which `b` was then harmed. */
async function harmed(world: World, count: number, sql: string) {
  const [a, b] = [world.device('a'), world.device('b')]
  await a.putMany('local_wins', many(count))
  await a.sync()
  await b.sync()
  await b.look((store) => store.db.transaction(() => store.db.exec(sql)))
  // Something must have changed, or nobody looks.
  await a.put('local_wins', id(0), body('changed'))
  await a.sync()
  return [a, b] as const
}

/** Moves the clock on by more than tombstones are kept, and lets the mirror tidy. */
async function age(world: World, ...present: TestDevice[]): Promise<number> {
  world.clock.nowMs += retentionMs + seenPrecisionMs + 1000
  for (const device of present) await device.sync()
  return world.mirror.tidy()
}

export function digestCases(host: DatabaseHost): void {
  it('G1 the last page has the sum of what the mirror has, and the device has the same', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.putMany('local_wins', many(120))
    await a.put('remote_wins', id(500), body('other kind'))
    await a.forget(id(3))
    await a.sync()
    await a.put('local_wins', id(4), body('again'))
    await a.forget(id(5))
    await a.sync()
    const answers: SyncResponse[] = []
    b.faults(async (send) => {
      answers.push(await send())
      return answers.at(-1)
    })
    await b.sync()
    expect(answers[0]).toMatchObject({ more: false, digest: { seq: 123, n: 121 } })
    const sum = await b.look((store) => store.sums.sumRange({ from: 0, to: 123 }))
    expect(sum).toEqual(await world.mirror.look((store) => store.sums.currentSum()))
    expect(sum.n).toBe(121)
    expect(await world.mirror.look((store) => store.sums.currentSum(['remote_wins']).n)).toBe(1)
    expect(await b.look((store) => store.sums.sumRange({ from: 0, to: 123, kinds: ['remote_wins'] }).n)).toBe(
      1,
    )
    expect(await repairs(b)).toBe(0)
  })

  it.each([
    ['a record is missing', 0, 'DELETE FROM records WHERE seq = 190'],
    [
      // What it says was never at any mirror, as far as is known: it is kept in the log.
      ...(['a record is an older one', 1] as const),
      'UPDATE records SET ver = 0, place = 0, body = \'{"text":"old"}\' WHERE seq = 190',
    ],
    ['a change was passed over', 0, 'UPDATE records SET place = 150 WHERE seq = 190'],
  ] as const)('G2 %s: it is found, read anew from there, and counted', async (_name, conflicts, sql) => {
    const world = createWorld(host)
    const [a, b] = await harmed(world, 200, sql)
    expect(await b.sync()).toMatchObject({ conflicts })
    await expectSame(a, b, world.mirror)
    expect(await repairs(b)).toBe(1)
    const cursors = b.sent.map((text) => (JSON.parse(text) as { pull: { cursor: number } }).pull.cursor)
    expect(Math.min(...cursors.slice(-1))).toBeGreaterThan(100)
    const before = b.sent.length
    await b.sync()
    expect(b.sent).toHaveLength(before + 1)
    expect(await repairs(b)).toBe(1)
  })

  it('G2 a record that the mirror never had goes, an edit here stays', async () => {
    const world = createWorld(host)
    const [a, b] = await harmed(
      world,
      3,
      `INSERT INTO records (seq, id, kind, agent, created_at, updated_at, stamp, ver, place, body) SELECT 90, 'ghost',
         kind, agent, created_at, updated_at, stamp, 1, 2, body FROM records WHERE seq = 1`,
    )
    await b.put('local_wins', id(77), body('mine'))
    expect(await b.sync()).toMatchObject({ pushed: 1 })
    await b.sync()
    expect(await b.get('ghost')).toBeUndefined()
    expect(await repairs(b)).toBe(1)
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(a, id(77))).toBe('mine')
  })

  it('G3 a mirror whose own sum is wrong adds up anew when it is asked', async () => {
    const world = createWorld(host)
    const [a] = await twoWithOne(world, 'local_wins')
    await world.mirror.look((store) => store.db.transaction(() => store.sums.movePlace('local_wins', 7, 9)))
    await a.put('local_wins', id(2), body('two'))
    await a.sync()
    expect(await repairs(a)).toBe(0)
    expect(await a.look((store) => store.sums.sumRange({ from: 0, to: 99 }))).toEqual(
      await world.mirror.look((store) => store.sums.currentSum()),
    )
  })

  it('G4 a mirror that never agrees is given up, and nothing is lost by it', async () => {
    const world = createWorld(host)
    const [a] = await twoWithOne(world, 'local_wins')
    const lie = async (send: () => Promise<SyncResponse>) => ({
      ...(await send()),
      digest: { seq: 1, n: 5, x: 'ab.cd' },
      ranges: [{ seq: 1, n: 5, x: 'ab.cd' }],
    })
    a.faults(...Array.from({ length: 60 }, () => lie))
    expect(await failure(a.sync())).toMatchObject({ code: 'protocol-error' })
    a.faults()
    await a.sync()
    expect(await textOf(a)).toBe('first')
    await expectSame(a, world.mirror)
  })

  it('D6 a late answer to an op, whose record is a collected tombstone by then, passes over nothing that was not read', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    for (const n of [1, 2, 3]) await b.put('local_wins', id(n), body(`${n}`))
    await b.sync()
    await a.put('local_wins', id(9), body('gone soon'))
    a.faults('lose-answer')
    await failure(a.sync())
    await b.sync()
    await b.forget(id(9))
    await b.sync()
    expect(await age(world, b, b)).toBe(1)
    a.faults((send) => {
      const request = lastRequest(a)
      return send({ ...request, pull: { ...request.pull, limit: 2 } })
    })
    const before = a.sent.length
    await a.sync()
    const cursors = a.sent.slice(before).map((text) => (JSON.parse(text) as SyncRequest).pull.cursor)
    expect(cursors.slice(0, 2)).toEqual([0, 2])
    await expectSame(a, b, world.mirror)
  })

  it('T1 tombstones are kept until every device that was here has passed them, and for 90 days', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.forget(id(1))
    await a.sync()
    expect(await world.mirror.tidy()).toBe(0)
    await b.sync()
    await b.sync()
    await a.sync()
    expect(await world.mirror.tidy()).toBe(0)
    expect(await age(world, a, b)).toBe(1)
    const rows = (store: { db: { get: (sql: string) => { n?: unknown } | undefined } }) =>
      store.db.get('SELECT count(*) AS n FROM records')?.n
    expect(await world.mirror.look(rows)).toBe(0)
    expect(await world.mirror.look((store) => store.settings.getNumber('floor'))).toBe(2)
    // The devices hear of the floor and let go of theirs.
    await a.sync()
    await b.sync()
    for (const device of [a, b]) expect(await device.look(rows)).toBe(0)
    for (const device of [a, b]) expect(await repairs(device)).toBe(0)
  })

  it('T1 a device that was here and has not read them holds them', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.forget(id(1))
    await a.sync()
    world.clock.nowMs += retentionMs + seenPrecisionMs + 1000
    b.faults('lose-answer')
    await failure(b.sync())
    await a.sync()
    expect(await world.mirror.tidy()).toBe(0)
    await b.sync()
    await b.sync()
    await a.sync()
    expect(await world.mirror.tidy()).toBe(1)
  })

  it('T2 a device that stayed away reads everything anew: what is gone goes, nothing comes back', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await a.putMany('local_wins', many(3, 10))
    await a.sync()
    await b.sync()
    await a.forget(id(1))
    await a.forget(id(11))
    await a.put('local_wins', id(12), body('changed'))
    await b.put('local_wins', id(20), body('made away'))
    expect(await age(world, a, a)).toBe(2)
    const before = b.sent.length
    await b.sync()
    expect(JSON.parse(b.sent[before + 1] ?? '')).toMatchObject({ ops: [], pull: { cursor: 0, resync: true } })
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(Object.keys(await b.all())).toEqual([id(10), id(12), id(20)])
    expect(await textOf(b, id(12))).toBe('changed')
    expect(await losers(b)).toEqual([])
    expect(await b.state()).toMatchObject({ pending: 0, repairs: 0 })
  })

  it('T3 an edit that was made away of what is gone meanwhile is in the log, at the mirror too', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('local_wins', id(1), body('first'))
    await a.put('later_revives', id(2), body('second'))
    await a.sync()
    await b.sync()
    await a.forget(id(1))
    await a.forget(id(2))
    await b.put('local_wins', id(1), body('edited away'))
    await b.put('later_revives', id(2), body('edited away too'))
    expect(await age(world, a, a)).toBe(2)
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    for (const one of [1, 2]) expect(await a.get(id(one))).toBeUndefined()
    for (const site of [b, world.mirror])
      expect((await losers(site)).toSorted()).toEqual(['edited away', 'edited away too'])
    expect(await b.state()).toMatchObject({ pending: 0, repairs: 0 })
  })

  it('T3 what was purged is never forgotten to be so: a device that comes years later revives nothing', async () => {
    const world = createWorld(host)
    const [a, b] = await twoWithOne(world, 'local_wins')
    await b.put('local_wins', id(1), body('zanzibar'))
    await a.purge(id(1))
    expect(await age(world, a, a)).toBe(1)
    world.clock.nowMs += 3000 * 86_400_000
    await b.sync()
    await a.sync()
    await expectSame(a, b, world.mirror)
    expect(await b.get(id(1))).toBeUndefined()
    for (const site of [a, b, world.mirror])
      expect(JSON.stringify(await site.conflicts())).not.toContain('zanzibar')
    expect(await b.conflicts()).toMatchObject([
      { loser: { op: 'put' }, winner: { op: 'forget', purged: true } },
    ])
    expect(await repairs(a)).toBe(0)
    // Another one under the name is no edit of it.
    world.clock.nowMs += 1000
    await b.put('local_wins', id(1), body('anew'))
    for (const device of [b, a]) await device.sync()
    await expectSame(a, b, world.mirror)
    expect(await textOf(a)).toBe('anew')
  })

  it('T4 nobody reads below the floor without reading everything, and nobody sends meanwhile', async () => {
    const world = createWorld(host)
    const [a] = await twoWithOne(world, 'local_wins')
    await a.put('local_wins', id(2), body('two'))
    await a.forget(id(1))
    expect(await age(world, a, a)).toBe(1)
    await a.put('local_wins', id(3), body('three'))
    a.faults('lose-request')
    await failure(a.sync())
    const request = lastRequest(a)
    for (const pull of [{ cursor: 1 }, { cursor: 1, resync: true }]) {
      const error = await failure(world.mirror.exchange({ ...request, pull: { ...request.pull, ...pull } }))
      expect(error).toMatchObject({ code: 'resync-required', details: { reason: 'floor' } })
    }
    const reading = { ...request, ops: [], pull: { ...request.pull, cursor: 1, resync: true } }
    expect(await world.mirror.exchange(reading)).toMatchObject({ changes: [{ id: id(2) }] })
    expect(await world.mirror.get(id(3))).toBeUndefined()
  })
}
