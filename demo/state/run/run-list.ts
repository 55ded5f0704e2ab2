// Runs: the list as the address narrows and orders it. Invariant: a late answer is dropped.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { address, chipOf, narrow } from '../address.ts'
import { book, onBook } from '../book.ts'
import { held } from '../held.ts'
import { createReader, defined } from '../reading.ts'
import { maskedCopy } from '../record/secret.ts'

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
    ...(outcome === 'ended' && { outcome: 'failed' }),
    ...(outcome === 'failed' && { failed: true }),
    ...(outcome === 'clean' && { failed: false }),
  }
})

const readList = createReader(runsFailure)

const load = (before: readonly Run[], limit: number): Promise<void> =>
  readList(
    async (from) => {
      const found = await from.runs.list({
        ...query.peek(),
        limit: Math.min(200, limit),
        offset: before.length,
      })
      return { ...found, runs: await maskedCopy(from, found.runs) }
    },
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
