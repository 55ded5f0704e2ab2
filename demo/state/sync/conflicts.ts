// Edits that lost a conflict, newest first, each with its current record; deciding, and undoing that.
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
  /** The current record; undefined if it is forgotten. */
  readonly current: BookRecord | undefined
  /** The book is locked, so the record can't be read or decided. */
  readonly isSealed: boolean
}

export type Choice = Omit<CapabilityInput<'daybook:choose_conflict'>, 'id'>

export const conflicts = held<readonly Conflict[] | undefined>(undefined, ['sync'])
export const conflictsFailure = signal<unknown>(undefined)
/** There are more conflicts. */
export const hasMoreConflicts = signal(false)
/** Conflicts whose decision was undone here. The log still calls them decided. */
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

/** Decides a conflict, and offers Undo. */
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

/** The content of a record without its head. */
export function contentOf(record: BookRecord): Fields {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !head.has(key)))
}

effect(() => {
  if (address.value.view === 'sync' && book.value) void loadConflicts()
})
/** Reads again when a record of a conflict changes, such as after a purge. */
onBook('change', ({ ids, more }) => {
  if (address.peek().view !== 'sync') return
  const isListed = (conflicts.peek() ?? []).some(({ entry }) => ids.includes(entry.record))
  if (more > 0 || isListed) void loadConflicts()
})
onBook('sync', ({ running }) => {
  if (!running && address.peek().view === 'sync') void loadConflicts()
})
