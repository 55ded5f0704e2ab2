// The collections of a persona, and the records of the open one and those below it, newest first.
import { createReader, defined } from '../reading.ts'
import { tell, undo } from '../../page/toast.ts'
import { attempt, onBook, openedBook } from '../book.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook, Filters } from '../../../src/index.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { address } from '../address.ts'
import { type Persona, persona } from './personas.ts'
import { held, onLocked } from '../held.ts'

export type Collection = CapabilityOutput<'katra:collections'>['collections'][number]

export interface Collected {
  readonly persona: string
  readonly collections: readonly Collection[]
  /** The open collection; undefined for all. */
  readonly name: string | undefined
  readonly records: readonly BookRecord[]
  readonly cursor: string | undefined
  readonly sealed: number
}

export const collected = held<Collected | undefined>(undefined)
export const collectionsFailure = signal<unknown>(undefined)
/** The record in the dialog. */
export const moving = signal<BookRecord | undefined>(undefined)

export async function moveRecord({ id }: BookRecord, collection: string): Promise<void> {
  const { records } = await openedBook()
  const { undo: before } = await records.mark({ id, collection })
  tell(
    `Moved to “${collection}”.`,
    undo(() =>
      attempt('The record was not moved back.', async () => {
        await records.mark(before)
        tell('Moved back.')
      }),
    ),
  )
}

const pageSize = 100

function filtersOf(of: Persona, name: string | undefined): Filters {
  const path = 'marks.collection'
  // `0` follows `/`, so the range has every name that begins with this one and a slash.
  const within =
    name === undefined
      ? { [path]: { exists: true } }
      : { or: [{ [path]: name }, { [path]: { gte: `${name}/`, lt: `${name}0` } }] }
  return { and: [{ agent: of.scope.agent }, within] }
}

const readRecords = (from: Daybook, filters: Filters, limit: number, cursor?: string) =>
  from.records.query({
    filters,
    includeExpired: true,
    includeSuperseded: true,
    limit,
    ...defined({ cursor }),
  })

const read = createReader(collectionsFailure)
const show = (found: Collected) => void (collected.value = found)

export async function loadCollections(): Promise<void> {
  const of = persona.peek()
  if (!of) return
  const name = address.peek().id
  const before = collected.peek()
  const isSame = before?.persona === of.ci_id && before.name === name
  const limit = isSame ? Math.min(1000, Math.max(pageSize, before.records.length)) : pageSize
  await read(async (from) => {
    const [{ collections }, { records, cursor, sealed = 0 }] = await Promise.all([
      from.thoughts.collections({ persona: of.ci_id }),
      readRecords(from, filtersOf(of, name), limit),
    ])
    return { persona: of.ci_id, collections, name, records, cursor, sealed }
  }, show)
}

export async function loadMoreCollected(): Promise<void> {
  const of = persona.peek()
  const before = collected.peek()
  if (!of || before?.cursor === undefined) return
  await read(async (from) => {
    const { records, cursor } = await readRecords(from, filtersOf(of, before.name), pageSize, before.cursor)
    return { ...before, records: [...before.records, ...records], cursor }
  }, show)
}

const shownKey = computed(() =>
  address.value.view === 'collections' && persona.value
    ? `${persona.value.ci_id} ${address.value.id ?? ''}`
    : '',
)
effect(() => {
  if (shownKey.value !== '') void loadCollections()
})
onBook('change', () => {
  if (shownKey.peek() !== '') void loadCollections()
})
onLocked(() => {
  moving.value = undefined
})
