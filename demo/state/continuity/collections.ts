// The collections of a persona, and what lies in the open one: records of any kind, newest first.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook, Filters } from '../../../src/index.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { tell, tellError } from '../../page/toast.ts'
import { address } from '../address.ts'
import { onBook, openedBook } from '../book.ts'
import { type Persona, persona } from './personas.ts'
import { held, onLocked } from '../held.ts'

export type Collection = CapabilityOutput<'katra:collections'>['collections'][number]

export interface Collected {
  readonly persona: string
  readonly collections: readonly Collection[]
  /** The collection that is open, and what lies in it and below it; all of them while none is open. */
  readonly name: string | undefined
  readonly records: readonly BookRecord[]
  readonly cursor: string | undefined
  readonly sealed: number
}

export const collected = held<Collected | undefined>(undefined)
export const collectionsFailure = signal<unknown>(undefined)
/** The record that is being moved. */
export const moving = signal<BookRecord | undefined>(undefined)

/** Moves a record; answers why it was not moved. */
export async function moveRecord({ id }: BookRecord, collection: string): Promise<unknown> {
  try {
    const { records } = await openedBook()
    const { undo } = await records.mark({ id, collection })
    const takeBack = () =>
      records.mark(undo).then(
        () => tell('Moved back.'),
        (error: unknown) => tellError('The record was not moved back.', error),
      )
    tell(`Moved to “${collection}”.`, { word: 'Undo', run: () => void takeBack() })
    return undefined
  } catch (error) {
    return error
  }
}

const pageSize = 100

function filtersOf(who: Persona, name: string | undefined): Filters {
  const path = 'marks.collection'
  // `0` follows `/`, so this is what begins with the name and a slash.
  const within =
    name === undefined
      ? { [path]: { exists: true } }
      : { or: [{ [path]: name }, { [path]: { gte: `${name}/`, lt: `${name}0` } }] }
  return { and: [{ agent: who.scope.agent }, within] }
}

const readRecords = (from: Daybook, filters: Filters, limit: number, cursor?: string) =>
  from.records.query({
    filters,
    includeExpired: true,
    includeSuperseded: true,
    limit,
    ...(cursor === undefined ? {} : { cursor }),
  })

let question = 0
async function take(read: (from: Daybook, who: Persona) => Promise<Collected>): Promise<void> {
  const who = persona.peek()
  if (!who) return
  question += 1
  const mine = question
  try {
    const found = await read(await openedBook(), who)
    if (mine !== question) return
    collected.value = found
    collectionsFailure.value = undefined
  } catch (error) {
    if (mine === question) collectionsFailure.value = error
  }
}

export const loadCollections = () =>
  take(async (from, who) => {
    const name = address.peek().id
    const before = collected.peek()
    const isSame = before?.persona === who.ci_id && before.name === name
    const limit = isSame ? Math.min(1000, Math.max(pageSize, before.records.length)) : pageSize
    const [{ collections }, page] = await Promise.all([
      from.thoughts.collections({ persona: who.ci_id }),
      readRecords(from, filtersOf(who, name), limit),
    ])
    const { records, cursor, sealed = 0 } = page
    return { persona: who.ci_id, collections, name, records, cursor, sealed }
  })

export const loadMoreCollected = () =>
  take(async (from, who) => {
    const before = collected.peek()
    if (before?.cursor === undefined) throw new Error('There is no more.')
    const { records, cursor } = await readRecords(from, filtersOf(who, before.name), pageSize, before.cursor)
    return { ...before, records: [...before.records, ...records], cursor }
  })

const asked = computed(() =>
  address.value.view === 'collections' && persona.value
    ? `${persona.value.ci_id} ${address.value.id ?? ''}`
    : '',
)
effect(() => {
  if (asked.value !== '') void loadCollections()
})
onBook('change', () => {
  if (asked.peek() !== '') void loadCollections()
})
onLocked(() => {
  moving.value = undefined
})
