// An instant: relative in the page, exact on hover and for machines.
import { now } from '../page/clock.ts'
import { exactTime, relativeTime } from '../wording/time-word.ts'

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now.value)}
    </time>
  )
}
