// The run that the address opens: its steps and messages in the order in which they happened, a page at a time.
// Invariant: steps stand in the order of their times, and j and k walk through what is on show.
import { computed, effect, signal } from '@preact/signals'
import type { Daybook, Trace } from '../../../src/index.ts'
import type { Message } from '../../kind/message-kind.ts'
import { address, chipOf, go } from '../address.ts'
import { book, onBook } from '../book.ts'
import type { Run } from './runs.ts'
import { held } from '../held.ts'

export type Entry = Trace | Message

export interface Transcript {
  readonly session: string
  /** Undefined: there is no such run. */
  readonly run: Run | undefined
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
}

const pageSize = 200
export const transcript = held<Transcript | undefined>(undefined, ['runs'])
export const transcriptFailure = signal<unknown>(undefined)
export const openSession = computed(() => (address.value.view === 'runs' ? chipOf('run') : undefined))

/** The first entries of a session: as many of either kind as one page has, cut where one of them ends. */
async function readEntries(from: Daybook, session: string, limit: number) {
  const asked = { filters: { session }, orderBy: 'timestamp', limit: Math.min(1000, limit) }
  const [steps, said] = await Promise.all([from.traces.query(asked), from.conversation.list(asked)])
  let { cursor: moreSteps } = steps
  let { cursor: moreSaid } = said
  const traces = [...steps.records]
  const messages = [...said.records]
  while (moreSteps !== undefined && traces.length < limit) {
    const next = await from.traces.query({ ...asked, cursor: moreSteps })
    traces.push(...next.records)
    moreSteps = next.cursor
  }
  while (moreSaid !== undefined && messages.length < limit) {
    const next = await from.conversation.list({ ...asked, cursor: moreSaid })
    messages.push(...next.records)
    moreSaid = next.cursor
  }
  const isPast = (entry: Entry, last: Entry | undefined, more: string | undefined) =>
    more !== undefined && last !== undefined && entry.timestamp > last.timestamp
  const entries = [...traces, ...messages]
    .filter((one) => !isPast(one, traces.at(-1), moreSteps) && !isPast(one, messages.at(-1), moreSaid))
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  return { entries, hasMore: moreSteps !== undefined || moreSaid !== undefined }
}

async function load(from: Daybook, session: string, limit: number): Promise<void> {
  try {
    const [{ runs }, read] = await Promise.all([
      from.runs.list({ session }),
      readEntries(from, session, limit),
    ])
    if (openSession.peek() !== session) return
    transcript.value = { session, run: runs[0], ...read }
    transcriptFailure.value = undefined
  } catch (error) {
    if (openSession.peek() === session) transcriptFailure.value = error
  }
}

/** Reads the open run again, and `more` entries of it. */
export async function loadTranscript(more = 0): Promise<void> {
  const from = book.peek()
  const session = openSession.peek()
  if (!from || session === undefined) return
  const shown = transcript.peek()?.session === session ? (transcript.peek()?.entries.length ?? 0) : 0
  await load(from, session, Math.max(pageSize, shown) + more)
}

export const loadMoreEntries = (): Promise<void> => loadTranscript(pageSize)

/** Opens a run, and a step of it if one is named. */
export function openRun(session: string, id?: string): void {
  go({ view: 'runs', search: '', chips: [{ field: 'run', value: session }], id })
}

/** Back to the list of runs. */
export function closeRun(): void {
  go({ chips: address.peek().chips.filter(({ field }) => field !== 'run'), id: undefined })
}

const rowOf = (id: string) => document.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"]`)

/** Brings the step that is open into view, wherever it was opened from. */
export function showStep(id: string | undefined): void {
  if (id !== undefined) rowOf(id)?.scrollIntoView({ block: 'nearest' })
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** j and k go from step to step, Esc from a run to the list of them. */
export function runByKey(key: string): boolean {
  const shown = transcript.peek()
  if (openSession.peek() === undefined || !shown) return false
  const { id } = address.peek()
  if (key === 'Escape' && id === undefined) {
    closeRun()
    return true
  }
  const by = steps[key]
  if (by === undefined) return false
  const at = shown.entries.findIndex((one) => one.id === id)
  const next = shown.entries[Math.min(Math.max(at + by, 0), shown.entries.length - 1)]
  if (!next) return false
  go({ id: next.id }, id === undefined ? 'push' : 'replace')
  const row = rowOf(next.id)
  if (row?.contains(document.activeElement) === false) row.querySelector('button')?.focus()
  return true
}

effect(() => {
  const session = openSession.value
  const from = book.value
  if (session === undefined || !from) return
  if (transcript.peek()?.session !== session) transcript.value = undefined
  void loadTranscript()
})
onBook('change', () => {
  if (openSession.peek() !== undefined) void loadTranscript()
})
