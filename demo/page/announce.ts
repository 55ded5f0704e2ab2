// What a screen reader is told besides what it reads: one polite sentence at a time.
import { signal } from '@preact/signals'

export const announcement = signal('')

/** Says `text`; the same text twice in a row is said twice. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}
