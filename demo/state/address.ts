// The place of the reader: view, search, filters, question with options, selected record. Invariant: the address bar has
// all of it and nothing else has it, so that a link or a reload restores it.
import { computed, signal } from '@preact/signals'
import { viewFields } from '../kind/view-field.ts'
import { kindOfView } from '../kind/kind-table.ts'
import { type FilterChip, readChips, writeChips } from './filter-chip.ts'
import {
  type Question,
  readBeside,
  readRecallOptions,
  writeBeside,
  writeRecallOptions,
} from './recall-option.ts'
import { isView, type View } from '../kind/view.ts'

export interface Address extends Question {
  readonly view: View
  readonly search: string
  readonly chips: readonly FilterChip[]
  /** The question whose answer is compared. */
  readonly beside: Question | undefined
  readonly id: string | undefined
  /** The record that the recall view explains: why the question finds it or not. */
  readonly why: string | undefined
}

export const defaultBook = 'inspector'

/** The book of this page; another one is another page. */
export const bookName = new URLSearchParams(location.search).get('book') ?? defaultBook
/** Whether the address names it. */
export const isBookNamed = new URLSearchParams(location.search).has('book')

/** The filter fields of a view. */
const fieldsOf = (view: View) => kindOfView(view)?.fields ?? viewFields[view] ?? {}

/** Reads an address; unknown parts are left out. */
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
    why: parameters.get('why') || undefined,
  }
}

/** Writes an address as a path and query of this page. */
export function writeAddress({ view, search, chips, question, options, beside, id, why }: Address): string {
  const parameters = new URLSearchParams()
  if (bookName !== defaultBook || isBookNamed) parameters.set('book', bookName)
  if (view !== 'traces') parameters.set('view', view)
  if (search !== '') parameters.set('q', search)
  writeChips(chips, parameters)
  if (question !== '') parameters.set('ask', question)
  writeRecallOptions(options, parameters)
  if (beside) parameters.set('beside', writeBeside(beside))
  if (id !== undefined) parameters.set('id', id)
  if (why !== undefined) parameters.set('why', why)
  const query = parameters.toString()
  return query === '' ? location.pathname : `${location.pathname}?${query}`
}

export const address = signal(readAddress(location.search))

/** The kind of record that the view lists; undefined in a view that lists none. */
export const listedKind = computed(() => kindOfView(address.value.view))

/** Search and filters of each view when the reader left it. They are restored when the reader comes back. */
const leftViews = new Map<View, Pick<Address, 'search' | 'chips'>>()

/** Goes somewhere. `push` adds a step for Back, `replace` does not. */
export function go(change: Partial<Address>, how: 'push' | 'replace' = 'push'): void {
  const now = address.value
  leftViews.set(now.view, { search: now.search, chips: now.chips })
  const isElsewhere = change.view !== undefined && change.view !== now.view
  const there = isElsewhere && change.view ? (leftViews.get(change.view) ?? { search: '', chips: [] }) : {}
  const next = { ...now, ...there, ...change }
  const url = writeAddress(next)
  if (url !== writeAddress(now)) {
    if (how === 'push') history.pushState(null, '', url)
    else history.replaceState(null, '', url)
  }
  address.value = next
}

/** The value of a filter field with one value. */
export function chipOf(field: string): string | undefined {
  return address.value.chips.find((chip) => chip.field === field)?.value
}

/** Sets filter fields with one value; an empty text removes one. */
export function narrow(fields: Readonly<Record<string, string>>, how: 'push' | 'replace' = 'push'): void {
  const others = address.peek().chips.filter(({ field }) => fields[field] === undefined)
  const set = Object.entries(fields).filter(([, value]) => value !== '')
  go({ chips: [...others, ...set.map(([field, value]) => ({ field, value }))] }, how)
}

addEventListener('popstate', () => {
  address.value = readAddress(location.search)
})
