// The tables of the specification of sync, compared with the code that they are about.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isBookName } from '../../../src/core/book.ts'
import { errorTable } from '../../../src/core/errors.ts'
import { jsonLimits } from '../../../src/core/json/json.ts'
import { isByPolicy, type Kind } from '../../../src/core/kind.ts'
import { maxBodyBytes } from '../../../src/doors/http/request/json-body.ts'
import { maxUnusedTickets, ticketLifetimeMs } from '../../../src/edge/live-lines.ts'
import { defaultRate } from '../../../src/edge/rate-limit.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { maxMergeRounds } from '../../../src/sync/conflict/settle-conflict.ts'
import { heartbeatIntervalMs } from '../../../src/sync/device/live.ts'
import { maxStampLeadMs } from '../../../src/sync/mirror/admit.ts'
import { retentionMs } from '../../../src/sync/mirror/mirror.ts'
import { maxRanges } from '../../../src/sync/wire/agreement.ts'
import { closeCodes, callerLimits, frameLimits } from '../../../src/sync/wire/live-wire.ts'
import {
  mirrorLimits,
  parseSyncRequest,
  syncRequest,
  syncResponse,
  wireLimits,
} from '../../../src/sync/wire/protocol.ts'
import { framed, plain, specBlocks, specText, tableOf } from '../../support/server/spec-page.ts'
import { bodyShape, isStrict } from './body-shape.ts'

