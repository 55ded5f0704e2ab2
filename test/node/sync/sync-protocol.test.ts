// The wire is frozen: what it accepts changes only with a line in its history, and what was ever recorded still parses.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isDaybookError } from '../../../src/core/errors.ts'
import {
  parseSyncRequest,
  parseSyncResponse,
  syncRequest,
  syncResponse,
  wireError,
  wireVersion,
} from '../../../src/sync/wire/protocol.ts'
import { wireHistory } from '../../../src/sync/wire/wire-history.ts'

interface Frame {
  readonly name: string
  readonly request: { readonly ops: readonly object[] }
  readonly response?: object
  readonly error?: object
}

const folder = new URL('frame/', import.meta.url)
const frames = readdirSync(folder).flatMap(
  (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Frame[],
)

describe('the wire', () => {
  it('W5 is what the last line of its history says', () => {
    const schema = z.toJSONSchema(z.object({ syncRequest, syncResponse, wireError }), {
      unrepresentable: 'any',
    })
    const hash = createHash('sha256').update(JSON.stringify(schema)).digest('hex')
    const last = wireHistory.at(-1)
    expect(
      last,
      'The wire has changed: add a line to wire-history.ts, and frames of the old form.',
    ).toMatchObject({
      p: wireVersion,
      hash,
    })
  })

  it('has a history that only grows', () => {
    const versions = wireHistory.map(({ p }) => p)
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    expect(new Set(wireHistory.map(({ hash }) => hash)).size).toBe(wireHistory.length)
    expect(wireHistory.every(({ change }) => change.length > 20)).toBe(true)
  })

  it.each(frames)('still reads $name', ({ request, response, error }) => {
    const { ops } = request as { readonly ops: readonly object[] }
    // What earlier clients said and nobody looks at any more is left out, as any field that is not known.
    const known = ops.map((op) =>
      Object.fromEntries(Object.entries(op).filter(([name]) => name !== 'forgetWins')),
    )
    expect(parseSyncRequest(request)).toEqual({ ...(request as object), ops: known })
    if (response) expect(parseSyncResponse(response)).toEqual(response)
    if (error) expect(wireError.parse(error)).toEqual(error)
    expect(response ?? error).toBeDefined()
  })

  it('W5 leaves out fields it does not know, so that a later version may add them', () => {
    const [frame] = frames
    const more = { ...frame?.request, later: 1, ops: frame?.request.ops.map((op) => ({ ...op, later: 1 })) }
    expect(parseSyncRequest(more)).toEqual(frame?.request)
  })

  it('says of many wrong ops which is the first, and looks at no other', () => {
    const [frame] = frames
    const [op = {}] = frame?.request.ops ?? []
    const ops = [op, { ...op, stamp: 7 }, ...Array.from({ length: 998 }, () => ({}))]
    const refused = () => parseSyncRequest({ ...frame?.request, ops })
    expect(refused).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        details: {
          path: 'ops.1.stamp',
          issues: [{ path: 'ops.1.stamp', message: expect.any(String) as string }],
        },
      }) as Error,
    )
  })

  it('refuses anything else with one error, and never breaks', () => {
    const [frame] = frames
    const anything = fc.oneof(fc.anything(), fc.jsonValue())
    const mangled = fc
      .tuple(fc.constantFrom('p', 'device', 'epoch', 'ackedMid', 'schema', 'ops', 'pull'), anything)
      .map(([field, value]) => ({ ...frame?.request, [field]: value }))
    fc.assert(
      fc.property(fc.oneof(anything, mangled), (value) => {
        for (const parse of [parseSyncRequest, parseSyncResponse]) {
          try {
            parse(value)
          } catch (error) {
            expect(isDaybookError(error)).toBe(true)
            expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: expect.any(String) as string })
          }
        }
      }),
      { seed: 1, numRuns: 2000 },
    )
  })
})
