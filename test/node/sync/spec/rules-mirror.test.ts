// The rules of the specification about numbers, conflicts and digests that a client rests on: over HTTP, against a real mirror.
import { describe, expect, it } from 'vitest'
import { rangeEnds, toDigest } from '../../../../src/sync/wire/agreement.ts'
import { specText } from '../../../support/server/spec-page.ts'
import { createHttpMirror } from './http-mirror.ts'
import { at, forget, logged, outcome, put, request, said, send, stamp, withOther } from './rules-case.ts'

describe('numbering', () => {
  it('N1 N2 N3 begins at 1 and has no gaps; what is answered and acknowledged is forgotten', async () => {
    const mirror = createHttpMirror()
    const gap = await send(mirror, [put(2)])
    expect(gap).toMatchObject({ results: [], lastMid: 0, changes: [] })
    const { results, lastMid, epoch } = await send(mirror, [
      put(1),
      put(2, { base: 1, body: said('second') }),
      put(4, { base: 2 }),
    ])
    expect([results.map(({ mid }) => mid), lastMid]).toEqual([[1, 2], 2])
    expect(await outcome(mirror, put(1), { epoch })).toBe('ok')
    expect(await outcome(mirror, put(2, { base: 1, body: said('second') }), { epoch, ackedMid: 1 })).toBe(
      'ok',
    )
    expect(await mirror.post(request([put(1)], { epoch, ackedMid: 1 }))).toMatchObject({
      status: 409,
      body: { code: 'device-forked', details: { mid: 1 } },
    })
    // Higher than there was an answer: the mirror takes itself for one that was set back.
    expect(await mirror.post(request([], { epoch, ackedMid: 3 }))).toMatchObject({
      status: 409,
      body: { code: 'resync-required', details: { reason: 'epoch' } },
    })
    expect((await send(mirror, [])).epoch).not.toBe(epoch)
  })

  it('M10 M11 a mark finds out a mirror that was set back and has grown again; without one nobody does', async () => {
    const mirror = createHttpMirror()
    const backup = mirror.copy()
    await send(mirror, [put(1)])
    const { epoch, cursor, mark } = await send(mirror, [], { device: 'd_reader' })
    mirror.restore(backup)
    await send(mirror, [put(1, { id: 'msg-2' })], { device: 'd_two' })
    const again = { device: 'd_reader', epoch, pull: { cursor, limit: 1000, maxBytes: 1_000_000 } }
    expect((await send(mirror, [], again)).changes).toEqual([])
    expect(await mirror.post(request([], { ...again, mark: { seq: cursor, x: mark } }))).toMatchObject({
      status: 409,
      body: { code: 'resync-required', details: { reason: 'epoch' } },
    })
    expect((await send(mirror, [])).epoch).not.toBe(epoch)
  })

  it('N4 N6 a new name has answers of its own; an old one may be refused for ever', async () => {
    const mirror = createHttpMirror()
    const backup = mirror.copy()
    const { epoch, cursor, mark } = await send(mirror, [put(1)])
    mirror.restore(backup)
    const refused = { status: 409, body: { code: 'resync-required', details: { reason: 'epoch' } } }
    expect(
      await mirror.post(request([], { epoch, ackedMid: 1, mark: { seq: cursor, x: mark } })),
    ).toMatchObject(refused)
    for (let i = 0; i < 3; i++) expect(await mirror.post(request([], { ackedMid: 1 }))).toMatchObject(refused)
    expect(await outcome(mirror, put(1), { device: 'd_new' })).toBe('ok')
    expect(await mirror.post(request([put(1, { agent: 'copy' })], { device: 'd_new' }))).toMatchObject({
      body: { code: 'device-forked' },
    })
    expect(await outcome(mirror, put(1, { agent: 'copy' }), { device: 'd_newer' })).toBe(
      'conflict last_write_wins',
    )
  })
})

