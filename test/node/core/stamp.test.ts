// Stamps: whatever clocks do and whoever is heard, a new stamp comes after all that went before it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clampStamp, createStampClock, isStamp, stampMs } from '../../../src/core/stamp.ts'

const time = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 2 ** 44 }),
  fc.double({ min: -5, max: 5, noNaN: true }),
)
const heard = fc
  .tuple(
    fc.integer({ min: 0, max: 2 ** 44 }),
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom('a', 'z', 'other_1'),
  )
  .map(
    ([ms, count, device]) =>
      `${ms.toString(16).padStart(12, '0')}-${count.toString(16).padStart(4, '0')}-${device}`,
  )

describe('stamps', () => {
  test('come after everything that was made or seen', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.record({ time }), fc.record({ heard })), { maxLength: 60 }),
        (steps) => {
          let now = 0
          const clock = createStampClock({ now: () => now }, 'me')
          let latest = ''
          for (const step of steps) {
            if ('time' in step) now = step.time
            else {
              clock.see(step.heard)
              if (step.heard.slice(0, 17) > latest.slice(0, 17)) latest = step.heard
            }
            // Listening alone must not lose what was heard before.
            if ('heard' in step && step.heard.length % 2 === 0) continue
            const stamp = clock.next()
            expect(isStamp(stamp)).toBe(true)
            expect(stamp.slice(0, 17) > latest.slice(0, 17)).toBe(true)
            expect(stampMs(stamp)).toBeGreaterThanOrEqual(Math.floor(now))
            latest = stamp
          }
        },
      ),
    )
  })

  test('come after a stamp of the same millisecond that was counted further', () => {
    const clock = createStampClock({ now: () => 3 }, 'me', '000000000003-0001-me')
    clock.see('000000000003-0009-other')
    clock.see('000000000003-0004-third')
    expect(clock.next()).toBe('000000000003-000a-me')
  })

  test('go on where an earlier clock of the device ended', () => {
    const first = createStampClock({ now: () => 1000 }, 'me')
    first.next()
    const last = first.next()
    expect(createStampClock({ now: () => 5 }, 'me', last).next() > last).toBe(true)
    expect(createStampClock({ now: () => 5 }, 'me', 'nonsense').next()).toBe('000000000005-0000-me')
  })

  test('stay well formed when the counter of a millisecond is full', () => {
    const clock = createStampClock({ now: () => 1 }, 'me', '000000000001-ffff-me')
    expect(clock.next()).toBe('000000000002-0000-me')
  })

  test('stay well formed after the last instant there is', () => {
    const clock = createStampClock({ now: () => 1 }, 'me')
    clock.see('ffffffffffff-ffff-liar')
    const [one, two] = [clock.next(), clock.next()]
    expect(isStamp(one) && isStamp(two)).toBe(true)
    expect(one < two).toBe(true)
  })

  test('are clamped to a limit, and only down', () => {
    fc.assert(
      fc.property(heard, fc.double({ min: 0, max: 2 ** 44, noNaN: true }), (stamp, limitMs) => {
        const clamped = clampStamp(stamp, limitMs)
        expect(isStamp(clamped)).toBe(true)
        expect(stampMs(clamped)).toBe(Math.min(stampMs(stamp), Math.floor(limitMs)))
        expect(clamped.slice(12)).toBe(stamp.slice(12))
      }),
    )
  })

  test('have one form', () => {
    expect(isStamp('000000000005-0000-d_0af')).toBe(true)
    const wrong = [
      '',
      '000000000005-0000-',
      '00000000000G-0000-a',
      '5-0-a',
      '000000000005-0000-a b',
      '000000000005-0000-a\n',
      '000000000005-00000-a',
    ]
    for (const text of [...wrong, `000000000005-0000-${'a'.repeat(65)}`, '00000000000A-0000-a'])
      expect(isStamp(text)).toBe(false)
  })
})
