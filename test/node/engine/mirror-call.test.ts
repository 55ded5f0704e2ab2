// Calls at the mirror whose answers get lost: the next caller gets the answer, and nobody else gets it again.
import { expect, it } from 'vitest'
import type { Carrier } from '../../../src/core/ports.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { createMirrorCall } from '../../../src/engine/context/mirror-call.ts'
import { openTestEngine } from '../../support/test-engine.ts'

/** A mirror that hands out letters, one for each request id, and the calls of one agent there. */
function begin() {
  const { engine, ports } = openTestEngine()
  const letters = ['a', 'b', 'c', 'd']
  const answers = new Map<string, unknown>()
  const way = { losesAnswers: false }
  const carrier = {
    call: async (_id: string, input: unknown, requestId: string) => {
      if (!answers.has(requestId)) answers.set(requestId, [letters.shift(), input])
      if (way.losesAnswers) throw new DaybookError('offline')
      return answers.get(requestId)
    },
  } as unknown as Carrier
  const ask = createMirrorCall(carrier, engine.store, ports.random)
  const signal = { aborted: false } as never
  const now = '2026-07-01T00:00:00.000Z'
  const take = (requestId?: string, limit = 1) =>
    ask?.('inbox:take', 'tutor', { limit }, { requestId, now, signal }).catch((error: unknown) => {
      if (error instanceof DaybookError) return error.code
      throw error
    })
  return { take, way }
}

it('a lost answer goes to the next caller only, and to that one again when it is repeated', async () => {
  const { take, way } = begin()
  way.losesAnswers = true
  expect(await take('task:1')).toBe('offline')
  way.losesAnswers = false
  expect(await take('two', 5)).toEqual(['a', { limit: 1 }])
  expect(await take('task:1')).toEqual(['b', { limit: 1 }])
  expect(await take('two', 5)).toEqual(['a', { limit: 1 }])
  expect(await take('task:1')).toEqual(['b', { limit: 1 }])
  expect(await take()).toEqual(['c', { limit: 1 }])
})

it('a repeated call gets its own answer while the call of another waits for one', async () => {
  const { take, way } = begin()
  expect(await take('one')).toEqual(['a', { limit: 1 }])
  way.losesAnswers = true
  expect(await take('two')).toBe('offline')
  way.losesAnswers = false
  expect(await take('one')).toEqual(['a', { limit: 1 }])
  expect(await take('one', 2)).toBe('request-reused')
  expect(await take('three')).toEqual(['b', { limit: 1 }])
  expect(await take('two')).toEqual(['c', { limit: 1 }])
})
