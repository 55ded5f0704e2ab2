// The rules that whoever writes a client rests on, each as the specification has it: over HTTP, against a real mirror.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createHttpCarrier } from '../../../../src/sync/device/http-carrier.ts'
import { kinds } from '../../../../src/engine/capability-table.ts'
import { schemaNumber } from '../../../../src/sync/wire/protocol.ts'
import { rangeEnds, toDigest } from '../../../../src/sync/wire/digest.ts'
import { createStampClock } from '../../../../src/core/stamp.ts'
import { DaybookError } from '../../../../src/core/errors.ts'
import { neverAborted } from '../../../../src/core/abort.ts'
import { specPage } from '../../../support/server/spec-page.ts'
import { createAsk, createHttpMirror, edgeUrl, type HttpMirror, postOf } from './http-mirror.ts'

const at = '2026-01-31T14:00:00.000Z'
const stamp = (name = 'd_one', ms = Date.parse(at)) => `${ms.toString(16).padStart(12, '0')}-0000-${name}`
const said = (content: string) => ({ content, timestamp: at })

/** A put of a message, with what a test lays over it. */
const put = (mid: number, over: object = {}) => ({
  mid,
  op: 'put',
  kind: 'message',
  id: 'msg-1',
  base: 0,
  stamp: stamp(),
  at,
  agent: 'tester',
  created_at: at,
  v: 1,
  body: said('first'),
  ...over,
})
const forget = (mid: number, over: object = {}) => {
  const { created_at: _created, v: _v, body: _body, ...op } = put(mid)
  return { ...op, op: 'forget', ...over }
}
const request = (ops: readonly object[], over: object = {}) => ({
  p: 1,
  device: 'd_one',
  epoch: null,
  ackedMid: 0,
  schema: 0,
  ops,
  pull: { cursor: 0, limit: 1000, maxBytes: 1_000_000 },
  ...over,
})

interface Result {
  readonly mid: number
  readonly s: string
  readonly ver?: number
  readonly seq?: number
  readonly policy?: string
  readonly current?: {
    readonly op: string
    readonly ver: number
    readonly seq: number
    readonly body?: object
  }
  readonly error?: { readonly code: string }
}

/** What became of ops, shortly: `ok`, `ok merge`, `conflict merge`, `too-large`. */
const short = ({ s, policy, error }: Result) => error?.code ?? (policy === undefined ? s : `${s} ${policy}`)

async function send(mirror: HttpMirror, ops: readonly object[], over: object = {}) {
  const { status, body } = await mirror.post(request(ops, over))
  expect([status, body]).toEqual([200, body])
  return body as unknown as {
    results: Result[]
    changes: { id: string; body?: object; stamp: string }[]
    lastMid: number
    cursor: number
    mark: string
    epoch: string
    digest: { n: number; x: string }
    ranges?: { seq: number; n: number; x: string }[]
    floor: number
  }
}
const outcome = async (mirror: HttpMirror, op: object, over: object = {}) =>
  short((await send(mirror, [op], over)).results[0] as Result)
const logged = (mirror: HttpMirror) =>
  mirror
    .store()
    .conflicts.list({})
    .map(({ lost }) => (lost.body as { content?: string } | undefined)?.content ?? lost.op)

/** A mirror on which `msg-1` of another device stands at version 2. */
async function withOther(over: object = {}): Promise<HttpMirror> {
  const mirror = createHttpMirror()
  await send(mirror, [put(1, { ...over, id: 'msg-1' })], { device: 'd_other' })
  await send(mirror, [put(2, { base: 1, stamp: stamp('d_other'), body: said('theirs'), ...over })], {
    device: 'd_other',
  })
  return mirror
}

