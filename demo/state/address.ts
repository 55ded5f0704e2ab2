// Where the reader is: view, search, filters, question with its options, selected record. The address bar holds all of it and nothing
// else does, so that a link or a reload brings it back.
import { computed, signal } from '@preact/signals'
import { viewFields } from '../kind/view-field.ts'
import { kindOfView } from '../kind/kind-table.ts'
import { type FilterChip, readChips, writeChips } from './filter-chip.ts'
import {
  type AskedQuestion,
  readBeside,
  readRecallOptions,
  writeBeside,
  writeRecallOptions,
} from './recall-option.ts'
import { isView, type View } from '../kind/view.ts'

export interface Address extends AskedQuestion {
  readonly view: View
  readonly search: string
  readonly chips: readonly FilterChip[]
  /** The one whose answer is compared with this one's. */
  readonly beside: AskedQuestion | undefined
  readonly id: string | undefined
}

export const defaultBook = 'inspector'

/** The book of this page; another one is another page. */
export const bookName = new URLSearchParams(location.search).get('book') ?? defaultBook
/** Whether the address names it. */
export const isBookNamed = new URLSearchParams(location.search).has('book')

/** What can be filtered by, in a view. */
const fieldsOf = (view: View) => kindOfView(view)?.fields ?? viewFields[view] ?? {}

/** Reads an address; what it does not understand it leaves out. */
export function readAddress(query: string): Address {
  const parameters = new URLSearchParams(query)
  const named = parameters.get('view')
  const view = isView(named) ? named : 'traces'
  return {
    view,
    search: parameters.get('q') ?? '',
    chips: readChips(parameters, fieldsOf(view)),
    question: parameters.get('ask') ?? '',
    options: readRecallOptions(parameters),
    beside: readBeside(parameters.get('beside')),
    id: parameters.get('id') || undefined,
  }
}

/** Writes an address as a path and query of this page. */
export function writeAddress({ view, search, chips, question, options, beside, id }: Address): string {
  const parameters = new URLSearchParams()
  if (bookName !== defaultBook || isBookNamed) parameters.set('book', bookName)
  if (view !== 'traces') parameters.set('view', view)
  if (search !== '') parameters.set('q', search)
  writeChips(chips, parameters)
  if (question !== '') parameters.set('ask', question)
  writeRecallOptions(options, parameters)
  if (beside) parameters.set('beside', writeBeside(beside))
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

/** What the view is narrowed by in a field that takes one value. */
export function chipOf(field: string): string | undefined {
  return address.value.chips.find((chip) => chip.field === field)?.value
}

/** Sets things that the view is narrowed by; nothing takes one away. */
export function narrow(fields: Readonly<Record<string, string>>, how: 'push' | 'replace' = 'push'): void {
  const others = address.peek().chips.filter(({ field }) => fields[field] === undefined)
  const set = Object.entries(fields).filter(([, value]) => value !== '')
  go({ chips: [...others, ...set.map(([field, value]) => ({ field, value }))] }, how)
}

addEventListener('popstate', () => {
  address.value = readAddress(location.search)
})
