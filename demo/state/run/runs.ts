// The list of runs as the address narrows and orders it, a page at a time.
// Invariant: an answer that another question has overtaken is let go of.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { address, chipOf, narrow } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held } from '../held.ts'

export type Run = CapabilityOutput<'runs:list'>['runs'][number]
type Query = NonNullable<CapabilityInput<'runs:list'>>
export type RunOrder = NonNullable<Query['orderBy']>

export interface RunPage {
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
  const asked = chipOf('order') ?? '-endedAt'
  const column = columns.find((one) => one === asked.replace(/^-/, '')) ?? 'endedAt'
  return { column, isDown: asked.startsWith('-') }
})

/** Orders by a column, largest first; once more turns it round. */
export function orderRuns(column: RunColumn): void {
  const now = runOrder.peek()
  const isDown = now.column === column ? !now.isDown : true
  const order = `${isDown ? '-' : ''}${column}`
  narrow({ order: order === '-endedAt' ? '' : order }, 'replace')
}

export const isListingRuns = computed(
  () => address.value.view === 'runs' && chipOf('run') === undefined && book.value !== undefined,
)

const query = computed((): Query => {
  const agent = chipOf('agent')
  const outcome = chipOf('outcome')
  const { column, isDown } = runOrder.value
  return {
    orderBy: `${isDown ? '-' : ''}${column}` as RunOrder,
    ...(agent === undefined ? {} : { agent }),
    ...(outcome === undefined ? {} : { failed: outcome === 'failed' }),
  }
})

let asked = 0
async function load(before: readonly Run[], limit: number): Promise<void> {
  asked += 1
  const mine = asked
  try {
    const found = await (
      await openedBook()
    ).runs.list({ ...query.peek(), limit: Math.min(200, limit), offset: before.length })
    if (mine !== asked) return
    const { total, runs, sealed = 0 } = found
    runPage.value = { total, runs: [...before, ...runs], sealed }
    runsFailure.value = undefined
  } catch (error) {
    if (mine === asked) runsFailure.value = error
  }
}

export const loadRuns = (): Promise<void> => load([], Math.max(pageSize, runPage.peek()?.runs.length ?? 0))
export const loadMoreRuns = (): Promise<void> => load(runPage.peek()?.runs ?? [], pageSize)

effect(() => {
  void query.value
  if (isListingRuns.value) void loadRuns()
})
onBook('change', () => {
  if (isListingRuns.peek()) void loadRuns()
})
