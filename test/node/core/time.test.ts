// Instants as text, held against the platform's own dates: those read more forms than these do.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalTime, dateWords, formatTime, isDateOnly, parseTime } from '../../../src/core/time.ts'

const firstMs = Date.parse('0001-01-01T00:00:00.000Z')
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')
const instantMs = fc.oneof(
  fc.integer({ min: firstMs, max: lastMs }),
  fc.constantFrom(
    firstMs,
    lastMs,
    -1,
    0,
    1,
    Date.parse('2000-02-29T00:00:00Z'),
    Date.parse('1900-03-01T00:00:00Z') - 1,
  ),
)

describe('time', () => {
  test('is written as the platform writes it, and read back the same', () => {
    fc.assert(
      fc.property(instantMs, (ms) => {
        const text = new Date(ms).toISOString()
        expect(formatTime(ms)).toBe(text)
        expect(parseTime(text)).toBe(ms)
        expect(canonicalTime(text)).toBe(text)
      }),
      { numRuns: 20_000 },
    )
  })

  test('knows the turns of every year', () => {
    for (let year = 1; year <= 9999; year++) {
      for (const day of ['01-01', '02-28', '03-01', '12-31']) {
        const ms = Date.parse(`${String(year).padStart(4, '0')}-${day}T00:00:00Z`)
        for (const turn of [ms, ms + 86_399_999]) {
          if (formatTime(turn) !== new Date(turn).toISOString())
            expect(formatTime(turn)).toBe(new Date(turn).toISOString())
        }
      }
    }
  })

  test.each([
    [lastMs + 1, '9999-12-31T23:59:59.999Z'],
    [Number.MAX_SAFE_INTEGER, '9999-12-31T23:59:59.999Z'],
    [Number.POSITIVE_INFINITY, '9999-12-31T23:59:59.999Z'],
    [firstMs - 1, '0001-01-01T00:00:00.000Z'],
    [0.9, '1970-01-01T00:00:00.000Z'],
    [-0.1, '1969-12-31T23:59:59.999Z'],
  ])('has a text that sorts for %d too', (ms, text) => {
    expect(formatTime(ms)).toBe(text)
  })

  test('has every millisecond of a second', () => {
    for (let ms = 0; ms < 1000; ms++) expect(parseTime(formatTime(ms))).toBe(ms)
  })

  test('is read in the forms of ISO 8601 that the platform reads, and means the same', () => {
    const two = (n: number) => String(n).padStart(2, '0')
    const part = (max: number) => fc.integer({ min: 0, max }).map(two)
    const zone = fc.oneof(
      fc.constant('Z'),
      fc
        .tuple(fc.constantFrom('+', '-'), part(29), part(69))
        .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
    )
    const text = fc
      .tuple(
        fc.integer({ min: 1, max: 9999 }).map((year) => String(year).padStart(4, '0')),
        part(14),
        part(33),
        part(25),
        part(62),
        fc.option(fc.tuple(part(62), fc.option(fc.stringMatching(/^\d{1,3}$/), { nil: undefined })), {
          nil: undefined,
        }),
        zone,
      )
      .map(([year, month, day, hour, minute, rest, zone]) => {
        const seconds = rest === undefined ? '' : `:${rest[0]}${rest[1] === undefined ? '' : `.${rest[1]}`}`
        return `${year}-${month}-${day}T${hour}:${minute}${seconds}${zone}`
      })
    fc.assert(
      fc.property(text, (text) => {
        // The platform also takes the 31st of any month and 24:00 for what comes after them.
        const theirs = Date.parse(text)
        const isStrict = !Number.isNaN(theirs) && !text.includes('T24') && isRealDay(text.slice(0, 10))
        expect({ text, ms: parseTime(text) }).toEqual({ text, ms: isStrict ? theirs : undefined })
      }),
      { numRuns: 20_000 },
    )
  })

  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T16:00', '2026-01-31T16:00:00.000Z'],
    ['2026-01-31 16:00:01', '2026-01-31T16:00:01.000Z'],
    ['2026-01-31T16:00:01,5Z', '2026-01-31T16:00:01.500Z'],
    ['2026-01-31T16:00:01.999999999Z', '2026-01-31T16:00:01.999Z'],
    ['2026-01-31T16:00:00 +01:00', '2026-01-31T15:00:00.000Z'],
    ['2026-01-31T16:00:00-0530', '2026-01-31T21:30:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ])('reads %s', (text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical)
  })

  test.each([
    '',
    'now',
    '2026',
    '2026-01',
    '2026-1-31',
    '31.01.2026',
    '2026-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-31T24:00',
    '2026-01-31T12:60',
    '2026-01-31T12:00:60',
    '2026-01-31T12',
    '2026-01-31T',
    '2026-01-31T12:00+24:00',
    '2026-01-31T12:00+00:60',
    '2026-01-31T12:00Z+01:00',
    '2026-01-31T12:00:00.',
    '+002026-01-31',
    '2026-01-31\n',
    ' 2026-01-31',
    '٢٠٢٦-٠١-٣١',
    '0001-01-01T00:00:00+00:01',
    '0000-12-31',
    '9999-12-31T23:59:59-00:01',
  ])('does not take %j for a time', (text) => {
    expect(canonicalTime(text)).toBeUndefined()
  })

  test('tells a bare date from an instant', () => {
    expect(isDateOnly('2026-01-31')).toBe(true)
    for (const text of ['2026-01-31T00:00', '2026-02-31', '2026-01', '']) expect(isDateOnly(text)).toBe(false)
  })

  test('names the day in words, as the platform does', () => {
    const words = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'UTC',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      weekday: 'long',
    })
    fc.assert(
      fc.property(
        instantMs.filter((ms) => ms > Date.parse('1600-01-01')),
        (ms) => {
          const part = Object.fromEntries(
            words.formatToParts(ms).map(({ type, value }) => [type, value.toLowerCase()]),
          )
          const day = new Date(ms).toISOString().slice(0, 10)
          expect(dateWords(ms)).toBe(
            `${day} ${part['day']} ${part['month']} ${part['year']} ${part['weekday']}`,
          )
        },
      ),
    )
  })
})

function isRealDay(date: string): boolean {
  const ms = Date.parse(date)
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === date
}
