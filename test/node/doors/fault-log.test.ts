// What the log of an edge says of a fault: where it was thrown, over all that rethrew it, and nothing of what was stored.
import { Hono } from 'hono'
import { afterEach, expect, it, vi } from 'vitest'
import { DaybookError, toDaybookError } from '../../../src/core/errors.ts'
import { respondWith } from '../../../src/doors/http/request/problem.ts'
import { faultTrace, fromOutcome, toOutcome } from '../../../src/edge/outcome.ts'

const secret = 'SECRET-4711'
function breakDown(): never {
  JSON.parse(`{"content": ${secret}`)
  throw new Error('not reached')
}

afterEach(() => vi.restoreAllMocks())

const logged = async (work: () => unknown) => {
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  const app = new Hono().get('/', async (c) => {
    try {
      // As over RPC: what is told of an error is data, and nothing of it is the error itself.
      await fromOutcome(Promise.resolve(structuredClone(await toOutcome(work))))
      return c.text('ok')
    } catch (error) {
      return respondWith(c, error)
    }
  })
  const response = await app.request('/')
  return { lines, status: response.status, text: await response.text() }
}

it('has the place where it was thrown, and not the one that rethrew it', async () => {
  const rethrown = () => {
    try {
      breakDown()
    } catch (cause) {
      throw new Error('while doing something', { cause })
    }
  }
  for (const work of [breakDown, rethrown, () => Promise.reject(toDaybookError(new Error(secret)))]) {
    const { lines, status, text } = await logged(work)
    expect([status, lines.length]).toEqual([500, 1])
    const { code, stack } = JSON.parse(lines[0] ?? '') as { code: string; stack: string }
    expect(code).toBe('internal')
    expect(stack).toContain('fault-log.test.ts')
    expect(stack).not.toContain('fromOutcome')
    expect(`${lines.join()} ${text}`).not.toContain(secret)
    expect(text).not.toContain('fault-log.test.ts')
  }
  expect((await logged(breakDown)).lines[0]).toContain('at breakDown')
})

it('says nothing of what is no fault, and ends with causes that go round', async () => {
  expect((await logged(() => Promise.reject(new DaybookError('not-found')))).lines).toEqual([])
  const round = new Error(secret)
  round.cause = round
  round.name = secret
  expect(faultTrace(round)).toMatch(/^Error\n/)
  expect(faultTrace(secret)).toBe('string')
  expect(faultTrace(new Error(`broken\n    at ${secret}`))).not.toContain(secret)
})
