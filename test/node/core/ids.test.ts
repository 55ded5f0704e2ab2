// Record ids: unique, growing, and of the form that RFC 9562 gives to UUIDs of version 7.
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIds, isRecordId, toHex } from '../../../src/core/ids.ts'

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function makeIds(
  times: readonly number[],
  bytes: (count: number) => Uint8Array = (count) => randomBytes(count),
) {
  let i = 0
  return createIds({ clock: { now: () => times[Math.min(i++, times.length - 1)] ?? 0 }, random: { bytes } })
}

describe('ids', () => {
  test('only grow, whatever the clock does', () => {
    const time = fc.oneof(
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 2 ** 47 }),
      fc.double({ min: -10, max: 10, noNaN: true }),
    )
    fc.assert(
      fc.property(fc.array(time, { minLength: 2, maxLength: 50 }), (times) => {
        const ids = makeIds(times)
        const made = times.map(() => ids.next())
        expect(made).toEqual([...new Set(made)].toSorted())
        for (const id of made) expect(id).toMatch(uuid7)
        expect(made.every(isRecordId)).toBe(true)
      }),
    )
  })

  test('carry the time at which they were made', () => {
    const now = Date.parse('2026-01-31T12:00:00.123Z')
    const id = makeIds([now]).next()
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(now)
  })

  test('grow and differ within one millisecond, more than its counter can hold', () => {
    const ids = makeIds([1000], (count) => new Uint8Array(count).fill(255))
    const made = Array.from({ length: 10_000 }, () => ids.next())
    expect(made).toEqual([...new Set(made)].toSorted())
    for (const id of made) expect(id).toMatch(uuid7)
  })

  test('take all their randomness from the port', () => {
    const seen = Array.from({ length: 64 }, (_, bit) => {
      const bytes = new Uint8Array(8)
      bytes[bit >> 3] = 1 << (bit & 7)
      return makeIds([5], () => bytes).next()
    })
    // 62 random bits: two of the first byte are taken by the variant.
    expect(new Set(seen.map((id) => id.slice(19))).size).toBe(63)
  })

  test('may be given from outside, if they are plain', () => {
    for (const id of ['a', '7', 'run:12/3'.replace('/', '.'), 'A_b-c.d:e', 'x'.repeat(128)])
      expect(isRecordId(id)).toBe(true)
    for (const id of [
      '',
      ' a',
      'a ',
      '-a',
      '.a',
      '../a',
      'a/b',
      'a\n',
      'ä',
      'x'.repeat(129),
      'a\0',
      '__proto__',
    ])
      expect(isRecordId(id)).toBe(false)
  })

  test('are written in hexadecimal', () => {
    expect(toHex(new Uint8Array([0, 15, 16, 255]))).toBe('000f10ff')
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'))
      }),
    )
  })
})
