// How lists are shown and which filters were saved: of this browser, not of the book.
// Invariant: what is kept and can't be understood is left out, and a name stands for one set of filters of a view.
import { effect, signal } from '@preact/signals'
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
  /** Columns that are left out, as `view.column`. */
  readonly hidden: readonly string[]
  readonly saved: readonly SavedFilter[]
}

const place = 'daybook-inspector:lists'
const none: ListSettings = { isCompact: false, hidden: [], saved: [] }

function kept(): ListSettings {
  try {
    const found = JSON.parse(localStorage.getItem(place) ?? 'null') as Partial<ListSettings> | null
    return {
      isCompact: found?.isCompact === true,
      hidden: Array.isArray(found?.hidden) ? found.hidden.filter((one) => typeof one === 'string') : [],
      saved: Array.isArray(found?.saved) ? found.saved.filter(isSaved) : [],
    }
  } catch {
    return none
  }
}

function isSaved(one: SavedFilter | null): one is SavedFilter {
  return typeof one?.name === 'string' && typeof one.view === 'string' && Array.isArray(one.chips)
}

export const listSettings = signal<ListSettings>(kept())

effect(() => {
  try {
    localStorage.setItem(place, JSON.stringify(listSettings.value))
  } catch {
    // Without site data they last as long as the page.
  }
})

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

/** Saves what the list is narrowed by under a name; the same name again is the newer one. */
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
