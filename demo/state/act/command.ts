// The commands of the palette. A command has a name and an act; the palette finds it by words of its name.
import { address, bookName, go, listedKind } from '../address.ts'
import { books, goToBook, showBooks } from '../books.ts'
import { openDialog } from '../dialog.ts'
import { focusSearch } from './focus.ts'
import { pinHere } from './mark.ts'
import { loadSample } from './sample.ts'
import { syncNow } from '../sync/sync.ts'
import { nextTheme } from '../setting.ts'
import { tell } from '../../page/toast.ts'
import { isNarrowed, reloadList } from '../list/record-list.ts'
import { type Place, places, type View, viewNames } from '../../kind/view.ts'

export interface Command {
  readonly name: string
  readonly key?: string
  readonly run: () => void
}

/** Commands that fit the typed text, then search and recall with it. */
export function commandsFor(typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = ({ name }: Command) => words.every((word) => name.toLowerCase().includes(word))
  return [...standing().filter(fits), ...asking(typed.trim())]
}

function standing(): Command[] {
  const { chips, id } = address.peek()
  return [
    ...places.flatMap(placeCommands),
    { name: `Search ${listedKind.peek()?.many ?? 'traces'}`, key: '/', run: searchHere },
    ...(isNarrowed.peek() || chips.length > 0
      ? [{ name: 'Clear search and filters', run: () => go({ search: '', chips: [] }) }]
      : []),
    {
      name: 'Show failed traces',
      run: () =>
        go({ view: 'traces', search: '', chips: [{ field: 'outcome', value: 'failed' }], id: undefined }),
    },
    {
      name: `Show pinned ${listedKind.peek()?.many ?? 'traces'}`,
      run: () =>
        go({
          view: listView(),
          search: '',
          chips: [{ field: 'marked', value: 'pinned' }],
          id: undefined,
        }),
    },
    { name: 'Refresh', key: 'n', run: () => void reloadList() },
    { name: 'Go to another book', run: showBooks },
    ...(books.value ?? [])
      .filter(({ name }) => name !== bookName)
      .map(({ name }) => ({ name: `Open the book “${name}”`, run: () => goToBook(name) })),
    { name: 'Sync now', run: () => void syncNow() },
    { name: 'Sync settings', run: () => (openDialog.value = 'settings') },
    { name: 'Paste a trace as JSON', run: () => (openDialog.value = 'paste') },
    { name: 'Run the guided sample', run: () => void loadSample() },
    { name: 'Copy link to this view', run: () => void copyLink() },
    ...(id === undefined
      ? []
      : [
          {
            name: `Pin or unpin the open ${listedKind.peek()?.one ?? 'record'}`,
            key: 'p',
            run: () => void pinHere(),
          },
          {
            name: `Close the open ${listedKind.peek()?.one ?? 'record'}`,
            key: 'Esc',
            run: () => go({ id: undefined }),
          },
        ]),
    { name: 'Change the theme', run: nextTheme },
    { name: 'Keyboard shortcuts', key: '?', run: () => (openDialog.value = 'help') },
  ]
}

/** A place, and each of its other views. */
function placeCommands({ name, views: [home, ...others] }: Place): Command[] {
  return [
    { name: `Go to ${name}`, run: () => go({ view: home, id: undefined }) },
    ...others.map((view) => ({
      name: `Go to ${name}: ${viewNames[view]}`,
      run: () => go({ view, id: undefined }),
    })),
  ]
}

function asking(typed: string): Command[] {
  if (typed === '') return []
  return [
    {
      name: `Search ${listedKind.peek()?.many ?? 'traces'} for “${typed}”`,
      run: () => go({ view: listView(), search: typed, id: undefined }),
    },
    { name: `Recall: ${typed}`, run: () => go({ view: 'recall', question: typed, id: undefined }) },
  ]
}

/** The current view of records, or that of traces. */
function listView(): View {
  return listedKind.peek() ? address.peek().view : 'traces'
}

function searchHere(): void {
  go({ view: listView() })
  // The box is drawn when the view is.
  requestAnimationFrame(focusSearch)
}

async function copyLink(): Promise<void> {
  await navigator.clipboard.writeText(location.href)
  tell('Link copied. Works only in this browser.')
}
