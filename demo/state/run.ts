// Runs: the list as the address narrows and orders it, and the open run with its steps and messages, a page at a time.
// Invariants: a late answer is dropped; steps are in the order of their times, and j and k move through the steps on the page.
import { createReader, defined } from './reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput, Daybook, Trace } from '../../src/index.ts'
import { address, chipOf, go, narrow } from './address.ts'
import { book, onBook } from './book.ts'
import { held } from './held.ts'
import type { Message } from '../kind/message-kind.ts'

export type Run = CapabilityOutput<'runs:list'>['runs'][number]
type Query = NonNullable<CapabilityInput<'runs:list'>>
type RunOrder = NonNullable<Query['orderBy']>

interface RunPage {
  readonly total: number
  readonly runs: readonly Run[]
  readonly sealed: number
}

const pageSize = 100
export const runPage = held<RunPage | undefined>(undefined, ['runs'])
export const runsFailure = signal<unknown>(undefined)

const columns = ['endedAt', 'duration', 'steps', 'failed', 'messages'] as const
export type RunColumn = (typeof columns)[number]

export const runOrder = computed((): { readonly column: RunColumn; readonly isDown: boolean } => {
  const chosen = chipOf('order') ?? '-endedAt'
  const column = columns.find((one) => one === chosen.replace(/^-/, '')) ?? 'endedAt'
  return { column, isDown: chosen.startsWith('-') }
})

/** Orders by a column, largest first; the second time smallest first. */
export function orderRuns(column: RunColumn): void {
  const now = runOrder.peek()
  const isDown = now.column === column ? !now.isDown : true
  const order = `${isDown ? '-' : ''}${column}`
  narrow({ order: order === '-endedAt' ? '' : order }, 'replace')
}

const isListingRuns = computed(
  () => address.value.view === 'runs' && chipOf('run') === undefined && book.value !== undefined,
)

const query = computed((): Query => {
  const agent = chipOf('agent')
  const outcome = chipOf('outcome')
  const { column, isDown } = runOrder.value
  return {
    orderBy: `${isDown ? '-' : ''}${column}` as RunOrder,
    ...defined({ agent }),
    ...(outcome === undefined ? {} : { failed: outcome === 'failed' }),
  }
})

const readList = createReader(runsFailure)

const load = (before: readonly Run[], limit: number): Promise<void> =>
  readList(
    (from) => from.runs.list({ ...query.peek(), limit: Math.min(200, limit), offset: before.length }),
    ({ total, runs, sealed = 0 }) => {
      runPage.value = { total, runs: [...before, ...runs], sealed }
    },
  )

export const loadRuns = (): Promise<void> => load([], Math.max(pageSize, runPage.peek()?.runs.length ?? 0))
export const loadMoreRuns = (): Promise<void> => load(runPage.peek()?.runs ?? [], pageSize)

effect(() => {
  void query.value
  if (isListingRuns.value) void loadRuns()
})
onBook('change', () => {
  if (isListingRuns.peek()) void loadRuns()
})

export type Entry = Trace | Message

export interface Transcript {
  readonly session: string
  /** Undefined if there is no such run. */
  readonly run: Run | undefined
  readonly entries: readonly Entry[]
  readonly hasMore: boolean
}

const entryPage = 200
export const transcript = held<Transcript | undefined>(undefined, ['runs'])
export const transcriptFailure = signal<unknown>(undefined)
export const openSession = computed(() => (address.value.view === 'runs' ? chipOf('run') : undefined))

/** The first entries of a session: a page of each kind, cut where the shorter one ends. */
async function readEntries(from: Daybook, session: string, limit: number) {
  const ask = { filters: { session }, orderBy: 'timestamp', limit: Math.min(1000, limit) }
  const [steps, talk] = await Promise.all([from.traces.query(ask), from.conversation.list(ask)])
  let { cursor: moreSteps } = steps
  let { cursor: moreMessages } = talk
  const traces = [...steps.records]
  const messages = [...talk.records]
  while (moreSteps !== undefined && traces.length < limit) {
    const next = await from.traces.query({ ...ask, cursor: moreSteps })
    traces.push(...next.records)
    moreSteps = next.cursor
  }
  while (moreMessages !== undefined && messages.length < limit) {
    const next = await from.conversation.list({ ...ask, cursor: moreMessages })
    messages.push(...next.records)
    moreMessages = next.cursor
  }
  const isPast = (entry: Entry, last: Entry | undefined, more: string | undefined) =>
    more !== undefined && last !== undefined && entry.timestamp > last.timestamp
  const entries = [...traces, ...messages]
    .filter((one) => !isPast(one, traces.at(-1), moreSteps) && !isPast(one, messages.at(-1), moreMessages))
    .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  return { entries, hasMore: moreSteps !== undefined || moreMessages !== undefined }
}

async function readRun(from: Daybook, session: string, limit: number): Promise<void> {
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
  await readRun(from, session, Math.max(entryPage, shown) + more)
}

export const loadMoreEntries = (): Promise<void> => loadTranscript(entryPage)

/** Opens a run, and a step of it if one is named. */
export function openRun(session: string, id?: string): void {
  go({ view: 'runs', search: '', chips: [{ field: 'run', value: session }], id })
}

/** Back to the list of runs. */
export function closeRun(): void {
  go({ chips: address.peek().chips.filter(({ field }) => field !== 'run'), id: undefined })
}

const rowOf = (id: string) => document.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"]`)

/** Scrolls the open step into view. */
export function showStep(id: string | undefined): void {
  if (id !== undefined) rowOf(id)?.scrollIntoView({ block: 'nearest' })
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** j and k move from step to step, Esc goes back to the list. */
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
