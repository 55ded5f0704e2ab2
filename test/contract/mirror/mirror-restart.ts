// Devices that are copied, mirrors that are others or were set back: beginning anew without loss.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import { body, expectSame, failure, id, losers, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost, lastRequest } from './mirror-world.ts'

export function restartCases(host: DatabaseHost): void {
  it('M3 a copy of a device: the second one is told, takes a new name, and nothing of either is lost', async () => {
    const world = createWorld(host)
    const [a, twin] = [world.device('a'), world.device('twin')]
    await a.put('local_wins', id(1), body('before the copy'))
    await a.sync()
    await twin.sync()
    const name = await a.look((store) => store.device)
    await twin.look((store) => {
      store.db.transaction(() => {
        store.settings.set('device', name)
        store.settings.set('last_mid', 1)
        store.settings.set('acked_mid', 1)
      })
    })
    await a.put('local_wins', id(2), body('of a'))
    await a.sync()
    await twin.put('local_wins', id(3), body('of the twin'))
    expect(await twin.sync()).toMatchObject({ pushed: 1, pulled: 1 })
    expect(await twin.look((store) => store.device)).not.toBe(name)
    await a.sync()
    await expectSame(a, twin, world.mirror)
    expect(Object.keys(await a.all())).toHaveLength(3)
  })

  it('N6 an edit after one that never arrived is merged on the content that the mirror has', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    const first = { text: 'first', x: 0, y: 0 }
    await a.put('merge', id(1), first)
    await a.sync()
    await b.sync()
    world.clock.nowMs += 1000
    await b.put('merge', id(1), { ...first, y: 1 })
    await b.sync()
    await a.put('merge', id(1), { ...first, x: 1 })
    a.faults('lose-request')
    await failure(a.sync())
    await a.put('merge', id(1), { ...first, text: 'second', x: 1 })
    const name = await a.look((store) => store.device)
    a.faults(async () => {
      throw new DaybookError('device-forked')
    })
    for (const device of [a, b]) await device.sync()
    expect(await a.look((store) => store.device)).not.toBe(name)
    await expectSame(a, b, world.mirror)
    expect(await a.get(id(1))).toMatchObject({ text: 'second', x: 1, y: 1 })
    for (const site of [a, b, world.mirror]) expect(await site.conflicts()).toEqual([])
  })

  it('M4 a mirror of another epoch takes none of the ops; the device starts over and brings everything', async () => {
    const world = createWorld(host)
    const other = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    await a.put('local_wins', id(1), body('synced'))
    await a.put('local_wins', id(2), body('forgotten'))
    await a.sync()
    await a.forget(id(2))
    await a.sync()
    await b.sync()
    await a.put('local_wins', id(1), body('unsent'))
    // From now on the address leads to another, empty mirror.
    const elsewhere = async () => other.mirror.exchange(lastRequest(a))
    a.faults(...Array.from({ length: 8 }, () => elsewhere))
    expect(await a.sync()).toMatchObject({ pushed: 2 })
    expect(JSON.parse(a.sent[3] ?? '')).toMatchObject({ ops: [], epoch: null, pull: { cursor: 0 } })
    expect(await other.mirror.all()).toEqual(await a.all())
    expect(await other.mirror.get(id(1))).toMatchObject({ text: 'unsent', ver: 1 })
    expect(await other.mirror.look((store) => store.records.row(id(2))?.deleted)).toBe(1)
    expect(await a.state()).toMatchObject({ pending: 0 })
    // A device with an older copy does not undo what the first one brought.
    b.faults(...Array.from({ length: 8 }, () => async () => other.mirror.exchange(lastRequest(b))))
    await b.sync()
    expect(await b.all()).toEqual(await a.all())
    expect(await textOf(other.mirror)).toBe('unsent')
  })

  it('a change that was sent, and another on top of it, go to a new mirror as one', async () => {
    const [world, other] = [createWorld(host), createWorld(host, { seed: 2 })]
    const a = world.device('a')
    await a.put('local_wins', id(1), body('synced'))
    await a.sync()
    await a.put('local_wins', id(1), body('sent'))
    a.faults('lose-answer')
    await failure(a.sync())
    await a.put('local_wins', id(1), body('on top'))
    a.faults(...Array.from({ length: 8 }, () => async () => other.mirror.exchange(lastRequest(a))))
    expect(await a.sync()).toMatchObject({ pushed: 1, conflicts: 0 })
    expect(await other.mirror.get(id(1))).toMatchObject({ text: 'on top', ver: 1 })
    expect(a.sent.slice(3).flatMap((text) => (JSON.parse(text) as { ops: object[] }).ops)).toHaveLength(1)
    expect(await a.state()).toMatchObject({ pending: 0 })
  })

  it('M4 an unsent change is not taken for one of a version that another mirror happens to have', async () => {
    const [world, other] = [createWorld(host), createWorld(host, { seed: 2 })]
    const [a, b] = [world.device('a'), other.device('b')]
    await a.put('local_wins', id(1), body('synced'))
    await a.sync()
    await a.put('local_wins', id(1), body('unsent'))
    await b.put('local_wins', id(1), body('of another history'))
    await b.sync()
    a.faults(...Array.from({ length: 8 }, () => async () => other.mirror.exchange(lastRequest(a))))
    expect(await a.sync()).toMatchObject({ conflicts: 1 })
    await expectSame(a, other.mirror)
    expect(await textOf(a)).toBe('unsent')
    expect(await losers(other.mirror)).toEqual(['of another history'])
  })

  it.each(['forget', 'purge'] as const)(
    'N5 an edit made after a %s stays where another device brings that to another mirror',
    async (way) => {
      const [world, other] = [createWorld(host), createWorld(host, { seed: 2 })]
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('merge', id(1), body('one'))
      world.clock.nowMs += 1000
      await a[way](id(1))
      await a.sync()
      await b.sync()
      world.clock.nowMs += 400_000
      await a.put('merge', id(1), body('begun anew'))
      for (const device of [a, b, a]) {
        device.faults(
          ...Array.from({ length: 8 }, () => async () => other.mirror.exchange(lastRequest(device))),
        )
        await device.sync()
      }
      expect(await textOf(a)).toBe('begun anew')
      expect(await textOf(b)).toBe('begun anew')
    },
  )

  it.each(['local_wins', 'remote_wins'])(
    'M4 a mirror that was set back: what it has lost comes back, and what is newer stays (%s)',
    async (kind) => {
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put(kind, id(1), body('one'))
      await a.sync()
      await b.sync()
      const backup = await world.mirror.look((store) => store.db.all('SELECT * FROM records'))
      world.clock.nowMs += 1000
      await a.put(kind, id(1), body('two'))
      await a.put('local_wins', id(2), body('new'))
      await a.sync()
      // The mirror is restored from before: its head is behind the cursor of `a`.
      await world.mirror.look((store) =>
        store.db.transaction(() => {
          store.db.run('DELETE FROM records WHERE seq > 1')
          store.db.run('UPDATE records SET body = ?, ver = 1, place = 1, stamp = ?, updated_at = ?', [
            backup[0]?.['body'] ?? '',
            backup[0]?.['stamp'] ?? '',
            backup[0]?.['updated_at'] ?? '',
          ])
          store.settings.set('head', 1)
          store.sums.rebuild()
          store.db.run('DELETE FROM devices')
          store.db.run('DELETE FROM results')
        }),
      )
      await a.sync()
      await b.sync()
      await expectSame(a, b, world.mirror)
      expect(await textOf(b)).toBe('two')
      expect(await textOf(b, id(2))).toBe('new')
    },
  )

  it('M10 a mirror that was set back, and has written on since, is found out by what a device knows of it', async () => {
    const world = createWorld(host)
    const [a, b, reader] = [world.device('a'), world.device('b'), world.device('reader')]
    await a.put('local_wins', id(1), body('one'))
    await a.put('local_wins', id(2), body('two'))
    await a.sync()
    await b.sync()
    const tables = ['book', 'records', 'history', 'devices', 'results'] as const
    const backup = await world.mirror.look(({ db }) =>
      tables.map((table) => [table, db.all(`SELECT * FROM ${table}`)] as const),
    )
    await a.put('local_wins', id(1), body('lost at the mirror'))
    await a.sync()
    await reader.sync()
    await world.mirror.look(({ db }) =>
      db.transaction(() => {
        for (const [table, rows] of backup) {
          db.run(`DELETE FROM ${table}`)
          for (const row of rows) {
            const names = Object.keys(row)
            const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
            db.run(sql, Object.values(row))
          }
        }
      }),
    )
    await world.mirror.restart()
    // Who knows of nothing that is gone writes on: the place that the reader has read has another change now.
    world.clock.nowMs += 1000
    await b.put('local_wins', id(2), body('written since'))
    await b.sync()
    const [seen, held] = await Promise.all(
      [reader, b].map((one) => one.look(({ settings }) => settings.getNumber('cursor'))),
    )
    expect(seen).toBe(held)
    const epoch = await world.mirror.look(({ settings }) => settings.get('epoch'))
    for (let round = 0; round < 2; round++) for (const device of [reader, a, b]) await device.sync()
    expect(await world.mirror.look(({ settings }) => settings.get('epoch'))).not.toBe(epoch)
    await expectSame(a, b, reader, world.mirror)
    expect(await textOf(a)).toBe('lost at the mirror')
    expect(await textOf(a, id(2))).toBe('written since')
  })

  it('M10 the marks of a mirror go when every device has read beyond them', async () => {
    const world = createWorld(host)
    const [a, b] = [world.device('a'), world.device('b')]
    const marks = () =>
      world.mirror.look(
        ({ db }) => db.all("SELECT key FROM book WHERE key >= 'mark:' AND key < 'mark;'").length,
      )
    for (const n of [1, 2, 3]) {
      await a.put('local_wins', id(n), body(`${n}`))
      await a.sync()
    }
    await b.sync()
    expect(await marks()).toBe(3)
    await b.sync()
    await a.sync()
    await world.mirror.tidy()
    expect(await marks()).toBe(1)
    await a.put('local_wins', id(4), body('4'))
    await a.sync()
    await b.sync()
    await expectSame(a, b, world.mirror)
  })

  it.each([
    ['a wrong epoch', { epoch: 'e_other' }, 'epoch'],
    ['a cursor beyond the end', { pull: { cursor: 99, limit: 1, maxBytes: 1 } }, 'epoch'],
    ['answers that this mirror never gave', { ackedMid: 99 }, 'epoch'],
    ['a mark that it never made', { mark: { seq: 1, x: 'ab' } }, 'epoch'],
  ])('M4 %s: resync-required, and none of the ops is applied', async (_name, change, reason) => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    await a.put('local_wins', id(1), body('two'))
    a.faults('lose-request')
    await failure(a.sync())
    const error = await failure(world.mirror.exchange({ ...lastRequest(a), ...change }))
    expect(error).toMatchObject({ code: 'resync-required', details: { reason } })
    expect(await textOf(world.mirror)).toBe('one')
    await a.sync()
    expect(await textOf(world.mirror)).toBe('two')
  })

  it('T4 a cursor below the floor: resync-required, and none of the ops is applied', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    await a.sync()
    await world.mirror.look((store) => store.settings.set('floor', 5))
    await world.mirror.look((store) => store.settings.set('head', 9))
    a.faults('lose-request')
    await a.put('local_wins', id(1), body('two'))
    await failure(a.sync())
    expect(await failure(world.mirror.exchange(lastRequest(a)))).toMatchObject({
      details: { reason: 'floor' },
    })
    await a.sync()
    await expectSame(a, world.mirror)
    expect(await textOf(world.mirror)).toBe('two')
  })

  it('a mirror that always wants to start over is given up', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const refuse = async () => {
      throw await failure(world.mirror.exchange({ ...lastRequest(a), epoch: 'e_other' }))
    }
    await a.put('local_wins', id(1), body('one'))
    a.faults(...Array.from({ length: 20 }, () => refuse))
    expect((await failure(a.sync())).code).toBe('resync-required')
    expect(a.sent.length).toBe(4)
    a.faults()
    await a.sync()
    await expectSame(a, world.mirror)
  })
}
