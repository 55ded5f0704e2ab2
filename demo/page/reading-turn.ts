// When what was read has to be read again. `all`: nothing of it may stay on show; `some`: records have changed.
import { signal } from '@preact/signals'

export const readingTurn = signal({ all: 0, some: 0 })

export function countTurn(which: 'all' | 'some'): void {
  const now = readingTurn.peek()
  readingTurn.value = { ...now, [which]: now[which] + 1 }
}
