// Calls a listener that a user gave. Invariant: one that throws keeps no other from what happened; its error becomes an
// uncaught one of the host, as with the host's own events.
import type { LiveClock } from './live-clock.ts'

export function callListener(clock: LiveClock, listener: () => void): void {
  try {
    listener()
  } catch (error) {
    clock.later(0, () => {
      throw error
    })
  }
}
