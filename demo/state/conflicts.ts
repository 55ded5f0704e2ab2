// The edits that lost a conflict, newest first, each with the record as it stands now.
import { effect, signal } from '@preact/signals'
import type { CapabilityOutput, Trace } from '../../src/index.ts'
import { address } from './address.ts'
import { book, onBook } from './book.ts'

type Entry = CapabilityOutput<'daybook:list_conflicts'>['conflicts'][number]

export interface Conflict extends Entry {
  /** What the book says now; undefined when it is forgotten. */
  readonly current: Trace | undefined
}

export const conflicts = signal<readonly Conflict[] | undefined>(undefined)
export const conflictsFailure = signal<unknown>(undefined)

const listed = 100

export async function loadConflicts(): Promise<void> {
  const from = book.peek()
  if (!from) return
  try {
    const found = await from.conflicts.list({ limit: listed })
    const withCurrent = await Promise.all(
      found.conflicts.map(async (entry) => ({
        ...entry,
        current: (await from.traces.get({ id: entry.record })) ?? undefined,
      })),
    )
    if (book.peek() !== from) return
    conflicts.value = withCurrent
    conflictsFailure.value = undefined
  } catch (error) {
    if (book.peek() === from) conflictsFailure.value = error
  }
}

effect(() => {
  if (address.value.view === 'sync' && book.value) void loadConflicts()
})
onBook('sync', ({ running }) => {
  if (!running && address.peek().view === 'sync') void loadConflicts()
})
