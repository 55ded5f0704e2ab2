// Time zones as every host has them: the IANA database of the platform, asked through `Intl.DateTimeFormat`.
import { createZone, utcZone, type Zone } from '../core/calendar/zone.ts'
import { DaybookError } from '../core/errors.ts'

const hourMs = 3_600_000
/** Hours whose offset is kept: a year and more of records. */
const keptHours = 20_000

/** The zone of an IANA name (`Europe/Berlin`), by default that of the host; `invalid-input` for a name that nobody knows. */
export function openZone(name?: string): Zone {
  const formatter = formatterOf(name)
  const { timeZone } = formatter.resolvedOptions()
  if (/^(?:UTC|GMT|Etc\/(?:UTC|GMT|UCT|Zulu|Universal|Greenwich))$/.test(timeZone)) return utcZone
  return createZone(timeZone, createOffsets(formatter))
}

/** The zone of a book: it knows the others too, because personas keep the days of the place where they were registered. */
export function openBookZone(name?: string): Zone {
  return { ...openZone(name), named: findZone }
}

const known = new Map<string, Zone>()

/** The zone of that name, or undefined where nobody knows it. */
export function findZone(name: string): Zone | undefined {
  const kept = known.get(name)
  if (kept) return kept
  try {
    const zone = openZone(name)
    if (known.size < 100) known.set(name, zone)
    return zone
  } catch {
    return undefined
  }
}

function formatterOf(name: string | undefined): Intl.DateTimeFormat {
  try {
    if (name !== undefined && (typeof name !== 'string' || /^[+-]/.test(name)))
      throw new RangeError('no name')
    return new Intl.DateTimeFormat('en-US', {
      ...(name === undefined ? {} : { timeZone: name }),
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
    const said = String(name).slice(0, 80)
    const message = `\`timeZone\`: There is no time zone \`${said}\`. A name of the IANA database is wanted, such as Europe/Berlin.`
    throw new DaybookError('invalid-input', message, { details: { path: 'timeZone' } })
  }
}

/** Clocks change at most once within an hour, so one whose ends agree has that offset. */
function createOffsets(formatter: Intl.DateTimeFormat): (ms: number) => number {
  const kept = new Map<number, number>()
  const atHour = (hour: number): number => {
    const known = kept.get(hour)
    if (known !== undefined) return known
    if (kept.size >= keptHours) kept.clear()
    const offset = readOffset(formatter, hour * hourMs)
    kept.set(hour, offset)
    return offset
  }
  return (ms) => {
    const hour = Math.floor(ms / hourMs)
    const offset = atHour(hour)
    return offset === atHour(hour + 1) ? offset : readOffset(formatter, ms)
  }
}

function readOffset(formatter: Intl.DateTimeFormat, ms: number): number {
  const shown: Record<string, string> = {}
  for (const { type, value } of formatter.formatToParts(ms)) shown[type] = value
  const number = (type: string) => Number(shown[type])
  const year = shown['era']?.startsWith('B') ? 1 - number('year') : number('year')
  const local = new Date(0)
  // Unlike `Date.UTC`, this takes the years 0 to 99 for what they are.
  local.setUTCFullYear(year, number('month') - 1, number('day'))
  local.setUTCHours(number('hour'), number('minute'), number('second'))
  return local.getTime() - Math.floor(ms / 1000) * 1000
}
