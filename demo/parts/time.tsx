// An instant: relative in the page, exact on hover and for machines; `exact` writes that beside it, for a finger and a reader.
import { now } from '../page/clock.ts'
import { exactTime, fullInstant, relativeTime } from '../wording/time-word.ts'

export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now.value)}
      {exact && ` · ${fullInstant(at)}`}
    </time>
  )
}
