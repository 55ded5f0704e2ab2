// Where the reader is: view, search, filters, question, selected record. The address bar holds all of it and nothing
// else does, so that a link or a reload brings it back.
import { computed, signal } from '@preact/signals'
import { kindOfView } from '../kind/kind-table.ts'
import { type FilterChip, readChips, writeChips } from './filter-chip.ts'
import { isView, type View } from '../kind/view.ts'

export interface Address {
  readonly view: View
  readonly search: string
  readonly chips: readonly FilterChip[]
  readonly question: string
  readonly id: string | undefined
}

const defaultBook = 'inspector'

/** The book of this page; another one is another page. */
export const bookName = new URLSearchParams(location.search).get('book') ?? defaultBook

/** Reads an address; what it does not understand it leaves out. */
export function readAddress(query: string): Address {
  const parameters = new URLSearchParams(query)
  const named = parameters.get('view')
  const view = isView(named) ? named : 'traces'
  return {
    view,
    search: parameters.get('q') ?? '',
    chips: readChips(parameters, kindOfView(view)?.fields ?? {}),
    question: parameters.get('ask') ?? '',
    id: parameters.get('id') || undefined,
  }
}

/** Writes an address as a path and query of this page. */
export function writeAddress({ view, search, chips, question, id }: Address): string {
  const parameters = new URLSearchParams()
  if (bookName !== defaultBook) parameters.set('book', bookName)
  if (view !== 'traces') parameters.set('view', view)
  if (search !== '') parameters.set('q', search)
  writeChips(chips, parameters)
  if (question !== '') parameters.set('ask', question)
  if (id !== undefined) parameters.set('id', id)
  const query = parameters.toString()
  return query === '' ? location.pathname : `${location.pathname}?${query}`
}

export const address = signal(readAddress(location.search))

/** The kind of record that the view lists; undefined in a view that lists none. */
export const listedKind = computed(() => kindOfView(address.value.view))

/** Search and filters of each view as they were left. They are found again when one comes back to it. */
const left = new Map<View, Pick<Address, 'search' | 'chips'>>()

/** Goes somewhere. `push` makes a step that Back undoes, `replace` none. */
export function go(change: Partial<Address>, how: 'push' | 'replace' = 'push'): void {
  const now = address.value
  left.set(now.view, { search: now.search, chips: now.chips })
  const isElsewhere = change.view !== undefined && change.view !== now.view
  const there = isElsewhere && change.view ? (left.get(change.view) ?? { search: '', chips: [] }) : {}
  const next = { ...now, ...there, ...change }
  const url = writeAddress(next)
  if (url !== writeAddress(now)) {
    if (how === 'push') history.pushState(null, '', url)
    else history.replaceState(null, '', url)
  }
  address.value = next
}

addEventListener('popstate', () => {
  address.value = readAddress(location.search)
})
