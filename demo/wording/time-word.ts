// Instants and durations as text: exact for titles, relative for the page.
const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`, then the date. */
export function relativeTime(instant: string, nowMs: number): string {
  const ms = Date.parse(instant)
  if (Number.isNaN(ms)) return instant
  const age = nowMs - ms
  const away = Math.abs(age)
  const say = (count: number, unit: string) =>
    age >= 0 ? `${Math.floor(count)} ${unit} ago` : `in ${Math.ceil(count)} ${unit}`
  if (away < 2000) return 'now'
  if (away < minuteMs) return say(away / 1000, 's')
  if (away < hourMs) return say(away / minuteMs, 'min')
  if (away < dayMs) return say(away / hourMs, 'h')
  if (away < 7 * dayMs) return say(away / dayMs, 'd')
  return shortDate(ms, nowMs)
}

/** `3 Mar`, with the year when it is another one. */
export function shortDate(ms: number, nowMs: number): string {
  const sameYear = new Date(ms).getFullYear() === new Date(nowMs).getFullYear()
  return (sameYear ? day : dayOfYear).format(ms)
}

/** Date and time to the minute, for ranges and captions. */
export function shortInstant(ms: number, nowMs: number): string {
  return `${shortDate(ms, nowMs)}, ${clock.format(ms)}`
}

/** The date of an instant, with its year. */
export function dateOf(ms: number): string {
  return dayOfYear.format(ms)
}

/** Date and time to the second in the reader's zone. */
export function fullInstant(instant: string): string {
  const ms = Date.parse(instant)
  return Number.isNaN(ms) ? instant : full.format(ms)
}

/** The whole instant, in the reader's zone and as stored. */
export function exactTime(instant: string): string {
  const ms = Date.parse(instant)
  return Number.isNaN(ms) ? instant : `${exact.format(ms)}\n${instant}`
}

/** `0.4 ms`, `12 ms`, `1.3 s`. */
export function duration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return ms > 0 && ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}

/** An instant as the input for local date and time takes it; empty for none. */
export function localInput(instant: string): string {
  const ms = Date.parse(instant)
  if (Number.isNaN(ms)) return ''
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
