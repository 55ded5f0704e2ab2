// Settings of lists and saved filters. They belong to this browser, not to the book.
// Invariants: invalid settings are dropped; a view has one set of filters per name.
import { setting } from '../setting.ts'
import type { View } from '../../kind/view.ts'
import { address, go } from '../address.ts'
import type { FilterChip } from '../filter-chip.ts'

export interface SavedFilter {
  readonly view: View
  readonly name: string
  readonly search: string
  readonly chips: readonly FilterChip[]
}

interface ListSettings {
  readonly isCompact: boolean
  /** Hidden columns, as `view.column`. */
  readonly hidden: readonly string[]
  readonly saved: readonly SavedFilter[]
}

export const listSettings = setting('lists', (found): ListSettings => {
  const { isCompact, hidden, saved } = (found ?? {}) as Partial<ListSettings>
  return {
    isCompact: isCompact === true,
    hidden: Array.isArray(hidden) ? hidden.filter((one) => typeof one === 'string') : [],
    saved: Array.isArray(saved) ? saved.filter(isSaved) : [],
  }
})

function isSaved(one: SavedFilter | null): one is SavedFilter {
  return typeof one?.name === 'string' && typeof one.view === 'string' && Array.isArray(one.chips)
}

function change(part: Partial<ListSettings>): void {
  listSettings.value = { ...listSettings.peek(), ...part }
}

export const setCompact = (isCompact: boolean): void => change({ isCompact })

export const hasColumn = (view: View, column: string): boolean =>
  !listSettings.value.hidden.includes(`${view}.${column}`)

export function showColumn(view: View, column: string, isShown: boolean): void {
  const name = `${view}.${column}`
  const others = listSettings.peek().hidden.filter((one) => one !== name)
  change({ hidden: isShown ? others : [...others, name] })
}

export const savedOf = (view: View): readonly SavedFilter[] =>
  listSettings.value.saved.filter((one) => one.view === view)

/** Saves the search and filters of the list under a name. A name that exists is replaced. */
export function saveFilter(name: string): void {
  const { view, search, chips } = address.peek()
  const others = listSettings.peek().saved.filter((one) => one.view !== view || one.name !== name)
  change({ saved: [...others, { view, name, search, chips }] })
}

export function removeFilter({ view, name }: SavedFilter): void {
  change({ saved: listSettings.peek().saved.filter((one) => one.view !== view || one.name !== name) })
}

export function applyFilter({ view, search, chips }: SavedFilter): void {
  go({ view, search, chips, id: undefined })
}
