// Older and newer copies of Daybook around one book, and the changes that a mirror refuses for good.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createKinds, type Kind, type Kinds } from '../../../src/core/kind.ts'
import { asOlderMirror, body, expectSame, id, textOf } from './mirror-case.ts'
import { createWorld, type DatabaseHost, lastRequest, type Site, testKinds } from './mirror-world.ts'

const kind = (name: string, version: number, schema: Kind['schema'], more: Partial<Kind> = {}): Kind => ({
  name,
  version,
  schema,
  summary: 'For tests.',
  text: ['text'],
  facets: {},
  policy: 'last_write_wins',
  ...more,
})
const older = kind('note', 1, z.looseObject({ text: z.string(), size: z.string().optional() }))
const newer = kind('note', 2, z.looseObject({ text: z.string(), size: z.number() }))
const before: Kinds = createKinds([...testKinds.values(), older])
const after: Kinds = createKinds([
  ...testKinds.values(),
  newer,
  kind('added', 1, z.looseObject({ text: z.string() })),
])

/** Bodies as they stand in the database, to the byte. */
const bytesOf = (site: Site) =>
  site.look((store) =>
    store.db.all<{ body: string }>('SELECT body FROM records ORDER BY id').map((row) => row.body),
  )

export function versionCases(host: DatabaseHost): void {
  it('V1 V2 M7 an older device and an older mirror keep what they do not know, to the byte', async () => {
    const world = createWorld(host, { kindsAt: { mirror: before, old: before, new: after } })
    const [old, fresh] = [world.device('old'), world.device('new')]
    await fresh.put('note', id(1), { text: 'two', size: 2, colour: { hue: 1.5, '10': [null] } })
    await fresh.put('added', id(2), { text: 'a kind of its own', deep: [[{}]] })
    await fresh.sync()
    expect(lastRequest(fresh).ops).toMatchObject([{ v: 2 }, { v: 1 }])
    await old.sync()
    expect(await bytesOf(old)).toEqual(await bytesOf(fresh))
    expect(await bytesOf(world.mirror)).toEqual(await bytesOf(fresh))
    // A new mirror, no newer than the old device, which brings everything to it.
    const other = createWorld(host, { kindsAt: { mirror: before, third: after } })
    old.faults(...Array.from({ length: 6 }, () => async () => other.mirror.exchange(lastRequest(old))))
    expect(await old.sync()).toMatchObject({ pushed: 2 })
    expect(lastRequest(old).ops).toMatchObject([{ v: 0 }, { v: 0 }])
    expect(await old.state()).toMatchObject({ pending: 0, refused: 0 })
    const third = other.device('third')
    await third.sync()
    expect(await bytesOf(third)).toEqual(await bytesOf(fresh))
  })

  it('V2 V4 a body that came back from elsewhere and does not fit goes unchecked', async () => {
    const world = createWorld(host, { kindsAt: { mirror: before, old: before, new: after } })
    const [old, fresh] = [world.device('old'), world.device('new')]
    // As a bundle or the history brings it.
    await old.look((store) =>
      store.db.transaction(() => {
        const at = '2026-01-01T00:00:00.000Z'
        const said = { text: 'two', size: 2 }
        const head = { id: id(1), agent: 'a', created_at: at, at, stamp: store.stamps.next() }
        store.records.put({ op: 'put', kind: 'note', ...head, body: said }, { isNew: true })
      }),
    )
    expect(await old.sync()).toMatchObject({ pushed: 1 })
    expect(lastRequest(old).ops).toMatchObject([{ v: 0 }])
    expect(await old.state()).toMatchObject({ pending: 0, refused: 0 })
    await fresh.sync()
    expect(await bytesOf(fresh)).toEqual(await bytesOf(old))
  })

  it('V3 L2 a body of an older version that does not fit waits, and goes once that Daybook was updated', async () => {
    const kindsAt = { mirror: after, old: before }
    const world = createWorld(host, { kindsAt })
    const old = world.device('old')
    await old.put('note', id(1), { text: 'of yesterday', size: 'large' })
    await old.put('local_wins', id(2), body('goes'))
    expect(await old.sync()).toMatchObject({ pushed: 1 })
    expect(await old.state()).toMatchObject({ pending: 1, refused: 1, lastError: { code: 'client-too-old' } })
    // The mirror learns to read the old form before the device is updated: nobody knows, until it is.
    kindsAt.mirror = createKinds([
      ...testKinds.values(),
      { ...newer, schema: z.looseObject({ text: z.string() }) },
    ])
    await world.mirror.restart()
    expect(await old.sync()).toMatchObject({ pushed: 0 })
    kindsAt.old = kindsAt.mirror
    await old.restart()
    expect(await old.sync()).toMatchObject({ pushed: 1 })
    expect(await old.state()).toMatchObject({ pending: 0, refused: 0 })
    await expectSame(old, world.mirror)
  })

  it('V2 W4 an older device stores a text that is longer than its kind allows, and changes other records', async () => {
    const short = createKinds([{ ...older, schema: z.looseObject({ text: z.string().max(16_000) }) }])
    const kindsAt = { mirror: createKinds([older]), old: short, new: createKinds([older]) }
    const world = createWorld(host, { kindsAt })
    const [old, fresh] = [world.device('old'), world.device('new')]
    const long = 'Water everywhere. '.repeat(55_000)
    await fresh.put('note', id(1), body(long))
    await fresh.sync()
    await old.put('note', id(2), body('short'))
    expect(await old.sync()).toMatchObject({ pulled: 1, pushed: 1 })
    expect(await textOf(old)).toBe(long)
    await expectSame(old, world.mirror)
    expect(await old.forget(id(1))).toBe(true)
    expect(await old.sync()).toMatchObject({ pushed: 1 })
    await fresh.sync()
    await expectSame(old, fresh, world.mirror)
  })

  it('W4 what an older mirror refused goes when its answers state larger ops, so that it was updated', async () => {
    const short = { ...older, schema: z.looseObject({ text: z.string().max(16_000) }) }
    const kindsAt = { mirror: createKinds([short]), a: createKinds([older]) }
    const world = createWorld(host, { kindsAt })
    const a = world.device('a')
    await a.put('note', id(1), body('x'.repeat(16_001)))
    await a.put('note', id(2), body('short'))
    a.faults(asOlderMirror)
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.state()).toMatchObject({ refused: 1, lastError: { code: 'invalid-input' } })
    kindsAt.mirror = createKinds([older])
    await world.mirror.restart()
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.state()).toMatchObject({ refused: 0 })
    await expectSame(a, world.mirror)
  })

  it('L1 a refused change is listed with its reason, counted, and holds back no other', async () => {
    const short = { ...older, schema: z.looseObject({ text: z.string().max(5) }) }
    const world = createWorld(host, { kindsAt: { mirror: createKinds([short]), a: createKinds([older]) } })
    const a = world.device('a')
    await a.put('note', id(1), body('much too long'))
    await a.put('note', id(2), body('short'))
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    expect(await a.look((store) => store.ops.refusedOps(10))).toMatchObject([
      {
        record: id(1),
        kind: 'note',
        op: 'put',
        code: 'invalid-input',
        path: 'text',
        at: '2026-01-01T00:00:00.000Z',
      },
    ])
    expect(await a.look((store) => store.ops.refusedOps(10, 99))).toEqual([])
    expect(await textOf(a)).toBe('much too long')
    await a.restart()
    expect(await a.state()).toMatchObject({ refused: 1, pending: 1 })
    expect(await a.sync()).toMatchObject({ pushed: 0 })
  })

  it('L2 a refused change goes again when somebody asks, and when its record changes', async () => {
    const kindsAt = {
      mirror: createKinds([{ ...older, schema: z.looseObject({ text: z.string().max(5) }) }]),
      a: before,
    }
    const world = createWorld(host, { kindsAt })
    const a = world.device('a')
    await a.put('note', id(1), body('too long'))
    await a.put('note', id(2), body('too long, too'))
    await a.sync()
    expect(await a.state()).toMatchObject({ refused: 2 })
    await a.put('note', id(1), body('short'))
    expect(await a.state()).toMatchObject({ refused: 1 })
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    kindsAt.mirror = before
    await world.mirror.restart()
    expect(await a.sync()).toMatchObject({ pushed: 0 })
    expect(await a.look((store) => store.db.transaction(() => store.ops.retry([id(9)])))).toEqual([])
    expect(await a.look((store) => store.db.transaction(() => store.ops.retry([id(2)])))).toEqual([
      { id: id(2), kind: 'note' },
    ])
    expect(await a.sync()).toMatchObject({ pushed: 1 })
    await expectSame(a, world.mirror)
  })

  it('Q6 a run says after each round what it has brought, and at its end the result', async () => {
    const world = createWorld(host)
    const a = world.device('a')
    const b = world.device('b', { page: { limit: 500, maxBytes: 700_000 } })
    await a.putMany(
      'local_wins',
      Array.from({ length: 700 }, (_, i) => [id(i), body(`text ${i}`)] as const),
    )
    await a.sync()
    const sent = a.told.flatMap(({ state }) => state.progress?.pushed ?? [])
    expect(sent).toEqual([0, 100])
    expect(a.told.at(-1)).toMatchObject({ result: { pushed: 700 }, state: { running: false, pending: 0 } })
    expect(a.told.at(-1)?.state.progress).toBeUndefined()
    await b.sync()
    expect(b.told.flatMap(({ state }) => state.progress?.pulled ?? [])).toEqual([0, 500])
  })
}
