// The signals with text of the book, and the one place that empties them. Invariant: when the book is locked or opened,
// nothing that was read before stays, on show or not; when records change, views that are not on show keep nothing.
import { batch, type Signal, signal } from '@preact/signals'
import type { View } from '../kind/view.ts'
import { countTurn } from '../page/reading-turn.ts'

interface Holder {
  readonly views: readonly View[]
  readonly empty: () => void
}

const holders = new Set<Holder>()

/** Empties with all that is held: `empty` is called then. In `views` it is brought up to date instead when records change. */
export function onEmptied(empty: () => void, views: readonly View[] = []): void {
  holders.add({ views, empty })
}

/** A signal for what was read from the book. Without `views` it is on show everywhere. */
export function held<Value>(empty: Value, views: readonly View[] = []): Signal<Value> {
  const made = signal(empty)
  onEmptied(() => (made.value = empty), views)
  return made
}

const drafts = new Set<() => void>()

/** Empties what a person is writing, with the text that it began with: once the book is locked, not before. */
export function onLocked(empty: () => void): void {
  drafts.add(empty)
}

export function emptyDrafts(): void {
  batch(() => {
    for (const empty of drafts) empty()
  })
}

/** Anything may have changed, as when the book is locked. */
export function emptyAll(): void {
  batch(() => {
    for (const { empty } of holders) empty()
    countTurn('all')
  })
}

/** Records have changed: views other than `shown` read again when they are shown. */
export function emptyHidden(shown: View): void {
  batch(() => {
    for (const { views, empty } of holders) if (views.length > 0 && !views.includes(shown)) empty()
    countTurn('some')
  })
}
