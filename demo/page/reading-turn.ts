// Counts reasons to read again. `all`: nothing that was read may stay; `some`: records have changed.
import { signal } from '@preact/signals'

export const readingTurn = signal({ all: 0, some: 0 })

export function countTurn(which: 'all' | 'some'): void {
  const now = readingTurn.peek()
  readingTurn.value = { ...now, [which]: now[which] + 1 }
}
