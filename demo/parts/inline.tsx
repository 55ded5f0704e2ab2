// Small inline parts: an icon (always beside a word or a label), a key cap, an instant.
import { type IconName, iconShapes } from '../kind/icon-shape.ts'
import { now } from '../page/clock.ts'
import { exactTime, fullInstant, relativeTime } from '../wording/time-word.ts'

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={iconShapes[name]} />
    </svg>
  )
}

export function KeyCap({ name }: { name: string }) {
  return <kbd class="key-cap">{name}</kbd>
}

/** Relative in the page, exact on hover and for machines; `exact` shows both, for touch and screen readers. */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now.value)}
      {exact && ` · ${fullInstant(at)}`}
    </time>
  )
}
