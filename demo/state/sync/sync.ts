// Syncs: quietly when the page wakes, and when the reader asks; and the queue of changes that the edge has not
// acknowledged. Offline is a state, not an error.
import { effect, signal } from '@preact/signals'
import { type CapabilityOutput, isDaybookError, type SyncResult } from '../../../src/index.ts'
import { countOf } from '../../wording/text-word.ts'
import { book, onBook, openedBook } from '../book.ts'
import { refreshStatus, status } from '../status.ts'
import { announce, tell, tellError } from '../../page/toast.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../address.ts'
import { readUnsealed } from '../record/record-read.ts'
import { withoutSecrets } from '../record/secret.ts'
import { held } from '../held.ts'

/** The result of the last finished sync of this page. */
export const lastResult = signal<SyncResult | undefined>(undefined)

const wakeEveryMs = 60_000
let wokeAt = 0

/** Syncs for the reader and shows the result. */
export async function syncNow(): Promise<void> {
  try {
    const result = await (await openedBook()).sync()
    lastResult.value = result
    tell(syncWords(result))
  } catch (error) {
    // The result of an earlier sync would contradict this error.
    lastResult.value = undefined
    if (isDaybookError(error, 'offline'))
      tell('The edge cannot be reached. Pending changes are kept and sent at the next sync.')
    else tellError('The book could not be synced.', error)
  } finally {
    refreshStatus()
  }
}

export function syncWords({ pulled, pushed, conflicts }: SyncResult): string {
  if (pulled === 0 && pushed === 0) return 'Up to date. Nothing to send or fetch.'
  const both = `Synced. ${countOf(pushed, 'change')} sent, ${countOf(pulled, 'change')} fetched`
  return conflicts > 0 ? `${both}, ${countOf(conflicts, 'conflict')}.` : `${both}.`
}

async function wake(): Promise<void> {
  const current = book.peek()
  if (!current || Date.now() - wokeAt < wakeEveryMs) return
  wokeAt = Date.now()
  try {
    const { sync } = await current.status()
    if (!sync.configured) return
    lastResult.value = await current.sync()
  } catch (error) {
    lastResult.value = undefined
    // The status bar shows the state of sync.
    if (!isDaybookError(error)) throw error
  }
}

effect(() => {
  wokeAt = 0
  if (book.value) void wake()
})
addEventListener('online', () => void wake())
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && status.peek()) void wake()
})

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
    // The list has all refused changes, however long the queue is.
    const rest = entries.filter(({ state }) => state !== 'refused')
    const found = await Promise.all(
      [...deadLetters.map(asEntry), ...rest].map(async (entry): Promise<Queued> => {
        const record = entry.op === 'put' ? await readUnsealed(from, entry.record) : undefined
        const isSealed = record === 'sealed'
        const kind = record && !isSealed ? kindNamed(record.kind) : undefined
        const [seen] = record && !isSealed ? await withoutSecrets(from, [record]) : []
        return { entry, isSealed, title: kind && seen ? kind.row(seen).title : undefined }
      }),
    )
    if (book.peek() !== from) return
    queue.value = found
    queueFailure.value = undefined
  } catch (error) {
    if (book.peek() !== from) return
    // Titles that can't be checked again are removed.
    queue.value = undefined
    queueFailure.value = error
  }
}

function asEntry({ n, record, kind, op, at = '', code, message }: DeadLetter): OutboxEntry {
  return { n, record, kind, op, at, state: 'refused', error: { code, message } }
}

/** Sends a refused change again, such as after an update of the edge. */
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

/** Changes come in bursts: one read serves all. */
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