describe('the transport', () => {
  it('H5 says when to come again, in the body and in whole seconds', async () => {
    const ask = createAsk(() => {
      throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs: 50 } })
    })
    const response = await ask('/v1/books/garden/sync', postOf(JSON.stringify(request([]))))
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toMatchObject([
      429,
      '1',
      { code: 'rate-limited', retry: true, details: { retryAfterMs: 50 } },
    ])
  })

  it('H3 H6 takes gzip and nothing else, and no more bytes or ops than it says', async () => {
    const { ask } = createHttpMirror()
    const text = JSON.stringify(request([]))
    const sent = async (body: BodyInit, more: Record<string, string> = {}) => {
      const response = await ask('/v1/books/garden/sync', { ...postOf('', more), body })
      const { code, details } = (await response.json()) as { code?: string; details?: object }
      return { status: response.status, code, details }
    }
    const gzip = { 'content-encoding': 'gzip' }
    expect(await sent(gzipSync(text), gzip)).toMatchObject({ status: 200 })
    expect(await sent(text, { 'content-encoding': 'br' })).toMatchObject({ status: 400 })
    expect(await sent(text, { 'content-type': 'text/plain' })).toMatchObject({ status: 400 })
    const tooLarge = { status: 413, code: 'too-large', details: { limitBytes: 2_100_000 } }
    expect(await sent(`${text}${' '.repeat(2_100_000)}`)).toMatchObject(tooLarge)
    expect(await sent(gzipSync(`${text}${' '.repeat(2_100_000)}`), gzip)).toMatchObject(tooLarge)
    const many = request(Array.from({ length: 1001 }, (_, i) => forget(i + 1)))
    expect(await sent(JSON.stringify(many))).toMatchObject({ status: 413, details: { limitOps: 1000 } })
  })

  it('H7 takes nothing of a request that it refuses', async () => {
    const mirror = createHttpMirror()
    const { epoch } = await send(mirror, [put(1)])
    const refused = [
      request([put(2), { ...put(3), at: 'yesterday' }]),
      request([put(2)], { epoch: 'e_other' }),
      request([put(2), put(1, { body: said('of a copy') })], { epoch }),
      request([put(2)], { p: 2 }),
    ]
    for (const each of refused) expect((await mirror.post(each)).status).toBeGreaterThanOrEqual(400)
    expect((await send(mirror, [], { epoch })).lastMid).toBe(1)
    expect(mirror.store().records.row('msg-1')?.ver).toBe(1)
  })

  it('H8 a key does not go along with a redirect', async () => {
    const asked: object[] = []
    const carrier = createHttpCarrier({
      url: edgeUrl,
      book: 'garden',
      key: 'a-key-of-this-edge',
      fetch: (url, { redirect }) => {
        asked.push({ url, redirect })
        return Promise.resolve({ status: 307, text: () => Promise.resolve('') })
      },
    })
    await expect(carrier.exchange(request([]), neverAborted)).rejects.toMatchObject({
      code: 'protocol-error',
    })
    expect(asked).toEqual([{ url: `${edgeUrl}/v1/books/garden/sync`, redirect: 'manual' }])
  })

  it('W7 measures an op as JavaScript writes it, whatever it was written like', async () => {
    const mirror = createHttpMirror()
    const sized = (content: string, id: string) => put(1, { kind: 'note', id, v: 0, body: { content } })
    const room = 700_000 - Buffer.byteLength(JSON.stringify(sized('', 'n-1')))
    const cases = [
      ['a'.repeat(room), 'ok'],
      ['a'.repeat(room + 1), 'too-large'],
      ['é'.repeat(Math.floor(room / 2)), 'ok'],
      ['\u0001'.repeat(Math.floor(room / 6)), 'ok'],
      ['\u0001'.repeat(Math.floor(room / 6) + 1), 'too-large'],
      ['\n'.repeat(Math.floor(room / 2)), 'ok'],
      ['\ud800'.repeat(Math.floor(room / 6) + 1), 'too-large'],
    ] as const
    for (const [i, [content, wanted]] of cases.entries())
      expect([i, await outcome(mirror, sized(content, `n-${i}`), { device: `d_${i}` })]).toEqual([i, wanted])
    // Escapes and blanks of the sender count for nothing.
    const text = JSON.stringify(request([sized('a'.repeat(room), 'n-9')], { device: 'd_blank' }), null, 4)
    const response = await mirror.ask('/v1/books/garden/sync', postOf(text.replace('"aaa', '"\\u0061aa')))
    expect(((await response.json()) as { results: Result[] }).results.map(short)).toEqual(['ok'])
  })
})

