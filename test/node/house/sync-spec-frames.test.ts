// The examples in the specification of sync: the code accepts or sends each of them.
import { describe, expect, it } from 'vitest'
import { errorTable } from '../../../src/core/errors.ts'
import { ticketLifetimeMs } from '../../../src/edge/live-lines.ts'
import {
  parseDeviceFrame,
  parseMirrorFrame,
  parsePoke,
  ticketAnswer,
  ticketRequest,
} from '../../../src/sync/wire/live-wire.ts'
import { parseSyncRequest, parseSyncResponse, wireError } from '../../../src/sync/wire/protocol.ts'
import { framed, specBlocks, specPage, specRules, specText } from '../../support/server/spec-page.ts'
import { openSealed, pairFrom, receivedKey, type Sealed } from '../../support/server/sealed-body.ts'
import { createAsk, createHttpMirror, edgeKey } from '../sync/spec/http-mirror.ts'

/** What the page says of the first sealed body, and the key it is under. */
const sealedExample = () =>
  /the body `([^`]*)` of a `(.*?)` with the id `(.*?)` in the book `(.*?)`, sealed with the key `(.*?)`/.exec(
    specText,
  ) ?? []

const example = 'Correct this example of src/sync/SPEC.md, or its reader in src/sync/wire.'

describe('the examples of the specification of sync', () => {
  it('are all of a sort that is parsed', () => {
    const sorts = new Set(specBlocks().map(({ info }) => info.replace(/ body .*/, ' body')))
    expect(
      [...sorts].toSorted(),
      'Name the block of src/sync/SPEC.md by one of these sorts, or add the sort here with a test that reads it.',
    ).toEqual(
      [
        'http',
        'json answer',
        'json begin-answer',
        'json enc',
        'json end-answer',
        'json end-request',
        'json frame-heard',
        'json frame-said',
        'json poke',
        'json refusal',
        'json request',
        'json result',
        'json ticket-answer',
        'json ticket-request',
        'mirror: copy',
        'mirror: restore',
        'text body',
      ].toSorted(),
    )
  })

  it('are requests and answers that nothing is left out of when they are read', () => {
    for (const { text } of framed('json request')) {
      expect(parseSyncRequest(JSON.parse(text)), example).toEqual(JSON.parse(text))
    }
    for (const { text } of framed('json answer')) {
      expect(parseSyncResponse(JSON.parse(text)), example).toEqual(JSON.parse(text))
    }
    for (const { text } of framed('json result')) {
      const answer = { ...JSON.parse(framed('json answer')[0]?.text ?? ''), results: [JSON.parse(text)] }
      expect(parseSyncResponse(answer).results, example).toEqual(answer.results)
    }
    expect(framed('json request').length + framed('json answer').length).toBeGreaterThan(20)
  })

  it('are refusals with codes, ways of trying again and words of the one table', () => {
    const errors = [
      ...framed('json refusal').map(({ text }) => JSON.parse(text) as unknown),
      ...framed('json result')
        .map(({ text }) => JSON.parse(text) as { s: string; error: unknown })
        .filter(({ s }) => s === 'rejected')
        .map(({ error }) => error),
    ]
    for (const error of errors) {
      const { code, message, retry } = wireError.parse(error)
      const row = errorTable[code as keyof typeof errorTable]
      expect(
        [code, retry, message.endsWith(row.recovery)],
        'Copy `retry` and the end of the message from `errorTable` (src/core/errors.ts) into src/sync/SPEC.md.',
      ).toEqual([code, row.retry, true])
    }
  })

  it('are the words of a live line', () => {
    const [asked, given, poke] = ['json ticket-request', 'json ticket-answer', 'json poke'].map((info) =>
      framed(info).map(({ text }) => text),
    )
    for (const text of asked ?? [])
      expect(ticketRequest.parse(JSON.parse(text)), example).toEqual(JSON.parse(text))
    for (const text of given ?? []) {
      expect(ticketAnswer.parse(JSON.parse(text)).ticket).toHaveLength(43)
      expect(JSON.parse(text), example).toMatchObject({ expiresInMs: ticketLifetimeMs })
    }
    for (const text of poke ?? []) expect(parsePoke(text), example).toEqual(JSON.parse(text))
    expect([asked?.length, given?.length, poke?.length]).toEqual([2, 1, 1])
    const [said, heard] = ['json frame-said', 'json frame-heard'].map((info) =>
      framed(info).map(({ text }) => text),
    )
    for (const text of said ?? []) expect(parseDeviceFrame(text), example).toEqual(JSON.parse(text))
    for (const text of heard ?? []) expect(parseMirrorFrame(text), example).toEqual(JSON.parse(text))
    expect([said?.length, heard?.length]).toEqual([8, 4])
  })

  it('E8 E1 has a sealed body that opens with what it says, and with nothing else', () => {
    const [sealed] = framed('json enc').map(
      ({ text }) => JSON.parse(text) as { kid: string; v: number; n: string; ct: string },
    )
    const [, said = '', kind = '', id = '', book = '', key = ''] = sealedExample()
    const open = (of: string) => openSealed(sealed as Sealed, Buffer.from(key, 'hex'), { book, kind, id: of })
    expect(open(id), example).toBe(said)
    expect(() => open(`${id}0`)).toThrow('authenticate')
    const op = JSON.parse(framed('json request')[0]?.text ?? '') as { ops: object[] }
    const { v: _v, body: _body, ...put } = op.ops[0] as Record<string, unknown>
    expect(parseSyncRequest({ ...op, ops: [{ ...put, enc: sealed }] }).ops[0]).toMatchObject({ enc: sealed })
  })

  it('E10 E11 E12 has a body that was sealed to a public key, which opens as it says', () => {
    const sealed = JSON.parse(framed('json enc')[1]?.text ?? '') as Sealed
    const [, said = '', kind = '', id = '', book = '', key = ''] = sealedExample()
    const [, told = ''] = /The public key is\s+`([0-9a-f]{64})`/.exec(specText) ?? []
    const { publicKey, privateKey } = pairFrom(Buffer.from(key, 'hex'))
    expect([publicKey.toString('hex'), sealed.kid], example).toEqual([told, `k_${told.slice(0, 16)}`])
    const whole = Buffer.from(sealed.ct, 'base64')
    const info = JSON.stringify(['daybook', book, sealed.kid])
    const secret = receivedKey(privateKey, publicKey, whole.subarray(0, 32), { info, context: 'A256GCM' })
    const ct = whole.subarray(32).toString('base64')
    expect(openSealed({ ...sealed, ct }, secret, { book, kind, id }), example).toBe(said)
    expect(() => openSealed({ ...sealed, ct }, secret, { book, kind, id: `${id}0` })).toThrow('authenticate')
  })

  it('H1 H2 H3 H4 are HTTP as the app speaks it', async () => {
    const [sync, upgrade] = framed('http').map(({ text }) => text)
    const [asked = '', answered = ''] = (sync ?? '').split(/\n(?=HTTP\/1\.1 \d)/)
    const [head = '', body = ''] = asked.split('\n\n')
    const [line = '', ...fields] = head.split('\n')
    const [method = '', path = ''] = line.split(' ')
    const headers = fields.map((field) => field.split(': ') as [string, string])
    expect(Object.fromEntries(headers)['Authorization']).toBe(`Bearer ${edgeKey}`)
    const response = await createHttpMirror().ask(path, { method, headers, body: body.trim() })
    expect(`HTTP/1.1 ${response.status}`, example).toBe(answered.split('\n')[0])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json(), example).toEqual(JSON.parse(answered.split('\n\n')[1] ?? ''))
    expect(upgrade).toContain('Sec-WebSocket-Protocol: daybook.live.2, daybook.live.1, ticket.')
    // An edge that has no lines says so, by the one shape.
    const none = await createAsk(() => Promise.resolve(''))('/v1/books/garden/live', {
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': 'daybook.live.1, ticket.x' },
    })
    expect([none.status, await none.json()]).toMatchObject([404, { code: 'unknown-route' }])
  })
})

it('the specification of sync names no rule that it does not have, and links to its own sections', () => {
  const rules = new Set(specRules())
  const named = [...specPage.matchAll(/(?<![\w`*-])([A-Z]\d{1,2})(?![\w`*])/g)].map((match) => match[1] ?? '')
  expect(
    new Set(named.filter((name) => !rules.has(name))),
    'Correct these rule numbers in the text of src/sync/SPEC.md.',
  ).toEqual(new Set())
  const headings = [...specPage.matchAll(/^## (.*)$/gm)].map(
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-')}`,
  )
  const links = [...specPage.matchAll(/\]\((#[^)]*)\)/g)].map((match) => match[1] ?? '')
  expect(
    links,
    'Correct the table of contents of src/sync/SPEC.md: a link for each heading, in order.',
  ).toEqual(headings)
})
