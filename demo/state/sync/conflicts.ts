// The edits that lost a conflict, newest first, each with the record as it stands now; deciding, and taking that back.
import { effect, signal } from '@preact/signals'
import type { CapabilityInput } from '../../../src/index.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import type { ConflictEntry } from '../../wording/conflict-word.ts'
import type { Fields } from '../../wording/difference-word.ts'
import { address } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { readUnsealed } from '../record/record-read.ts'
import { tell, tellError } from '../../page/toast.ts'
import { held } from '../held.ts'

export interface Conflict {
  readonly entry: ConflictEntry
  /** What the book says now; undefined when it is forgotten. */
  readonly current: BookRecord | undefined
  /** The record is there, and can't be read while the book is locked: nothing can be decided. */
  readonly isSealed: boolean
}

export type Choice = Omit<CapabilityInput<'daybook:choose_conflict'>, 'id'>

export const conflicts = held<readonly Conflict[] | undefined>(undefined, ['sync'])
export const conflictsFailure = signal<unknown>(undefined)
/** More than are listed. */
export const hasMoreConflicts = signal(false)
/** Those whose decision was taken back here: the log goes on calling them decided. */
export const reopened = signal<ReadonlySet<number>>(new Set())

const listedAtOnce = 50
let wanted = listedAtOnce

export async function loadConflicts(): Promise<void> {
  const from = book.peek()
  if (!from) return
  try {
    const found = await from.conflicts.list({ limit: Math.min(1000, wanted + 1) })
    const listed = await Promise.all(
      found.conflicts.slice(0, wanted).map(async (entry): Promise<Conflict> => {
        const current = await readUnsealed(from, entry.record)
        return current === 'sealed'
          ? { entry, current: undefined, isSealed: true }
          : { entry, current, isSealed: false }
      }),
    )
    if (book.peek() !== from) return
    conflicts.value = listed
    hasMoreConflicts.value = found.conflicts.length > wanted
    conflictsFailure.value = undefined
  } catch (error) {
    if (book.peek() !== from) return
    conflicts.value = undefined
    conflictsFailure.value = error
  }
}

export function loadMoreConflicts(): void {
  wanted += listedAtOnce
  void loadConflicts()
}

/** Decides a conflict, and offers to take that back. */
export async function decide({ entry, current }: Conflict, choice: Choice): Promise<void> {
  const { id } = entry
  try {
    const from = await openedBook()
    await from.conflicts.choose({ id, ...choice } as CapabilityInput<'daybook:choose_conflict'>)
    reopened.value = new Set([...reopened.peek()].filter((one) => one !== id))
    tell('Resolved. It is sent with the next sync.', {
      word: 'Undo',
      run: () => void takeBack(id, entry.record, current),
    })
  } catch (error) {
    tellError('The conflict could not be resolved.', error)
  }
  await loadConflicts()
}

async function takeBack(id: number, record: string, before: BookRecord | undefined): Promise<void> {
  try {
    const from = await openedBook()
    if (before)
      await from.conflicts.choose({
        id,
        choose: 'body',
        body: contentOf(before),
      } as CapabilityInput<'daybook:choose_conflict'>)
    else await from.records.forget({ id: record })
    reopened.value = new Set([...reopened.peek(), id])
    tell('Undone')
  } catch (error) {
    tellError('The decision could not be undone.', error)
  }
  await loadConflicts()
}

const head = new Set(['id', 'kind', 'created_at', 'updated_at', 'ver', 'agent', 'session', 'resource'])

/** What a record says, without what every record has. */
export function contentOf(record: BookRecord): Fields {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !head.has(key)))
}

effect(() => {
  if (address.value.view === 'sync' && book.value) void loadConflicts()
})
/** Records that a conflict is about have changed, as when one was purged. */
onBook('change', ({ ids, more }) => {
  if (address.peek().view !== 'sync') return
  const isListed = (conflicts.peek() ?? []).some(({ entry }) => ids.includes(entry.record))
  if (more > 0 || isListed) void loadConflicts()
})
onBook('sync', ({ running }) => {
  if (!running && address.peek().view === 'sync') void loadConflicts()
})
