// Time zones over `Intl.DateTimeFormat`, which uses the platform's IANA database.
import { defined } from '../core/defined.ts'
import { createZone, utcZone, type Zone } from '../core/zone.ts'
import { DaybookError } from '../core/errors.ts'

const hourMs = 3_600_000
/** Maximum cached offsets, one per hour: more than two years. */
const cachedHours = 20_000

/**
 * Opens the zone of an IANA name, such as `Europe/Berlin`. Default: the zone of the host. Throws `invalid-input` for
 * an unknown name.
 */
export function openZone(name?: string): Zone {
  const formatter = formatterOf(name)
  const { timeZone } = formatter.resolvedOptions()
  if (/^(?:UTC|GMT|Etc\/(?:UTC|GMT|UCT|Zulu|Universal|Greenwich))$/.test(timeZone)) return utcZone
  return createZone(timeZone, createOffsets(formatter))
}

/**
 * Opens the zone of a book. Its `named` finds other zones, because a persona counts days in the zone of its
 * registration.
 */
export function openBookZone(name?: string): Zone {
  return { ...openZone(name), named: findZone }
}

/** The first 100 zones by name: names come from callers, so the cache needs a limit. */
const zones = new Map<string, Zone>()

/** Returns the zone of that name, or undefined for an unknown name. */
export function findZone(name: string): Zone | undefined {
  const cached = zones.get(name)
  if (cached) return cached
  try {
    const zone = openZone(name)
    if (zones.size < 100) zones.set(name, zone)
    return zone
  } catch {
    return undefined
  }
}

function formatterOf(name: string | undefined): Intl.DateTimeFormat {
  try {
    // `Intl` also accepts offsets such as `+01:00`, which are no names of zones.
    if (name !== undefined && (typeof name !== 'string' || /^[+-]/.test(name)))
      throw new RangeError('no name')
    return new Intl.DateTimeFormat('en-US', {
      ...defined({ timeZone: name }),
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    const shown = String(name).slice(0, 80)
    const message = `\`timeZone\`: There is no time zone \`${shown}\`. Use a name of the IANA database, such as Europe/Berlin.`
    throw new DaybookError('invalid-input', message, { details: { path: 'timeZone' } })
  }
}

/**
 * Returns a function from a time (milliseconds since 1970) to its offset, with a cache by hour. An offset changes at
 * most once within an hour: equal offsets at both ends apply to the whole hour.
 */
function createOffsets(formatter: Intl.DateTimeFormat): (ms: number) => number {
  const offsets = new Map<number, number>()
  const atHour = (hour: number): number => {
    const cached = offsets.get(hour)
    if (cached !== undefined) return cached
    if (offsets.size >= cachedHours) offsets.clear()
    const offset = readOffset(formatter, hour * hourMs)
    offsets.set(hour, offset)
    return offset
  }
  return (ms) => {
    const hour = Math.floor(ms / hourMs)
    const offset = atHour(hour)
    return offset === atHour(hour + 1) ? offset : readOffset(formatter, ms)
  }
}

/** The zone's local time minus UTC at `ms`, in milliseconds. */
function readOffset(formatter: Intl.DateTimeFormat, ms: number): number {
  const shown: Record<string, string> = {}
  for (const { type, value } of formatter.formatToParts(ms)) shown[type] = value
  const number = (type: string) => Number(shown[type])
  const year = shown['era']?.startsWith('B') ? 1 - number('year') : number('year')
  const local = new Date(0)
  // `Date.UTC` would add 1900 to the years 0 to 99.
  local.setUTCFullYear(year, number('month') - 1, number('day'))
  local.setUTCHours(number('hour'), number('minute'), number('second'))
  return local.getTime() - Math.floor(ms / 1000) * 1000
}
