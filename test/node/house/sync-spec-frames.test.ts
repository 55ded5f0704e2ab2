// What the specification of sync shows is what the code takes and gives: every example is parsed, every table compared.
import { createDecipheriv } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bodyLimitBytes } from '../../../src/doors/http/request/json-body.ts'
import { isBookName } from '../../../src/core/book.ts'
import { errorTable } from '../../../src/core/errors.ts'
import { jsonLimits } from '../../../src/core/json/json.ts'
import type { Kind } from '../../../src/core/kind.ts'
import { ticketLimit, ticketMs } from '../../../src/edge/live-lines.ts'
import { usualRate } from '../../../src/edge/rate-limit.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { mergeRounds } from '../../../src/sync/conflict/settle-conflict.ts'
import { beatEveryMs } from '../../../src/sync/device/live.ts'
import { stampLeadMs } from '../../../src/sync/mirror/admit.ts'
import { keepMs } from '../../../src/sync/mirror/mirror.ts'
import { rangeCount } from '../../../src/sync/wire/digest.ts'
import { closeCodes, readPoke, ticketAnswer, ticketRequest } from '../../../src/sync/wire/live-wire.ts'
import {
  mirrorLimits,
  parseSyncRequest,
  parseSyncResponse,
  syncRequest,
  syncResponse,
  wireError,
  wireLimits,
} from '../../../src/sync/wire/protocol.ts'
import { plain, specBlocks, specPage, specRules, specTables } from '../../support/server/spec-page.ts'
import { createAsk, createHttpMirror, edgeKey } from '../sync/spec/http-mirror.ts'
import { bodyShape, isStrict } from './body-shape.ts'

const root = new URL('../../../', import.meta.url)
const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(new URL(file, root), 'utf8'),
}))
const blocks = specBlocks()
const tables = specTables()
const framed = (info: string) => blocks.filter((block) => block.info === info)
const tableOf = (...head: string[]) =>
  tables.filter((table) => head.every((name, i) => table.head[i] === name))

/** A number that no module exports, as it stands where `beside` is named as well. */
function constant(name: string, beside = name): number {
  const found = sources
    .filter(({ text }) => text.includes(beside))
    .flatMap(({ text }) => [...text.matchAll(new RegExp(`^const ${name} = ([\\d_]+)$`, 'gm'))])
  expect([name, found.length]).toEqual([name, 1])
  return Number(found[0]?.[1]?.replaceAll('_', ''))
}

/** The JSON Schema of a field of the wire, its alternatives one by one. */
interface Shape {
  readonly properties?: Record<string, Shape>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly items?: Shape
  readonly const?: unknown
}
const shapeOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Shape
const requestShape = shapeOf(syncRequest)
const answerShape = shapeOf(syncResponse)
const choices = (shape: Shape | undefined) => shape?.oneOf ?? shape?.anyOf ?? []
const choice = (shape: Shape | undefined, field: string, value: string) =>
  choices(shape).find(({ properties }) => properties?.[field]?.const === value)

/** `path` and whether it must be there, of a shape and of the objects right below it. */
function fieldsOf({ properties = {}, required = [] }: Shape = {}, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      const below = field.properties ? Object.entries(fieldsOf(field, `${prefix}${name}.`)) : []
      return [[`${prefix}${name}`, required.includes(name) ? 'yes' : 'no'], ...below]
    }),
  )
}
const toldFields = (rows: readonly (readonly string[])[]) =>
  Object.fromEntries(rows.map(([field, , required]) => [plain(field), required]))
