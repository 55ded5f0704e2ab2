// The activity of the book as the address narrows it, newest first, and the entry that is open. Invariant: what comes meanwhile
// appears above, what was read stays, and an answer that another question has overtaken is let go of.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput } from '../../../src/index.ts'
import { type ActivitySort, activitySorts } from '../../kind/view-field.ts'
import { timeRange } from '../../kind/filter-field.ts'
import { address, chipOf, go, narrow } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { held } from '../held.ts'

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

export const filterNames = ['sort', 'agent', 'record', 'since', 'time'] as const
export const isActivityNarrowed = () => filterNames.some((name) => chipOf(name) !== undefined)

const query = computed((): Query => {
  const sort = activitySorts.find((one) => one === chipOf('sort')) as ActivitySort | undefined
  const agent = chipOf('agent')
  const record = chipOf('record')
  return {
    ...(sort === undefined ? {} : { sorts: [sort] }),
    ...(agent === undefined ? {} : { agent }),
    ...(record === undefined ? {} : { record }),
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

/** What the list depends on, apart from which entry is open. */
const asking = computed(() =>
  address.value.view === 'activity' && book.value
    ? JSON.stringify([query.value, chipOf('since'), chipOf('time')])
    : undefined,
)

let asked = 0
async function load(before: readonly ActivityEntry[], limit: number, cursor?: string): Promise<void> {
  asked += 1
  const mine = asked
  try {
    const from = await openedBook()
    const found = await from.activity.list({
      ...query.peek(),
      ...since(),
      limit: Math.min(mostAtOnce, limit),
      ...(cursor === undefined ? {} : { cursor }),
    })
    if (mine !== asked) return
    activityList.value = { entries: [...before, ...found.entries], cursor: found.cursor }
    activityFailure.value = undefined
  } catch (error) {
    if (mine === asked) activityFailure.value = error
  }
}

/** As much as was read, from the newest on. */
export const loadActivity = (): Promise<void> =>
  load([], Math.max(pageSize, activityList.peek()?.entries.length ?? 0))

export async function loadOlderActivity(): Promise<void> {
  const { entries, cursor } = activityList.peek() ?? { entries: [], cursor: undefined }
  if (cursor !== undefined) await load(entries, pageSize, cursor)
}

effect(() => {
  if (asking.value === undefined) return
  activityList.value = undefined
  void loadActivity()
})
const reload = () => {
  if (asking.peek() !== undefined) void loadActivity()
}
/** Counts what was kept since the page was opened: whoever counts uses of a record asks again. */
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

export type OpenAsked =
  | { readonly state: 'loading' }
  | { readonly state: 'absent' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'shown'; readonly detail: RecallDetail }

/** The open recall or context. */
export const openAsked = held<OpenAsked>({ state: 'loading' }, ['activity'])

export async function readAsked(): Promise<void> {
  const name = openEntryName.peek()
  if (!name?.startsWith('a') || !book.peek()) return
  let next: OpenAsked
  try {
    const detail = await (await openedBook()).activity.get({ n: Number(name.slice(1)) })
    next = detail ? { state: 'shown', detail } : { state: 'absent' }
  } catch (error) {
    next = { state: 'failed', error }
  }
  if (openEntryName.peek() === name) openAsked.value = next
}

effect(() => {
  if (openEntryName.value === undefined || !book.value) return
  const now = openAsked.peek()
  if (now.state !== 'shown') openAsked.value = { state: 'loading' }
  void readAsked()
})
onBook('change', () => void readAsked())

/** All that recalled a record, as a list. */
export function listRecallsOf(record: string): void {
  go({ view: 'activity', search: '', id: undefined, chips: [{ field: 'record', value: record }] })
}
