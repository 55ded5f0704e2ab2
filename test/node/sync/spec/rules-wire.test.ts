// The rules of the specification about HTTP, JSON and versions that a client rests on: over HTTP, against a real mirror.
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { neverAborted } from '../../../../src/core/abort.ts'
import { DaybookError } from '../../../../src/core/errors.ts'
import { nameId } from '../../../../src/core/text/name-id.ts'
import { createStampClock } from '../../../../src/core/stamp.ts'
import { kinds } from '../../../../src/engine/capability-table.ts'
import { createHttpCarrier } from '../../../../src/sync/device/http-carrier.ts'
import { schemaNumber } from '../../../../src/sync/wire/protocol.ts'
import { specText } from '../../../support/server/spec-page.ts'
import { createAsk, createHttpMirror, edgeUrl, postOf } from './http-mirror.ts'
import { at, forget, outcome, put, request, type Result, said, send, short } from './rules-case.ts'

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
    const room = 1_900_000 - Buffer.byteLength(JSON.stringify(sized('', 'n-1')))
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
    const list = '[9007199254740991,-0,1.0,1e0,0.1,1e300]'
    expect((await mirror.ask('/v1/books/garden/sync', postOf(text.replace('"N"', list)))).status).toBe(200)
    const { changes } = await send(mirror, [], { device: 'd_two' })
    expect(changes[0]?.body).toEqual({ n: [9007199254740991, 0, 1, 1, 0.1, 1e300] })
    for (const one of ['1e999', '9007199254740993', '-9007199254740992', '[1,{"a":123456789012345678901}]'])
      expect([one, await status(text.replace('"N"', one))]).toEqual([one, 400])
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
    for (const name of head) expect(specText).toContain(`\`${name}\``)
    for (const [i, name] of head.entries()) {
      const body = { [name]: 'x', kept: { id: 'x' } }
      expect(await outcome(mirror, put(i + 1, { kind: 'note', id: 'n', body }))).toBe('invalid-input')
    }
    const body = { kept: { id: 'x' } }
    expect(await outcome(mirror, put(head.length + 1, { kind: 'note', id: 'n', body }))).toBe('ok')
    const { changes } = await send(mirror, [], { device: 'd_two' })
    expect(changes[0]?.body).toEqual({ kept: { id: 'x' } })
    const text = JSON.stringify(request([put(1, { kind: 'note', id: 'n', body: { deep: { proto: 1 } } })]))
    expect(await status(text.replace('proto', '__proto__'))).toBe(400)
  })

  it('J9 what is known by a name has an id that is made of it', () => {
    const idOf = (...names: string[]) =>
      names
        .map((name) =>
          name.replaceAll(/[^A-Za-z0-9._-]/gu, (one) => `:${(one.codePointAt(0) ?? 0).toString(16)}:`),
        )
        .join('::')
    for (const [kind, ...names] of [
      ['skill', 'Water the beds'],
      ['trace_category', 'garden.beds', 'é:𝒳'],
      ['inbox', 'a', ''],
    ] as const)
      expect(idOf(kind, ...names)).toBe(nameId(kind, ...names))
    expect(specText).toContain(`\`${idOf('skill', 'Water the beds')}\``)
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