const without = (fields: Record<string, string>, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

describe('the examples of the specification of sync', () => {
  it('are all of a sort that is parsed', () => {
    const sorts = new Set(blocks.map(({ info }) => info.replace(/ body .*/, ' body')))
    expect([...sorts].toSorted()).toEqual(
      [
        'http',
        'json answer',
        'json enc',
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
      expect(parseSyncRequest(JSON.parse(text))).toEqual(JSON.parse(text))
    }
    for (const { text } of framed('json answer')) {
      expect(parseSyncResponse(JSON.parse(text))).toEqual(JSON.parse(text))
    }
    for (const { text } of framed('json result')) {
      const answer = { ...JSON.parse(framed('json answer')[0]?.text ?? ''), results: [JSON.parse(text)] }
      expect(parseSyncResponse(answer).results).toEqual(answer.results)
    }
    expect(framed('json request').length + framed('json answer').length).toBeGreaterThan(20)
  })

  it('are refusals with codes, ways of trying again and words of the one table', () => {
    const errors = [
      ...framed('json refusal').map(({ text }) => JSON.parse(text) as unknown),
      ...framed('json result').map(({ text }) => (JSON.parse(text) as { error: unknown }).error),
    ]
    for (const error of errors) {
      const { code, message, retry } = wireError.parse(error)
      const row = errorTable[code as keyof typeof errorTable]
      expect([code, retry, message.endsWith(row.recovery)]).toEqual([code, row.retry, true])
    }
  })

  it('are the words of a live line', () => {
    const [asked, given, poke] = ['json ticket-request', 'json ticket-answer', 'json poke'].map((info) =>
      framed(info).map(({ text }) => text),
    )
    for (const text of asked ?? []) expect(ticketRequest.parse(JSON.parse(text))).toEqual(JSON.parse(text))
    for (const text of given ?? []) {
      expect(ticketAnswer.parse(JSON.parse(text)).ticket).toHaveLength(43)
      expect(JSON.parse(text)).toMatchObject({ expires_in_ms: ticketMs })
    }
    for (const text of poke ?? []) expect(readPoke(text)).toEqual(JSON.parse(text))
    expect([asked?.length, given?.length, poke?.length]).toEqual([1, 1, 1])
  })

  it('E8 E1 has a sealed body that opens with what it says, and with nothing else', () => {
    const [sealed] = framed('json enc').map(
      ({ text }) => JSON.parse(text) as { kid: string; v: number; n: string; ct: string },
    )
    const [, said = '', kind = '', id = '', book = '', key = ''] =
      /the body `(.*?)` of a `(.*?)` with the id `(.*?)` in the book `(.*?)`, sealed with the key\s+`(.*?)`/.exec(
        specPage,
      ) ?? []
    const open = (of: string) => {
      const ct = Buffer.from(sealed?.ct ?? '', 'base64')
      const cipher = createDecipheriv(
        'aes-256-gcm',
        Buffer.from(key, 'hex'),
        Buffer.from(sealed?.n ?? '', 'base64'),
      )
      cipher.setAAD(Buffer.from(JSON.stringify(['daybook', book, kind, of, sealed?.v, sealed?.kid])))
      cipher.setAuthTag(ct.subarray(-16))
      return Buffer.concat([cipher.update(ct.subarray(0, -16)), cipher.final()]).toString('utf8')
    }
    expect(open(id)).toBe(said)
    expect(() => open(`${id}0`)).toThrow('authenticate')
    const op = JSON.parse(framed('json request')[0]?.text ?? '') as { ops: object[] }
    const { v: _v, body: _body, ...put } = op.ops[0] as Record<string, unknown>
    expect(parseSyncRequest({ ...op, ops: [{ ...put, enc: sealed }] }).ops[0]).toMatchObject({ enc: sealed })
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
    expect(`HTTP/1.1 ${response.status}`).toBe(answered.split('\n')[0])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual(JSON.parse(answered.split('\n\n')[1] ?? ''))
    expect(upgrade).toContain('Sec-WebSocket-Protocol: daybook.live.1, ticket.')
    // An edge that has no lines says so, by the one shape.
    const none = await createAsk(() => Promise.resolve(''))('/v1/books/garden/live', {
      headers: { upgrade: 'websocket', 'sec-websocket-protocol': 'daybook.live.1, ticket.x' },
    })
    expect([none.status, await none.json()]).toMatchObject([404, { code: 'unknown-route' }])
  })
})

describe('the tables of the specification of sync', () => {
  it('have the fields of the request, and say which must be there', () => {
    const fields = tableOf('field', 'type', 'required', 'meaning')
    const request = fields.find(
      ({ rows }) => plain(rows[0]?.[0]) === 'p' && rows.length < 18 && plain(rows[1]?.[0]) === 'device',
    )
    expect(toldFields(request?.rows ?? [])).toEqual(fieldsOf(requestShape))
    const op = requestShape.properties?.['ops']?.items
    const [head, put] = ['mid', 'created_at'].map((name) =>
      fields.find(({ section, rows }) => section === 3 && plain(rows[0]?.[0]) === name),
    )
    const forget = fieldsOf(choice(op, 'op', 'forget'))
    expect(toldFields(head?.rows ?? [])).toEqual(forget)
    const whole = fieldsOf(choice(op, 'op', 'put'))
    expect(toldFields(put?.rows ?? [])).toEqual(
      without(whole, ...Object.keys(forget), ...Object.keys(whole).filter((name) => name.startsWith('enc.'))),
    )
    const sealed = fields.find(({ rows }) => plain(rows[0]?.[0]) === 'alg')
    expect(toldFields(sealed?.rows ?? [])).toEqual(fieldsOf(choice(op, 'op', 'put')?.properties?.['enc']))
  })

  it('have the fields of the answer, of its results and its changes', () => {
    const fields = tableOf('field', 'type', 'required', 'meaning').filter(({ section }) => section === 4)
    const [answer, change] = ['p', 'op'].map((name) =>
      fields.find(({ rows }) => plain(rows[0]?.[0]) === name),
    )
    const digest = Object.keys(answerShape.properties?.['digest']?.properties ?? {})
    expect(digest).toEqual(['seq', 'n', 'x'])
    expect(toldFields(answer?.rows ?? [])).toEqual(
      without(fieldsOf(answerShape), ...digest.map((name) => `digest.${name}`)),
    )
    const changes = answerShape.properties?.['changes']?.items
    expect(toldFields(change?.rows ?? [])).toEqual(fieldsOf(choice(changes, 'op', 'forget')))
    const put = Object.keys(choice(changes, 'op', 'put')?.properties ?? {})
    expect(put.filter((name) => !change?.rows.some(([field]) => plain(field) === name))).toEqual([
      'created_at',
      'session',
      'resource',
      'sensitivity',
      'body',
      'enc',
    ])
    const [results] = tableOf('`s`')
    const told = Object.fromEntries(
      (results?.rows ?? []).map(([s = '', more = '']) => [
        plain(s),
        [...more.matchAll(/`(\w+)`/g)].map((match) => match[1]),
      ]),
    )
    const known = choices(answerShape.properties?.['results']?.items).map(({ properties = {} }) => [
      properties['s']?.const,
      Object.keys(properties)
        .filter((name) => !['mid', 's'].includes(name))
        .toSorted(),
    ])
    expect(Object.entries(told).map(([s, names]) => [s, names.toSorted()])).toEqual(known)
  })

  it('have the codes that these routes answer with, their statuses, and whether to try again', () => {
    const [{ rows } = { rows: [] }] = tableOf('status', 'code', 'retry')
    for (const [status, code = '', retry] of rows) {
      const row = errorTable[plain(code) as keyof typeof errorTable]
      expect([code, Number(status), retry]).toEqual([code, row.status, row.retry ? 'yes' : 'no'])
    }
    const told = new Set(rows.map(([, code]) => plain(code)))
    // Whatever these rooms name may come out of a route of sync.
    const rooms =
      /^src\/(?:sync\/(?:mirror|wire)|edge\/(?:live|rate|outcome|answer)|doors\/http\/(?:app|request|routes\/(?:sync|live)))/
    const thrown = sources
      .filter(({ file }) => rooms.test(file.replaceAll('\\', '/')))
      .flatMap(({ text }) =>
        [...text.matchAll(/new DaybookError\(\s*'([a-z-]+)'/g)].map((match) => match[1] ?? ''),
      )
    expect(thrown.length).toBeGreaterThan(20)
    expect(new Set(thrown.filter((code) => !told.has(code)))).toEqual(new Set())
  })

  it('J1 have patterns that take what the code takes', () => {
    const [{ rows } = { rows: [] }] = tableOf('what', 'pattern', 'example')
    const [frame] = framed('json request').map(
      ({ text }) => JSON.parse(text) as { ops: object[]; pull: object },
    )
    const withOp = (over: object) => ({ ...frame, ops: [{ ...frame?.ops[0], ...over }] })
    const enc = JSON.parse(framed('json enc')[0]?.text ?? '') as object
    const forms: Record<string, (text: string) => unknown> = {
      'name of a device': (device) => ({ ...frame, device }),
      'name of an epoch': (epoch) => ({ ...frame, epoch }),
      'name of a kind': (kind) => withOp({ kind }),
      'id of a record': (id) => withOp({ id }),
      stamp: (stamp) => withOp({ stamp }),
      'id of a key': (kid) => withOp({ body: undefined, enc: { ...enc, kid } }),
    }
    const parses = (value: unknown) => {
      try {
        return Boolean(parseSyncRequest(value))
      } catch {
        return false
      }
    }
    for (const [what = '', pattern, example] of rows) {
      const takes = new RegExp(plain(pattern))
      const parsed = forms[what]
      const isTaken = parsed ? (text: string) => parses(parsed(text)) : isBookName
      const known = plain(example)
      const others = [
        '',
        ' ',
        known + '\n',
        known.toUpperCase(),
        `${known}é`,
        known.slice(1),
        `.${known}`,
        `-${known}`,
      ]
      for (const length of [1, 12, 60, 64, 65, 120, 126, 128, 129]) others.push(known + 'a'.repeat(length))
      for (const text of [known, ...others])
        expect([what, text, isTaken(text)]).toEqual([what, text, takes.test(text)])
      expect(takes.test(known)).toBe(true)
    }
    expect(rows.map(([what]) => what)).toEqual([...Object.keys(forms), 'name of a book'])
  })

  it('have every kind with its version, its policy, its rules and what others may do', () => {
    const [{ rows } = { rows: [] }] = tableOf('kind', 'v', 'policy')
    const others = (kind: Kind) =>
      kind.guests === 'none' ? 'nothing' : kind.guests === 'read' ? 'fetch' : 'send and fetch'
    const finalField = (kind: Kind) =>
      ['revoked', 'final', 'ended'].find((field) => kind.isFinal?.({ [field]: true }) === true) ?? ''
    expect(rows.map((row) => row.map(plain))).toEqual(
      [...kinds.values()].map((kind) => [
        kind.name,
        String(kind.version),
        kind.policy,
        Object.entries(kind.merge ?? {})
          .map((rule) => rule.join(' '))
          .join(', '),
        kind.forgetWins ? 'yes' : '',
        kind.isFinal ? finalField(kind) : '',
        others(kind),
        kind.idPrefix ?? '',
      ]),
    )
    const closed = [...kinds.values()].filter(({ guests }) => guests !== undefined).map(({ name }) => name)
    const [, told = ''] = /Kinds of which others may not do everything \((.*?)\)/.exec(specPage) ?? []
    expect(plain(told).split(', ')).toEqual(closed)
  })

  it('have the body of every kind, field by field', () => {
    const told = blocks
      .filter(({ info }) => info.startsWith('text body '))
      .map(({ info, text }) => [info, text.trimEnd().split('\n')])
    expect(told).toEqual(
      [...kinds.values()].map(({ name, schema }) => [
        `text body ${name}${isStrict(schema as z.ZodType) ? ' strict' : ''}`,
        bodyShape(schema as z.ZodType),
      ]),
    )
  })

  it('have the limits', () => {
    const [{ rows } = { rows: [] }] = tableOf('what', 'limit')
    const wanted = {
      'ops of a request that every mirror takes': wireLimits.ops,
      'bytes of all ops of a request that every mirror takes': wireLimits.requestBytes,
      'ops of a request that this mirror takes (limits.ops)': mirrorLimits.ops,
      'bytes of all ops of a request (limits.requestBytes)': mirrorLimits.requestBytes,
      'bytes of the body of a request, decompressed': mirrorLimits.requestBytes + constant('envelopeBytes'),
      'bytes of the JSON of one put': wireLimits.opBytes,
      'bytes of the body of a request for a ticket': bodyLimitBytes,
      'changes of an answer (pull.limit)': wireLimits.pullRecords,
      'bytes of the changes of an answer (pull.maxBytes)': wireLimits.pullBytes,
      'levels of nesting of a request': jsonLimits.depth + constant('envelopeDepth'),
      'characters of a request': jsonLimits.length,
      "ms that a stamp may be ahead of the mirror's clock": stampLeadMs,
      'days that tombstones are kept': keepMs / 86_400_000,
      'ranges of digests': rangeCount,
      'merges of one record in a row': mergeRounds,
      'requests of one caller to one book, at once': usualRate.burst,
      'requests of one caller to one book, each second after that': usualRate.perSecond,
      'ms that a ticket is good': ticketMs,
      'tickets of one caller that were not shown': ticketLimit.ofCaller,
      'tickets of one book that were not shown': ticketLimit.ofBook,
      'lines of one caller to one book': constant('callerLineLimit'),
      'lines of one book': constant('lineLimit', 'callerLineLimit'),
      'ms between two ping': beatEveryMs,
      'ms that a client waits for pong': constant('answerWithinMs', 'beatEveryMs'),
      'ms of silence after which the mirror ends a line': constant('silentMs'),
      'ms before a device that did not come is told again': constant('pokeAgainMs'),
    }
    expect(Object.fromEntries(rows.map(([what, limit = '']) => [plain(what), limit]))).toEqual(
      Object.fromEntries(Object.entries(wanted).map(([what, limit]) => [what, limit.toLocaleString('en')])),
    )
  })

  it('O5 have the codes with which a line ends', () => {
    const [{ rows } = { rows: [] }] = tableOf('code', 'why')
    expect(rows.map(([code]) => Number(code))).toEqual(Object.values(closeCodes).toSorted((a, b) => a - b))
  })
})

it('the specification of sync names no rule that it does not have, and links to its own sections', () => {
  const rules = new Set(specRules())
  const named = [...specPage.matchAll(/(?<![\w`*-])([A-Z]\d{1,2})(?![\w`*])/g)].map((match) => match[1] ?? '')
  expect(new Set(named.filter((name) => !rules.has(name)))).toEqual(new Set())
  const headings = [...specPage.matchAll(/^## (.*)$/gm)].map(
    ([, heading = '']) =>
      `#${heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-')}`,
  )
  const links = [...specPage.matchAll(/\]\((#[^)]*)\)/g)].map((match) => match[1] ?? '')
  expect(links).toEqual(headings)
})
