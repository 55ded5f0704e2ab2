// Whatever arrives at the edge, it answers: with what was asked for, or with an error that says what is wrong. Never 500.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { type ErrorCode, errorTable } from '../../../src/core/errors.ts'
import { parseSyncResponse } from '../../../src/sync/wire/protocol.ts'
import { call, newBook, run, syncRequest, traceOp } from './http.ts'

const seed = 20_260_102
const timeout = 120_000

/** Strings that have hurt somebody before. */
const hostile = fc.constantFrom(
  '',
  '"',
  "'; DROP TABLE records; --",
  'NEAR( AND OR NOT *',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '9'.repeat(400),
  '${7*7}',
)
const json = fc.oneof(fc.jsonValue({ maxDepth: 4 }), hostile, fc.constantFrom(-1, 1e308, 2 ** 53, 0.5))

/** Every path into a JSON value, its root excepted. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [
    [...path, key],
    ...pathsOf(member, [...path, key]),
  ])
}

/** A copy of `value` with another value, or none, at `path`. */
function replaceAt(value: unknown, [key = '', ...rest]: readonly string[], other: unknown): unknown {
  const copy: Record<string, unknown> = Array.isArray(value)
    ? (value.slice() as never)
    : { ...(value as object) }
  copy[key] = rest.length > 0 ? replaceAt(copy[key], rest, other) : other
  return copy
}

/** A right request, changed in some places. */
const mangled = (right: object) =>
  fc
    .array(fc.tuple(fc.constantFrom(...pathsOf(right)), fc.oneof(json, fc.constant(undefined))), {
      minLength: 1,
      maxLength: 3,
    })
    .map((changes) =>
      changes.reduce<unknown>((value, [path, other]) => {
        try {
          return replaceAt(value, path, other)
        } catch {
          // An earlier change took away what this one is about.
          return value
        }
      }, right),
    )

async function expectAnswer(response: Response): Promise<{ status: number; body: unknown }> {
  const body: unknown = await response.json()
  if (response.status !== 200) {
    const { code } = body as { code: ErrorCode }
    expect(errorTable[code]?.status).toBe(response.status)
    expect(response.status).toBeLessThan(500)
  }
  return { status: response.status, body }
}

describe('anything at all', () => {
  it(
    'as a sync request: an answer that parses, or an error; and the mirror goes on',
    { timeout },
    async () => {
      const book = newBook()
      const right = syncRequest({ ops: [traceOp(), traceOp({ mid: 2, id: 'trace-2' })] })
      await fc.assert(
        fc.asyncProperty(fc.oneof(json, mangled(right)), async (body) => {
          const answer = await expectAnswer(
            await call(`/v1/books/${book}/sync`, {
              body: JSON.stringify(body),
              headers: { 'content-type': 'application/json' },
            }),
          )
          if (answer.status === 200) parseSyncResponse(answer.body)
        }),
        { seed, numRuns: 400 },
      )
      const after = await call(`/v1/books/${book}/sync`, { body: syncRequest({ device: 'd_after' }) })
      expect(after.status).toBe(200)
      const { changes } = parseSyncResponse(await after.json())
      expect(changes.every(({ id }) => /^[A-Za-z0-9]/.test(id))).toBe(true)
    },
  )

  it('as bytes, types and encodings', { timeout }, async () => {
    const book = newBook()
    const headers = fc.record({
      'content-type': fc.constantFrom(
        'application/json',
        'application/json;charset=x',
        'text/json',
        ';',
        'application/jsonp',
      ),
      'content-encoding': fc.constantFrom('identity', 'gzip', 'gzip, gzip', 'deflate', 'x'),
    })
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), headers, async (body, headers) => {
        await expectAnswer(await call(`/v1/books/${book}/sync`, { body, headers }))
        await expectAnswer(await call(`/v1/books/${book}/capabilities/kstar:query_traces`, { body, headers }))
      }),
      { seed, numRuns: 150 },
    )
  })

  it('as the input of any capability', { timeout }, async () => {
    const book = newBook()
    const inputs: Record<string, object> = {
      'kstar:store_trace': traceOp().body,
      'kstar:query_traces': {
        filters: { 'situation.domain': { in: ['a'] }, or: [{ a: 1 }] },
        orderBy: ['-a'],
        cursor: 'c1.x',
      },
      'kstar:search_traces': { query: 'a "b" NEAR', fields: ['task'], filters: { a: { gt: 1 } } },
      'daybook:recall': { text: 'a', kinds: ['trace'], limit: 3, filters: { a: 1 } },
    }
    const ids = capabilityTable.map(({ id }) => id)
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...ids)
          .chain((id) =>
            fc.tuple(fc.constant(id), fc.oneof(json, mangled(inputs[id] ?? { id: 'x', limit: 1 }))),
          ),
        async ([id, input]) => {
          const body = JSON.stringify(input)
          await expectAnswer(
            await call(`/v1/books/${book}/capabilities/${id}`, {
              body,
              headers: { 'content-type': 'application/json' },
            }),
          )
        },
      ),
      { seed, numRuns: 500 },
    )
    expect(await run(book, 'daybook:status')).toMatchObject({ owner: true })
  })

  it('as an address', { timeout }, async () => {
    const piece = fc.oneof(
      fc.webPath(),
      hostile.filter((text) => text.isWellFormed()).map((text) => `/${encodeURIComponent(text)}`),
    )
    const path = fc.tuple(
      fc.constantFrom('', '/v1', '/v1/books', '/v1/books/a', '/v1/books/a/capabilities'),
      piece,
    )
    const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD')
    await fc.assert(
      fc.asyncProperty(path, method, async ([start, rest], method) => {
        const response = await call(`${start}${rest}`, { method })
        expect(response.status).toBeLessThan(500)
        if (method !== 'HEAD') await expectAnswer(response)
      }),
      { seed, numRuns: 200 },
    )
  })
})