const root = new URL('../../../', import.meta.url)
const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(new URL(file, root), 'utf8'),
}))
/** A number that no module exports, as it stands where `beside` is named as well. */
function constant(name: string, beside = name): number {
  const found = sources
    .filter(({ text }) => text.includes(beside))
    .flatMap(({ text }) => [...text.matchAll(new RegExp(`^const ${name} = ([\\d_]+)$`, 'gm'))])
  expect(
    [name, found.length],
    `Declare \`const ${name} = …\` once beside \`${beside}\`, or correct its name here.`,
  ).toEqual([name, 1])
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

const tables =
  'Correct this table "field | type | required | meaning" of src/sync/SPEC.md by src/sync/wire/protocol.ts.'

describe('the tables of the specification of sync', () => {
  it('have the fields of the request, and say which must be there', () => {
    const fields = tableOf('field', 'type', 'required', 'meaning')
    const request = fields.find(
      ({ rows }) => plain(rows[0]?.[0]) === 'p' && rows.length < 18 && plain(rows[1]?.[0]) === 'device',
    )
    expect(toldFields(request?.rows ?? []), tables).toEqual(fieldsOf(requestShape))
    const op = requestShape.properties?.['ops']?.items
    const [head, put] = ['mid', 'created_at'].map((name) =>
      fields.find(({ section, rows }) => section === 3 && plain(rows[0]?.[0]) === name),
    )
    const forget = fieldsOf(choice(op, 'op', 'forget'))
    expect(toldFields(head?.rows ?? []), tables).toEqual(forget)
    const whole = fieldsOf(choice(op, 'op', 'put'))
    expect(toldFields(put?.rows ?? []), tables).toEqual(
      without(whole, ...Object.keys(forget), ...Object.keys(whole).filter((name) => name.startsWith('enc.'))),
    )
    const sealed = fields.find(({ rows }) => plain(rows[0]?.[0]) === 'alg')
    expect(toldFields(sealed?.rows ?? []), tables).toEqual(
      fieldsOf(choice(op, 'op', 'put')?.properties?.['enc']),
    )
  })

  it('have the fields of the answer, of its results and its changes', () => {
    const fields = tableOf('field', 'type', 'required', 'meaning').filter(({ section }) => section === 4)
    const [answer, change] = ['p', 'op'].map((name) =>
      fields.find(({ rows }) => plain(rows[0]?.[0]) === name),
    )
    const digest = Object.keys(answerShape.properties?.['digest']?.properties ?? {})
    expect(digest).toEqual(['seq', 'n', 'x'])
    expect(toldFields(answer?.rows ?? []), tables).toEqual(
      without(fieldsOf(answerShape), ...digest.map((name) => `digest.${name}`)),
    )
    const changes = answerShape.properties?.['changes']?.items
    expect(toldFields(change?.rows ?? []), tables).toEqual(fieldsOf(choice(changes, 'op', 'forget')))
    const put = Object.keys(choice(changes, 'op', 'put')?.properties ?? {})
    expect(put.filter((name) => !change?.rows.some(([field]) => plain(field) === name))).toEqual([
      'gone',
      'created_at',
      'session',
      'resource',
      'sensitivity',
      'trust',
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
    expect(
      Object.entries(told).map(([s, names]) => [s, names.toSorted()]),
      'List the fields of each result in the table `s` of src/sync/SPEC.md.',
    ).toEqual(known)
  })

  it('have the codes that these routes answer with, their statuses, and whether to try again', () => {
    const [{ rows } = { rows: [] }] = tableOf('status', 'code', 'retry')
    for (const [status, code = '', retry] of rows) {
      const row = errorTable[plain(code) as keyof typeof errorTable]
      expect(
        [code, Number(status), retry],
        'Correct this row of "status | code | retry" in src/sync/SPEC.md.',
      ).toEqual([code, row.status, row.retry ? 'yes' : 'no'])
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
    expect(
      new Set(thrown.filter((code) => !told.has(code))),
      'Add these codes to the table "status | code | retry" of src/sync/SPEC.md.',
    ).toEqual(new Set())
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
      for (let length = known.length; length < 140; length++) others.push(known.padEnd(length, 'a'))
      for (const text of [known, ...others])
        expect(
          [what, text, isTaken(text)],
          'Correct the pattern of this row in src/sync/SPEC.md, or the check in src/sync/wire/protocol.ts.',
        ).toEqual([what, text, takes.test(text)])
      expect(takes.test(known)).toBe(true)
    }
    expect(
      rows.map(([what]) => what),
      'Add a reader to `forms` here for each row of "what | pattern | example" in src/sync/SPEC.md.',
    ).toEqual([...Object.keys(forms), 'name of a book'])
  })

  it('have every kind with its version, its policy, its rules and what others may do', () => {
    const [{ rows } = { rows: [] }] = tableOf('kind', 'v', 'policy')
    const others = (kind: Kind) =>
      kind.guests === 'none' || kind.guests === 'own' || kind.byPolicy
        ? 'nothing'
        : kind.guests === 'read'
          ? isByPolicy(kind, kinds)
            ? 'nothing'
            : 'fetch'
          : isByPolicy(kind, kinds)
            ? 'send'
            : 'send and fetch'
    const finalField = (kind: Kind) =>
      ['revoked', 'final', 'ended'].find((field) => kind.isFinal?.({ [field]: true }) === true) ?? ''
    expect(
      rows.map((row) => row.map(plain)),
      'Correct the table "kind | v | policy" of src/sync/SPEC.md: a row for each kind, in the order of `kinds`.',
    ).toEqual(
      [...kinds.values()].map((kind) => [
        kind.name,
        String(kind.version),
        kind.policy,
        Object.entries(kind.merge ?? {})
          .map((rule) => rule.join(' '))
          .join(', '),
        kind.laterEditRevives ? 'yes' : '',
        kind.isFinal ? finalField(kind) : '',
        others(kind),
        kind.idPrefix ?? '',
      ]),
    )
    const closed = [...kinds.values()]
      .filter(({ guests }) => guests !== undefined && guests !== 'own')
      .map(({ name }) => name)
    const [, told = ''] = /Kinds of which others may not do everything \((.*?)\)/.exec(specText) ?? []
    expect(
      plain(told).split(', '),
      'Correct "Kinds of which others may not do everything" in src/sync/SPEC.md.',
    ).toEqual(closed)
  })

  it('have the body of every kind, field by field', () => {
    const told = specBlocks()
      .filter(({ info }) => info.startsWith('text body '))
      .map(({ info, text }) => [info, text.trimEnd().split('\n')])
    expect(
      told,
      'Correct the blocks `text body KIND` of src/sync/SPEC.md: one for each kind, with the expected lines.',
    ).toEqual(
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
      'bytes of the body of a request, decompressed':
        mirrorLimits.requestBytes + constant('maxSyncEnvelopeBytes'),
      'bytes of the JSON of one put that every mirror takes': wireLimits.opBytes,
      'bytes of the JSON of one put (limits.opBytes)': mirrorLimits.opBytes,
      'bytes of the body of a request for a ticket': maxBodyBytes,
      'changes of an answer (pull.limit)': wireLimits.pullRecords,
      'bytes of the changes of an answer (pull.maxBytes)': wireLimits.pullBytes,
      'levels of nesting of a request': jsonLimits.depth + constant('envelopeDepth'),
      'characters of a request': jsonLimits.length,
      "ms that a stamp may be ahead of the mirror's clock": maxStampLeadMs,
      'days that tombstones are kept': retentionMs / 86_400_000,
      'ranges of digests': maxRanges,
      'merges of one record in a row': maxMergeRounds,
      'requests of one caller to one book, at once': defaultRate.burst,
      'requests of one caller to one book, each second after that': defaultRate.perSecond,
      'ms that a ticket is good': ticketLifetimeMs,
      'tickets of one caller that were not shown': maxUnusedTickets.perCaller,
      'tickets of one book that were not shown': maxUnusedTickets.perBook,
      'lines of one caller to one book': constant('maxLinesPerCaller'),
      'lines of one book': constant('maxLines', 'maxLinesPerCaller'),
      'bytes of a frame of a client': frameLimits.bytes,
      'bytes of a frame of a client, version 1': frameLimits.bytesOfVersion1,
      'frames of a line at once': frameLimits.burst,
      'frames of a line, each second after that': frameLimits.perSecond,
      'frames of all lines of a caller at once': callerLimits.frames.burst,
      'frames of all lines of a caller, each second after that': callerLimits.frames.perSecond,
      'bytes of these frames at once': callerLimits.bytes.burst,
      'bytes of these frames, each second after that': callerLimits.bytes.perSecond,
      'ms between two ping': heartbeatIntervalMs,
      'ms that a client waits for pong': constant('heartbeatTimeoutMs', 'heartbeatIntervalMs'),
      'ms of silence after which the mirror ends a line': constant('maxSilenceMs', 'maxLinesPerCaller'),
      'ms before a device that did not come gets another poke': constant('pokeRetryMs'),
    }
    expect(
      Object.fromEntries(rows.map(([what, limit = '']) => [plain(what), limit])),
      'Correct the table "what | limit" of src/sync/SPEC.md, or add the limit here.',
    ).toEqual(
      Object.fromEntries(Object.entries(wanted).map(([what, limit]) => [what, limit.toLocaleString('en')])),
    )
  })

  it('O5 have the codes with which a line ends', () => {
    const [{ rows } = { rows: [] }] = tableOf('code', 'why')
    expect(
      rows.map(([code]) => Number(code)),
      'List `closeCodes` in the table "code | why" of src/sync/SPEC.md, in order.',
    ).toEqual(Object.values(closeCodes).toSorted((a, b) => a - b))
  })
})
