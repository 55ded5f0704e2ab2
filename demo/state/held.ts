// Signals with text of the book, and the one place that empties them. Invariants: when the book is locked or opened, nothing
// that was read before stays, visible or not; when records change, views that are not visible keep nothing.
import { batch, type Signal, signal } from '@preact/signals'
import type { View } from '../kind/view.ts'
import { countTurn } from '../page/reading-turn.ts'

interface Holder {
  readonly views: readonly View[]
  readonly empty: () => void
}

const holders = new Set<Holder>()

/** Calls `empty` when signals are emptied. When records change, `views` read again instead. */
export function onEmptied(empty: () => void, views: readonly View[] = []): void {
  holders.add({ views, empty })
}

/** A signal with text of the book. Without `views` every view shows it. */
export function held<Value>(empty: Value, views: readonly View[] = []): Signal<Value> {
  const made = signal(empty)
  onEmptied(() => (made.value = empty), views)
  return made
}

const drafts = new Set<() => void>()

/** Empties a draft, with the text it began with, when the book is locked. */
export function onLocked(empty: () => void): void {
  drafts.add(empty)
}

export function emptyDrafts(): void {
  batch(() => {
    for (const empty of drafts) empty()
  })
}

/** Empties all signals, such as when the book is locked. */
export function emptyAll(): void {
  batch(() => {
    for (const { empty } of holders) empty()
    countTurn('all')
  })
}

/** Empties the signals of views other than `shown`, which read again when they are shown. */
export function emptyHidden(shown: View): void {
  batch(() => {
    for (const { views, empty } of holders) if (views.length > 0 && !views.includes(shown)) empty()
    countTurn('some')
  })
}
