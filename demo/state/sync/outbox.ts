// The queue of changes that the edge has not acknowledged: the refused ones and the first of the others.
import { effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../../src/index.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../address.ts'
import { announce } from '../../page/announce.ts'
import { book, onBook, openedBook } from '../book.ts'
import { readUnsealed } from '../record/record-read.ts'
import { syncNow } from './sync.ts'
import { tellError } from '../../page/toast.ts'
import { held } from '../held.ts'

export type OutboxEntry = CapabilityOutput<'daybook:list_outbox'>['entries'][number]

type DeadLetter = CapabilityOutput<'daybook:list_dead_letters'>['deadLetters'][number]

export interface Queued {
  readonly entry: OutboxEntry
  /** The name of the record in the list of its kind; undefined when it is forgotten or sealed, or its kind has no list. */
  readonly title: string | undefined
  /** It can't be read while the book is locked. */
  readonly isSealed: boolean
}

export const queue = held<readonly Queued[] | undefined>(undefined, ['sync'])
export const queueFailure = signal<unknown>(undefined)
const listed = 100
const settleMs = 150
let timer: ReturnType<typeof setTimeout> | undefined

export async function loadQueue(): Promise<void> {
  const from = book.peek()
  if (!from) return
  try {
    const [{ entries }, { deadLetters }] = await Promise.all([
      from.outbox.list({ limit: listed }),
      from.deadLetters.list({ limit: listed }),
    ])
    // However long the queue is, what was refused is named.
    const rest = entries.filter(({ state }) => state !== 'refused')
    const found = await Promise.all(
      [...deadLetters.map(asEntry), ...rest].map(async (entry): Promise<Queued> => {
        const record = entry.op === 'put' ? await readUnsealed(from, entry.record) : undefined
        const isSealed = record === 'sealed'
        const kind = record && !isSealed ? kindNamed(record.kind) : undefined
        return { entry, isSealed, title: kind && !isSealed && record ? kind.row(record).title : undefined }
      }),
    )
    if (book.peek() !== from) return
    queue.value = found
    queueFailure.value = undefined
  } catch (error) {
    if (book.peek() !== from) return
    // Titles that nobody could check again do not stay.
    queue.value = undefined
    queueFailure.value = error
  }
}

function asEntry({ n, record, kind, op, at = '', code, message }: DeadLetter): OutboxEntry {
  return { n, record, kind, op, at, state: 'refused', error: { code, message } }
}

/** Has a refused change sent once more, as when the edge has learned to take it. */
export async function retryRefused(record: string): Promise<void> {
  try {
    await (await openedBook()).deadLetters.retry({ records: [record] })
    announce('Queued to be sent again.')
    await syncNow()
  } catch (error) {
    tellError('The change could not be queued again.', error)
  }
  await loadQueue()
}

/** Changes come in bursts: they are read once for all. */
function loadSoon(): void {
  if (address.peek().view !== 'sync') return
  timer ??= setTimeout(() => {
    timer = undefined
    void loadQueue()
  }, settleMs)
}

effect(() => {
  if (address.value.view === 'sync' && book.value) void loadQueue()
})
onBook('sync', loadSoon)
onBook('change', loadSoon)
