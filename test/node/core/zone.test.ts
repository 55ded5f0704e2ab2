// Days of time zones, held against what the platform's clocks show in each of them.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Zone, beginningOf, endingOf, utcZone } from '../../../src/core/zone.ts'
import { parseDuration } from '../../../src/core/time.ts'
import { openZone } from '../../../src/web/web-zone.ts'

const names = Intl.supportedValuesOf('timeZone')
const zones = new Map<string, Zone>()
const zoneOf = (name: string): Zone => {
  const zone = zones.get(name) ?? openZone(name)
  zones.set(name, zone)
  return zone
}
const awkward = [
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Pacific/Apia',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Africa/Monrovia',
  'Asia/Gaza',
  'Pacific/Kwajalein',
  'Antarctica/Troll',
]
const anyZone = fc.oneof(fc.constantFrom(...awkward), fc.constantFrom(...names)).map(zoneOf)
const anyMs = fc.integer({ min: Date.UTC(1890, 0, 1), max: Date.UTC(2050, 0, 1) })
const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const shown = (zone: Zone, ms: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone.name, dateStyle: 'short' }).format(ms)
const iso = (ms: number) => new Date(ms).toISOString()

describe('the days of a zone', () => {
  test('are those that its clocks show', () => {
    fc.assert(
      fc.property(anyZone, anyMs, (zone, ms) => {
        expect([zone.name, iso(ms), zone.dayOf(ms)]).toEqual([zone.name, iso(ms), shown(zone, ms)])
      }),
      { numRuns: 3000 },
    )
  })

  test('begin with the first instant that is not before their midnight', () => {
    let skipped = 0
    fc.assert(
      fc.property(anyZone, anyMs, (zone, ms) => {
        const day = dayText(ms)
        const start = zone.startOfDay(day)
        if (zone.dayOf(start) !== day) skipped += 1
        expect(zone.dayOf(start) >= day).toBe(true)
        // Within a day before, in steps that no change of the clocks is shorter than.
        for (let before = 1; before < 86_400_000; before += 900_000)
          expect(zone.dayOf(start - before) < day).toBe(true)
      }),
      {
        numRuns: 1500,
        examples: [
          [zoneOf('Pacific/Apia'), Date.UTC(2011, 11, 30)],
          [zoneOf('America/Sao_Paulo'), Date.UTC(2017, 9, 15)],
        ],
      },
    )
    expect(skipped).toBeGreaterThan(0)
  })

  test('follow each other without a gap, and each instant is within one', () => {
    fc.assert(
      fc.property(anyZone, anyMs, (zone, ms) => {
        const day = dayText(ms)
        const next = dayText(ms + 86_400_000)
        expect(zone.endOfDay(day)).toBe(zone.startOfDay(next))
        const hours = (zone.endOfDay(day) - zone.startOfDay(day)) / 3_600_000
        expect(hours).toBeGreaterThanOrEqual(0)
        expect(hours).toBeLessThanOrEqual(48)
        const own = zone.dayOf(ms)
        expect(zone.startOfDay(own)).toBeLessThanOrEqual(ms)
      }),
      { numRuns: 3000 },
    )
  })

  const known: [zone: string, day: string, start: string, hours: number][] = [
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', 23],
    ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', 25],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', 25],
    // Midnight was skipped: the day began at one o'clock.
    ['America/Sao_Paulo', '2017-10-15', '2017-10-15T03:00:00.000Z', 23],
    // The clocks went back at midnight, into the day before.
    ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00:00.000Z', 25],
    ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00:00.000Z', 24],
    // The 30th was never lived there.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', 0],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z', 24],
    // The clocks went back one minute after midnight.
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00.000Z', 25],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00.000Z', 24.5],
    ['UTC', '2026-01-31', '2026-01-31T00:00:00.000Z', 24],
  ]
  test.each(known)('%s %s begins at %s and has %d hours', (name, day, start, hours) => {
    const zone = zoneOf(name)
    expect(iso(zone.startOfDay(day))).toBe(start)
    expect((zone.endOfDay(day) - zone.startOfDay(day)) / 3_600_000).toBe(hours)
  })
})

describe('a date without a time', () => {
  test('begins, ends and lasts as its day does; an instant is taken as it is', () => {
    const zone = zoneOf('Europe/Berlin')
    expect(beginningOf('2026-12-31', zone)).toBe('2026-12-30T23:00:00.000Z')
    expect(endingOf('2026-12-31', zone)).toBe('2026-12-31T22:59:59.999Z')
    for (const of of [beginningOf, endingOf])
      expect(of('2026-12-31T10:00+01:00', zone)).toBe('2026-12-31T09:00:00.000Z')
    expect(endingOf('9999-12-31', utcZone)).toBe('9999-12-31T23:59:59.999Z')
  })
})

describe('the zone of a book', () => {
  test('is that of the host unless it is named', () => {
    expect(openZone().name).toBe(
      new Intl.DateTimeFormat().resolvedOptions().timeZone.replace(/^Etc\/UTC$/, 'UTC'),
    )
    expect(openZone('europe/berlin').name).toBe('Europe/Berlin')
    expect(openZone('Etc/UTC')).toBe(utcZone)
  })

  test.each(['Europe/Berlim', '', '+01:00', 'tomorrow', 5])('is refused when nobody knows it: %j', (name) => {
    expect(() => openZone(name as string)).toThrow(
      expect.objectContaining({ code: 'invalid-input', details: { path: 'timeZone' } }),
    )
  })
})

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['6h', 21_600_000],
    ['1d', 86_400_000],
    ['2w', 1_209_600_000],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms))
  test.each(['', '6', 'h', '6 h', '-6h', '1.5h', '6H', '1234567s', '6h30m'])('%j is none', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  )
})
