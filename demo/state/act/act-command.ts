// The acts of the palette, beside its places. Loaded later.
import { address, bookName, go, listedKind } from '../address.ts'
import { books, goToBook, showBooks } from '../books.ts'
import { openDialog } from '../dialog.ts'
import { focusSearch } from './focus.ts'
import { pinHere } from './mark.ts'
import { loadSample } from './sample.ts'
import { syncNow } from '../sync/sync.ts'
import { nextTheme, theme } from '../setting.ts'
import { tell } from '../../page/toast.ts'
import { isNarrowed, reloadList } from '../list/record-list.ts'
import { listSettings, setCompact } from '../list/list-setting.ts'
import type { View } from '../../kind/view.ts'
import { type Command, listView } from './list-view.ts'

const at = (name: string, view: View): Command => ({ name, run: () => go({ view, id: undefined }) })

/** Acts that have a place of their own, or a setting. */
const verbs: readonly Command[] = [
  at('Export the book', 'bundles'),
  at('Import or verify a bundle', 'bundles'),
  at('Approve or reject what waits', 'approvals'),
  at('Grant or revoke a token', 'tokens'),
  at('Lock, unlock or protect the keys', 'storage'),
  at('Export or import keys', 'storage'),
  at('Scan for secrets', 'storage'),
  at('Erase this book', 'storage'),
  { name: 'Create a new book', run: showBooks },
  { name: 'Compact rows on or off', run: () => setCompact(!listSettings.peek().isCompact) },
  ...(['dark', 'light', 'system'] as const).map((name) => ({
    name: `Theme: ${name}`,
    run: () => {
      theme.value = name
    },
  })),
]

/** Every act that the page has, in the words that a reader may type. */
export function actCommands(): readonly Command[] {
  const { chips, id } = address.peek()
  return [
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
    ...verbs,
    { name: 'Change the theme', run: nextTheme },
    { name: 'Keyboard shortcuts', key: '?', run: () => (openDialog.value = 'help') },
  ]
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
