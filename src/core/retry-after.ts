// The HTTP header `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
import { parseTime } from './time.ts'

const date = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Milliseconds from `now` until it may be asked again; undefined when the header says nothing of the kind. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const [, day, month = '', year, time] = date.exec(text) ?? []
  const at = parseTime(`${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day}T${time}Z`)
  return at === undefined ? undefined : Math.max(0, at - now)
}