describe('conflicts', () => {
  it('C11 who decides and who logs follows from what the op meets', async () => {
    const sealed = { alg: 'A256GCM', kid: `k_${'0'.repeat(16)}`, v: 1, n: 'A'.repeat(16), ct: 'A'.repeat(24) }
    const later = stamp('d_one', Date.parse(at) + 1)
    const mine = { base: 1, body: said('mine'), stamp: later }
    const put1 = (over: object) => put(1, { ...mine, ...over })
    const cases: [object, string, string[]][] = [
      [put1({ id: 'msg-new', base: 7 }), 'ok', []],
      [put1({ base: 2 }), 'ok', []],
      [put1({ body: said('theirs') }), 'conflict last_write_wins', []],
      [put1({ reseal: true }), 'conflict remote_wins', []],
      [put1({ v: undefined, body: undefined, enc: sealed }), 'conflict last_write_wins', []],
      [put1({}), 'ok last_write_wins', ['theirs']],
      [put1({ policy: 'local_wins' }), 'ok local_wins', ['theirs']],
      [put1({ policy: 'merge' }), 'conflict merge', []],
      [put1({ policy: 'remote_wins' }), 'conflict remote_wins', ['mine']],
      [put1({ policy: 'manual' }), 'conflict manual', ['mine']],
      [put1({ stamp: stamp('d_a', 0) }), 'conflict last_write_wins', ['mine']],
      [forget(1, { base: 1 }), 'ok last_write_wins', ['theirs']],
      [forget(1, { base: 1, policy: 'merge' }), 'ok last_write_wins', ['theirs']],
      [forget(1, { base: 1, forgetWins: true }), 'ok last_write_wins', ['theirs']],
      [forget(1, { base: 1, purge: true }), 'ok last_write_wins', ['put']],
      [put1({ anew: 'forget' }), 'ok last_write_wins', ['theirs']],
    ]
    for (const [op, wanted, lost] of cases) {
      const mirror = await withOther()
      expect([op, await outcome(mirror, op)]).toEqual([op, wanted])
      expect([op, logged(mirror)]).toEqual([op, lost])
    }
  })

  it('C12 changes that say the same are in no conflict, whoever said it when', async () => {
    const same = { base: 1, body: { timestamp: at, content: 'theirs' } }
    const others = {
      agent: 'another',
      at: '2026-01-31T14:30:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
    }
    for (const over of [{}, others, { sensitivity: 'standard' }, { stamp: stamp('d_zzz') }]) {
      const mirror = await withOther()
      expect(await outcome(mirror, put(1, { ...same, policy: 'local_wins', ...over }))).toBe(
        'conflict local_wins',
      )
      expect(logged(mirror)).toEqual([])
    }
    for (const over of [{ session: 's' }, { resource: 'r' }, { sensitivity: 'public' }]) {
      const mirror = await withOther()
      expect(await outcome(mirror, put(1, { ...same, policy: 'local_wins', ...over }))).toBe('ok local_wins')
      expect(logged(mirror)).toEqual(['theirs'])
    }
  })

  it('C13 a conflict that is told again shows the record as it stands then, forgotten or gone', async () => {
    const mirror = await withOther()
    const op = put(1, { base: 1, body: said('mine'), policy: 'merge' })
    const told = async () => (await send(mirror, [op])).results[0]
    expect(await told()).toMatchObject({ policy: 'merge', current: { op: 'put', ver: 2 } })
    await send(mirror, [forget(3, { base: 2 })], { device: 'd_other' })
    expect(await told()).toMatchObject({ policy: 'merge', current: { op: 'forget', ver: 3, seq: 3 } })
    expect(logged(mirror)).toEqual([])
    mirror.clock.nowMs += 91 * 86_400_000
    await send(mirror, [], {
      device: 'd_third',
      pull: { cursor: 3, limit: 1, maxBytes: 1 },
      epoch: (await send(mirror, [], { device: 'd_third' })).epoch,
    })
    expect(await mirror.tidy()).toBe(1)
    expect(await told()).toMatchObject({ policy: 'merge', current: { op: 'forget', ver: 3, seq: 3 } })
  })

  it('C4 a stamp that is ahead is put back, and its sender is not told', async () => {
    const mirror = createHttpMirror()
    const ahead = stamp('d_one', mirror.clock.nowMs + 3_600_000)
    const { results } = await send(mirror, [put(1, { stamp: ahead })])
    expect(results).toEqual([{ mid: 1, s: 'ok', ver: 1, seq: 1 }])
    const { changes } = await send(mirror, [], { device: 'd_two' })
    expect(changes[0]?.stamp).toBe(stamp('d_one', mirror.clock.nowMs + 60_000))
  })

  it('E9 the mirror does not look at what is sealed, not even of a kind that it must read', async () => {
    const enc = { alg: 'A256GCM', kid: `k_${'0'.repeat(16)}`, v: 1, n: 'A'.repeat(16), ct: 'A'.repeat(24) }
    const op = put(1, { kind: 'fact_schema', id: 'fact_schema::a', v: undefined, body: undefined, enc })
    const mirror = createHttpMirror()
    expect(await outcome(mirror, op)).toBe('ok')
    expect(await outcome(mirror, put(1, { sensitivity: 'sensitive' }), { device: 'd_two' })).toBe(
      'invalid-input',
    )
  })
})

describe('the digest', () => {
  it('G5 is over places alone, and the example of the specification is right', async () => {
    const [, told = ''] = /For the places 2, 3 and 65523 it is `(\{.*?\})`/.exec(specText) ?? []
    const places = [2, 3, 65_523]
    const sum = (of: (place: number) => number) => places.reduce((all, place) => all + of(place), 0)
    const known = { n: 3, sum: sum((place) => place), squares: sum((place) => (place % 65_521) ** 2) }
    const { seq: _seq, ...digest } = toDigest(known, 65_523)
    expect(JSON.parse(told)).toEqual(digest)
    const mirror = createHttpMirror()
    await send(mirror, [put(1), put(2, { id: 'msg-2' }), forget(3, { id: 'msg-2', base: 1 })])
    expect((await send(mirror, [], { device: 'd_two' })).digest).toEqual({ seq: 3, n: 2, x: '4.a' })
    // Beyond the modulus: 65522 and 65523 leave 1 and 2.
    const far = createHttpMirror()
    far.store().db.transaction(() => far.store().settings.set('head', 65_521))
    await send(far, [put(1), put(2, { id: 'msg-2' })])
    const far36 = (65_522 + 65_523).toString(36)
    expect((await send(far, [], { device: 'd_two' })).digest).toEqual({ seq: 65_523, n: 2, x: `${far36}.5` })
  })

  it('G6 is given by ranges of one width, the last up to the head', async () => {
    expect([rangeEnds(0), rangeEnds(1), rangeEnds(64).length, rangeEnds(65)]).toEqual([
      [],
      [1],
      64,
      [...Array.from({ length: 32 }, (_, i) => 2 * (i + 1)), 65],
    ])
    const mirror = createHttpMirror()
    await send(
      mirror,
      Array.from({ length: 130 }, (_, i) => put(i + 1, { id: `msg-${i}` })),
    )
    const { ranges } = await send(mirror, [], { check: true })
    expect([ranges?.length, ranges?.[0], ranges?.at(-1)]).toEqual([
      44,
      { seq: 3, n: 3, x: '6.e' },
      { seq: 130, n: 1, x: `${(130).toString(36)}.${(16_900).toString(36)}` },
    ])
  })
})
