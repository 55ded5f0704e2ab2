// The trace that the address selects, with what it links to, what links to it, and its earlier versions.
import { effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook, Trace } from '../../src/index.ts'
import { address } from './address.ts'
import { book, onBook } from './book.ts'

export type Version = CapabilityOutput<'kstar:history'>['versions'][number]

export interface ShownTrace {
  readonly trace: Trace
  readonly to: readonly Trace[]
  readonly from: readonly Trace[]
  /** Links to traces that are not in this book: forgotten, or not fetched yet. */
  readonly missing: readonly string[]
  readonly versions: readonly Version[]
}

export type Detail =
  | { readonly state: 'none' }
  | { readonly state: 'loading'; readonly id: string }
  | { readonly state: 'absent'; readonly id: string }
  | { readonly state: 'failed'; readonly id: string; readonly error: unknown }
  | { readonly state: 'shown'; readonly id: string; readonly shown: ShownTrace }

export const detail = signal<Detail>({ state: 'none' })

async function readDetail(from: Daybook, id: string): Promise<Detail> {
  const trace = await from.traces.get({ id })
  if (!trace) return { state: 'absent', id }
  const [linked, { versions }] = await Promise.all([from.traces.linked({ id }), from.traces.history({ id })])
  const found = new Set(linked.to.map((one) => one.id))
  const missing = trace.metadata.linked_traces.filter((link) => !found.has(link))
  return { state: 'shown', id, shown: { trace, to: linked.to, from: linked.from, missing, versions } }
}

async function loadDetail(from: Daybook, id: string): Promise<void> {
  const isOld = () => address.peek().id !== id || book.peek() !== from
  let found: Detail
  try {
    found = await readDetail(from, id)
  } catch (error) {
    found = { state: 'failed', id, error }
  }
  if (!isOld()) detail.value = found
}

/** Reads the selected trace again. */
export function reloadDetail(): void {
  const [from, { id }] = [book.peek(), address.peek()]
  if (from && id !== undefined) void loadDetail(from, id)
}

effect(() => {
  const { id } = address.value
  const from = book.value
  if (id === undefined || !from) {
    detail.value = { state: 'none' }
    return
  }
  const now = detail.peek()
  if (now.state === 'none' || now.id !== id) {
    // What is on show stays until the next is there: reading takes a few milliseconds.
    if (now.state !== 'shown') detail.value = { state: 'loading', id }
    void loadDetail(from, id)
  }
})

onBook('change', ({ ids, kinds, more }) => {
  const { id } = address.peek()
  const now = detail.peek()
  if (id === undefined || !kinds.includes('trace')) return
  const linked = now.state === 'shown' ? [...now.shown.to, ...now.shown.from].map((one) => one.id) : []
  if (more > 0 || now.state === 'absent' || [id, ...linked].some((one) => ids.includes(one))) reloadDetail()
})
