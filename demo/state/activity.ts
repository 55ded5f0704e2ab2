// The activity of the book as the address narrows it, newest first, the open entry, and its question asked again.
// Invariant: new entries appear above, entries that were read stay, and a late answer is dropped.
import { createReader, defined } from './reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../src/index.ts'
import { type ActivitySort, activitySorts } from '../kind/view-field.ts'
import { timeRange } from '../kind/filter-field.ts'
import { address, chipOf, go, narrow } from './address.ts'
import { book, onBook, openedBook } from './book.ts'
import { held } from './held.ts'
import { maskedCopy } from './record/secret.ts'
import { compareHits, type HitChange, rankedHit } from '../wording/hit-change.ts'

export type ActivityEntry = CapabilityOutput<'activity:list'>['entries'][number]
export type RecallDetail = NonNullable<CapabilityOutput<'activity:get'>>
type Query = NonNullable<CapabilityInput<'activity:list'>>

export interface ActivityList {
  readonly entries: readonly ActivityEntry[]
  readonly cursor: string | undefined
}

const pageSize = 100
const mostAtOnce = 1000
const spanMs = { hour: 3_600_000, day: 86_400_000 } as const

export const activityList = held<ActivityList | undefined>(undefined, ['activity'])
export const activityFailure = signal<unknown>(undefined)

/** Names an entry in the address: numbers of recalls and of calls are counted apart. */
export function nameOf({ sort, n }: Pick<ActivityEntry, 'sort' | 'n'>): string {
  return sort === 'recall' || sort === 'context' ? `a${n}` : `c${n}`
}

const filterNames = ['sort', 'agent', 'record', 'since', 'time'] as const
export const isActivityNarrowed = () => filterNames.some((name) => chipOf(name) !== undefined)

const query = computed((): Query => {
  const sort = activitySorts.find((one) => one === chipOf('sort')) as ActivitySort | undefined
  return {
    ...(sort ? { sorts: [sort] } : {}),
    ...defined({ agent: chipOf('agent'), record: chipOf('record') }),
  }
})

function since(): Pick<Query, 'from' | 'to'> {
  const span = chipOf('since')
  if (span !== 'hour' && span !== 'day') return between(chipOf('time'))
  return { from: new Date(Date.now() - spanMs[span]).toISOString() }
}

function between(range: string | undefined): Pick<Query, 'from' | 'to'> {
  const { from, to } = timeRange(range ?? '')
  return { ...(from === '' ? {} : { from }), ...(to === '' ? {} : { to }) }
}

/** The filters of the list while it is on show. */
const listKey = computed(() =>
  address.value.view === 'activity' && book.value
    ? JSON.stringify([query.value, chipOf('since'), chipOf('time')])
    : undefined,
)

const read = createReader(activityFailure)

const load = (before: readonly ActivityEntry[], limit: number, cursor?: string): Promise<void> =>
  read(
    async (from) => {
      const found = await from.activity.list({
        ...query.peek(),
        ...since(),
        limit: Math.min(mostAtOnce, limit),
        ...defined({ cursor }),
      })
      return { ...found, entries: await maskedCopy(from, found.entries) }
    },
    (found) => {
      activityList.value = { entries: [...before, ...found.entries], cursor: found.cursor }
    },
  )

/** The newest entries, as many as before. */
export const loadActivity = (): Promise<void> =>
  load([], Math.max(pageSize, activityList.peek()?.entries.length ?? 0))

export async function loadOlderActivity(): Promise<void> {
  const { entries, cursor } = activityList.peek() ?? { entries: [], cursor: undefined }
  if (cursor !== undefined) await load(entries, pageSize, cursor)
}

effect(() => {
  if (listKey.value === undefined) return
  activityList.value = undefined
  void loadActivity()
})
const reload = () => {
  if (listKey.peek() !== undefined) void loadActivity()
}
/** Counts new entries since the page opened: counts of a record's uses read again with it. */
export const activityTurn = signal(0)
onBook('activity', () => {
  activityTurn.value += 1
  reload()
})
onBook('change', reload)

/** The open entry, as the address names it. */
export const openEntryName = computed(() => (address.value.view === 'activity' ? chipOf('entry') : undefined))

export function openEntry(name: string | undefined, how: 'push' | 'replace' = 'push'): void {
  narrow({ entry: name ?? '' }, how)
}

type OpenRecall =
  | { readonly state: 'loading' }
  | { readonly state: 'absent' }
  | { readonly state: 'failed'; readonly error: unknown }
  /** `seen`: for the eye, with marks in place of secrets; the same object if it has none. */
  | { readonly state: 'shown'; readonly detail: RecallDetail; readonly seen: RecallDetail }

/** The open recall or context. */
export const openRecall = held<OpenRecall>({ state: 'loading' }, ['activity'])

export async function readRecall(): Promise<void> {
  const name = openEntryName.peek()
  if (!name?.startsWith('a') || !book.peek()) return
  let next: OpenRecall
  try {
    const from = await openedBook()
    const detail = await from.activity.get({ n: Number(name.slice(1)) })
    next = detail ? { state: 'shown', detail, seen: await maskedCopy(from, detail) } : { state: 'absent' }
  } catch (error) {
    next = { state: 'failed', error }
  }
  if (openEntryName.peek() === name) openRecall.value = next
}

effect(() => {
  if (openEntryName.value === undefined || !book.value) return
  const now = openRecall.peek()
  if (now.state !== 'shown') openRecall.value = { state: 'loading' }
  void readRecall()
})
onBook('change', () => void readRecall())

/** Lists all recalls of a record. */
export function listRecallsOf(record: string): void {
  go({ view: 'activity', search: '', id: undefined, chips: [{ field: 'record', value: record }] })
}

type Again =
  | { readonly state: 'idle' }
  | { readonly state: 'asking'; readonly n: number }
  | { readonly state: 'failed'; readonly n: number; readonly error: unknown }
  | {
      readonly state: 'answered'
      readonly n: number
      readonly changes: readonly HitChange[]
      readonly isSameText: boolean | undefined
    }

export const again = held<Again>({ state: 'idle' }, ['activity'])

/** Asks the question of an entry again, with the same options. */
export async function askAgain({ n, sort, question, hits, context }: RecallDetail): Promise<void> {
  if (!question) return
  again.value = { state: 'asking', n }
  let next: Again
  try {
    const book = await openedBook()
    if (sort === 'context') {
      const { items, text } = await book.context(question as CapabilityInput<'recall:context'>)
      next = { state: 'answered', n, changes: compareHits(hits, items), isSameText: text === context }
    } else {
      const found = await book.recall(question as CapabilityInput<'daybook:recall'>)
      next = {
        state: 'answered',
        n,
        changes: compareHits(hits, found.hits.map(rankedHit)),
        isSameText: undefined,
      }
    }
  } catch (error) {
    next = { state: 'failed', n, error }
  }
  const now = again.peek()
  if (now.state !== 'asking' || now.n === n) again.value = next
}
