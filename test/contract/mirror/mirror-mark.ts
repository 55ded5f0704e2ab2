// Marks of one record, made and taken back on several devices: they meet field by field, and go with their record.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createKinds } from '../../../src/core/kind.ts'
import { markId } from '../../../src/core/mark.ts'
import { markKind } from '../../../src/memory/mark/mark-kind.ts'
import { createSyncReach } from '../../../src/sync/mirror/sync-reach.ts'
import { body, expectSame, id } from './mirror-case.ts'
import { holds } from './mirror-seal.ts'
import { createWorld, type DatabaseHost, type Site, testKinds, type World } from './mirror-world.ts'

const kinds = createKinds([...testKinds.values(), markKind])
const create = (host: DatabaseHost) =>
  createWorld(host, { kindsAtMirror: kinds, kindsAt: { a: kinds, b: kinds, c: kinds } })
const marksAt = async (site: Site, record = id(1)) => (await site.get(record))?.marks
const kept = (site: Site) =>
  site.look(({ db }) =>
    db.all<{ id: string; body: string }>('SELECT id, body FROM records WHERE deleted = 0 ORDER BY id'),
  )

async function two(world: World) {
  const [a, b] = [world.device('a'), world.device('b')]
  await a.put('merge', id(1), body('first'))
  await a.sync()
  await b.sync()
  world.clock.nowMs += 1000
  return [a, b] as const
}