describe('JSON on the wire', () => {
  const status = async (text: string) =>
    (await createHttpMirror().ask('/v1/books/garden/sync', postOf(text))).status

  it('J2 times have one form', async () => {
    const mirror = createHttpMirror()
    const others = [
      '2026-01-31',
      '2026-01-31T14:00:00Z',
      '2026-01-31T15:00:00.000+01:00',
      '2026-02-30T14:00:00.000Z',
    ]
    for (const each of [
      ...others,
      '0000-01-01T00:00:00.000Z',
      '10000-01-01T00:00:00.000Z',
      at.toLowerCase(),
    ]) {
      expect([each, (await mirror.post(request([put(1, { at: each })]))).status]).toEqual([each, 400])
      expect([each, (await mirror.post(request([put(1, { created_at: each })]))).status]).toEqual([each, 400])
    }
    for (const each of ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2024-02-29T00:00:00.000Z'])
      expect((await createHttpMirror().post(request([put(1, { at: each })]))).status).toBe(200)
  })

  it('J3 stamps grow, by the clock or by counting, and past every stamp that was seen', () => {
    const clock = { now: () => 1000 }
    const stamps = createStampClock(clock, 'd_one')
    expect([stamps.next(), stamps.next()]).toEqual(['0000000003e8-0000-d_one', '0000000003e8-0001-d_one'])
    stamps.see('0000000007d0-ffff-d_other')
    expect([stamps.next(), stamps.next()]).toEqual(['0000000007d1-0000-d_one', '0000000007d1-0001-d_one'])
  })

  it('J4 numbers are doubles, and what none holds is refused', async () => {
    const text = JSON.stringify(request([put(1, { kind: 'note', id: 'n', body: { n: 'N' } })]))
    const mirror = createHttpMirror()
    const list = '[9007199254740993,-0,1.0,1e0,0.1]'
    expect((await mirror.ask('/v1/books/garden/sync', postOf(text.replace('"N"', list)))).status).toBe(200)
    const { changes } = await send(mirror, [], { device: 'd_two' })
    expect(changes[0]?.body).toEqual({ n: [9007199254740992, 0, 1, 1, 0.1] })
    expect(await status(text.replace('"N"', '1e999'))).toBe(400)
  })

  it('J5 the same bytes are the same value with fields in the same order, unknown ones too', async () => {
    const mirror = createHttpMirror()
    const body = { b: 1, a: { '10': 1, '9': 2 }, c: 'A' }
    const op = put(1, { kind: 'note', id: 'n', body, later: 1 })
    const text = JSON.stringify(request([op]))
    const ask = async (asked: string) => (await mirror.ask('/v1/books/garden/sync', postOf(asked))).status
    expect(await ask(text)).toBe(200)
    const again = [
      JSON.stringify(request([op]), null, 2),
      text.replace('"A"', '"\\u0041"'),
      text.replace('"b":1', '"b":1.0'),
      text.replace('"b":1', '"b":2,"b":1e0'),
      text.replace('"9":2,"10":1', '"10":1,"9":2'),
    ]
    for (const each of again) expect([each, await ask(each)]).toEqual([each, 200])
    const others = [
      text.replace('"b":1,"a":{"9":2,"10":1}', '"a":{"9":2,"10":1},"b":1'),
      text.replace('"later":1', '"later":2'),
      text.replace('"b":1', '"b":3'),
    ]
    for (const each of others) {
      expect(each).not.toBe(text)
      expect([each, await ask(each)]).toEqual([each, 409])
    }
  })

  it('J6 names of the head are no fields of a body', async () => {
    const mirror = createHttpMirror()
    const head = [
      'id',
      'kind',
      'created_at',
      'updated_at',
      'ver',
      'agent',
      'session',
      'resource',
      'sensitivity',
    ]
    for (const name of head) expect(specPage).toContain(`\`${name}\``)
    const body = { ...Object.fromEntries(head.map((name) => [name, 'x'])), kept: { id: 'x' } }
    expect(await outcome(mirror, put(1, { kind: 'note', id: 'n', body }))).toBe('ok')
    const { changes } = await send(mirror, [], { device: 'd_two' })
    expect(changes[0]?.body).toEqual({ kept: { id: 'x' } })
    const text = JSON.stringify(request([put(1, { kind: 'note', id: 'n', body: { deep: { proto: 1 } } })]))
    expect(await status(text.replace('proto', '__proto__'))).toBe(400)
  })

  it('J7 J8 has a depth, and text that is text', async () => {
    const nested = (levels: number) => {
      const body = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
      return JSON.stringify(request([put(1, { kind: 'note', id: 'n', body: 'B' })])).replace('"B"', body)
    }
    // The request, the list, the op; then the body.
    expect([await status(nested(65)), await status(nested(66))]).toEqual([200, 400])
    const mirror = createHttpMirror()
    expect((await mirror.post(request([put(1, { agent: '\ud800' })]))).status).toBe(400)
    expect(await outcome(mirror, put(1, { kind: 'note', id: 'n', body: { text: '\ud800' } }))).toBe('ok')
    expect((await send(mirror, [], { device: 'd_two' })).changes[0]?.body).toEqual({ text: '\ud800' })
    const bytes = Buffer.concat([Buffer.from('{"p":"'), Buffer.from([0xff]), Buffer.from('"}')])
    const { status: refused } = await mirror.ask('/v1/books/garden/sync', { ...postOf(''), body: bytes })
    expect(refused).toBe(400)
  })

  it('V4 `v` says what is checked; without it a `schema` above the mirror’s own turns checking off', async () => {
    const wrong = (v: number | undefined, id: string) => put(1, { id, v, body: { content: 1 } })
    const own = schemaNumber(kinds)
    const answers: string[] = []
    const mirror = createHttpMirror()
    for (const [i, [v, schema]] of [
      [1, 0],
      [1, 999],
      [0, 0],
      [2, 0],
      [undefined, 0],
      [undefined, own],
      [undefined, own + 1],
    ].entries())
      answers.push(await outcome(mirror, wrong(v, `msg-${i}`), { schema, device: `d_${i}` }))
    const refused = 'invalid-input'
    expect(answers).toEqual([refused, refused, 'ok', 'ok', refused, refused, 'ok'])
  })
})

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

  it('N4 N6 M11 a new name has answers of its own; an old one may be refused for ever', async () => {
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
      [forget(1, { base: 1 }), 'conflict last_write_wins', ['forget']],
      [forget(1, { base: 1, policy: 'merge' }), 'conflict merge', ['forget']],
      [forget(1, { base: 1, forgetWins: true }), 'ok last_write_wins', ['theirs']],
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
    const [, told = ''] = /For the places 2, 3 and 65523 it is `(\{.*?\})`/.exec(specPage) ?? []
    const places = [2, 3, 65_523]
    const sum = (of: (place: number) => number) => places.reduce((all, place) => all + of(place), 0)
    const known = { n: 3, sum: sum((place) => place), squares: sum((place) => (place % 65_521) ** 2) }
    const { seq: _seq, ...digest } = toDigest(known, 65_523)
    expect(JSON.parse(told)).toEqual(digest)
    const mirror = createHttpMirror()
    await send(mirror, [put(1), put(2, { id: 'msg-2' }), forget(3, { id: 'msg-2', base: 1 })])
    expect((await send(mirror, [], { device: 'd_two' })).digest).toEqual({ seq: 3, n: 2, x: '4.a' })
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