export function markCases(host: DatabaseHost): void {
  it('marks of different fields that two devices make apart both hold, everywhere', async () => {
    const world = create(host)
    const [a, b] = await two(world)
    await a.mark(id(1), { pinned: true })
    await b.mark(id(1), { importance: 0.9, collection: 'People/Alice' })
    for (const site of [a, b, a]) await site.sync()
    for (const site of [a, b, world.mirror])
      expect(await marksAt(site)).toEqual({ pinned: true, importance: 0.9, collection: 'People/Alice' })
    await expectSame(a, b, world.mirror)
    await a.mark(id(1), { pinned: null })
    await b.mark(id(1), { importance: 0.1 })
    for (const site of [b, a, b]) await site.sync()
    for (const site of [a, b, world.mirror])
      expect(await marksAt(site)).toEqual({ importance: 0.1, collection: 'People/Alice' })
  })

  it('a mark against a forget leaves neither, nor a word of it, on any copy', async () => {
    const world = create(host)
    const [a, b] = await two(world)
    await a.forget(id(1))
    await b.mark(id(1), { collection: 'Zanzibar' })
    for (const site of [a, b, a, b, a]) await site.sync()
    for (const site of [a, b, world.mirror]) {
      expect(await site.get(id(1))).toBeUndefined()
      expect(JSON.stringify(await kept(site))).not.toContain('Zanzibar')
    }
    await expectSame(a, b, world.mirror)
  })

  const orders = ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']
  it.each(orders.flatMap((order) => [true, false].map((isSealed) => ({ order, isSealed }))))(
    'marks of a record that another device purges leave no word anywhere, also where they lost ($order, sealed: $isSealed)',
    async ({ order, isSealed }) => {
      const world = create(host)
      const [a, b] = await two(world)
      const c = world.device('c')
      await c.sync()
      if (isSealed) {
        await a.put('merge', id(1), body('first'), { sensitivity: 'sensitive' })
        await a.sync()
      }
      await b.mark(id(1), { collection: 'Zanzibar b' })
      world.clock.nowMs += 1000
      await c.mark(id(1), { collection: 'Zanzibar c' })
      await a.purge(id(1))
      const sites = { a, b, c }
      for (const name of order) await sites[name as 'a'].sync()
      for (let i = 0; i < 3; i++) for (const site of [a, b, c]) await site.sync()
      for (const site of [a, b, c, world.mirror]) {
        await site.look((store) => store.purge.scrub())
        expect(await holds(site, 'zanzibar')).toBe(false)
        expect(JSON.stringify(await site.conflicts())).not.toContain('Zanzibar')
      }
      await expectSame(a, b, c, world.mirror)
    },
  )

  it('a mark that comes before its record waits, and shows when that comes', async () => {
    const world = create(host)
    const [a, b] = await two(world)
    // It is in no answer of a sync that names other kinds; so a bundle may bring it, or a sync of this kind alone.
    const body = { record: id(2), pinned: true, importance: 1 }
    await b.put('mark', markId(id(2)), body)
    await b.sync()
    expect(await b.get(id(2))).toBeUndefined()
    await a.put('merge', id(2), { text: 'second' })
    for (const site of [a, b, a]) await site.sync()
    for (const site of [a, b, world.mirror]) {
      expect(await marksAt(site, id(2))).toEqual({ pinned: true, importance: 1 })
      const found = await site.look(
        ({ queries }) => queries.query({ filters: { 'marks.pinned': true } }).records,
      )
      expect(found.map((one) => [one.id, one.marks])).toEqual([[id(2), { pinned: true, importance: 1 }]])
    }
  })

  it('K10 a guest’s device has the marks of what it fetches, and none of anything else, and gives back what it had', async () => {
    const world = create(host)
    const a = world.device('a')
    const guest = world.device('b')
    await a.put('merge', id(1), body('seen'))
    await a.put('manual', id(2), body('hidden'))
    for (const n of [1, 2]) await a.mark(id(n), { collection: `Zanzibar ${n}` })
    await a.sync()
    const marks = async () => Object.keys(await guest.all()).filter((one) => one.startsWith('mark::'))
    // As it was before.
    await guest.sync()
    expect(await marks()).toEqual([markId(id(1)), markId(id(2))])
    guest.reach = createSyncReach(
      { agent: 'b', permissions: ['sync'], granted: { pull: ['merge', 'mark'] } },
      kinds,
    )
    await a.put('manual', id(3), body('hidden too'))
    await a.mark(id(3), { collection: 'Zanzibar 3' })
    await a.sync()
    await guest.sync()
    expect(await marks()).toEqual([markId(id(1))])
    expect(await holds(guest, 'zanzibar 2')).toBe(false)
    const { repairs } = await guest.state()
    // From there on both agree, whoever marks what.
    await guest.mark(id(1), { importance: 0.4 })
    await a.mark(id(1), { pinned: true })
    await a.mark(id(2), { pinned: true })
    for (const site of [guest, a, guest, a, guest]) await site.sync()
    for (const site of [a, guest])
      expect(await marksAt(site)).toEqual({ collection: 'Zanzibar 1', pinned: true, importance: 0.4 })
    await a.purge(id(1))
    await a.forget(id(2))
    for (const site of [a, guest, a, guest]) await site.sync()
    expect([await marks(), await guest.state()]).toMatchObject([[], { repairs, pending: 0, refused: 0 }])
    // It never heard of the one that was hidden from the beginning.
    expect(await holds(guest, id(3))).toBe(false)
  })

  it('K10 a guest’s device is given a mark once its record is there', async () => {
    const world = create(host)
    const a = world.device('a', { push: ['mark'] })
    const guest = world.device('b')
    guest.reach = createSyncReach({ agent: 'b', permissions: ['sync'] }, kinds)
    await a.put('merge', id(1), body('first'))
    await a.mark(id(1), { collection: 'Zanzibar' })
    for (const site of [a, guest]) await site.sync()
    expect(Object.keys(await guest.all())).toEqual([])
    await a.restart()
    a.select({})
    for (const site of [a, guest]) await site.sync()
    expect(await marksAt(guest)).toEqual({ collection: 'Zanzibar' })
    await expectSame(a, guest, world.mirror)
  })

  it('a record that was sealed elsewhere takes marks along that were made in clear meanwhile', async () => {
    const world = create(host)
    const [a, b] = await two(world)
    await a.put('merge', id(1), body('first'), { sensitivity: 'sensitive' })
    await b.mark(id(1), { collection: 'Zanzibar' })
    for (const site of [b, a, b, a, b]) await site.sync()
    for (const site of [a, b]) expect(await marksAt(site)).toEqual({ collection: 'Zanzibar' })
    for (const site of [a, b, world.mirror])
      expect(JSON.stringify(await kept(site))).not.toContain('Zanzibar')
  })

  it('a mark of a sealed record stays sealed, also with a device that has the record otherwise', async () => {
    const world = create(host)
    const a = world.device('a')
    // It takes marks, and nothing of the record.
    const b = world.device('b', { pull: ['mark'], push: ['mark'] })
    await b.put('merge', id(1), body('first'))
    await a.put('merge', id(1), body('first'), { sensitivity: 'sensitive' })
    await a.mark(id(1), { collection: 'Zanzibar' })
    for (let i = 0; i < 2; i++) for (const site of [a, b]) await site.sync()
    expect(JSON.stringify(await kept(world.mirror))).not.toContain('Zanzibar')
    expect(await marksAt(b)).toEqual({ collection: 'Zanzibar' })
    const before = b.sent.length
    await b.sync()
    expect(JSON.parse(b.sent[before] ?? '')).toMatchObject({ ops: [] })
  })

  it('whatever two devices mark and forget in whatever order, all copies end alike', async () => {
    let [marked, gone] = [0, 0]
    const step = fc.record({
      on: fc.constantFrom('a', 'b'),
      record: fc.constantFrom(1, 2),
      what: fc.oneof(
        fc.record({
          change: fc.constantFrom(
            { pinned: true },
            { pinned: null },
            { importance: 0.2 },
            { importance: 0.7, keep: true },
            { collection: 'x/y' },
            { collection: null, keep: null },
          ),
        }),
        fc.constantFrom('sync', 'sync', 'forget', 'edit'),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = create(host)
        const [a, b] = await two(world)
        await a.put('merge', id(2), body('second'))
        for (const { on, record, what } of steps) {
          world.clock.nowMs += 1000
          const site = world.device(on)
          if (what === 'sync') await site.sync()
          else if (what === 'forget') await site.forget(id(record))
          else if (what === 'edit') await site.put('merge', id(record), body(`edit ${world.clock.nowMs}`))
          else if (await site.get(id(record))) await site.mark(id(record), what.change)
        }
        for (const site of [a, b, a, b, a, b]) await site.sync()
        await expectSame(a, b, world.mirror)
        const rows = await kept(a)
        const live = new Set(rows.map((row) => row.id))
        for (const row of rows.filter(({ id }) => id.startsWith('mark::'))) {
          const { record } = JSON.parse(row.body) as { record: string }
          expect(live.has(record)).toBe(true)
          marked += 1
        }
        if (live.size < 2) gone += 1
      }),
      { numRuns: 40 },
    )
    expect(marked).toBeGreaterThan(0)
    expect(gone).toBeGreaterThan(0)
  })
}
