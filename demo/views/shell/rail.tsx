// The rail: an entry for each place, tools below. On a narrow page a foot has the main places, and a dialog has all.
import { FilePicker } from '../../parts/field/file-picker.tsx'
import { Icon } from '../../parts/inline.tsx'
import { address, bookName, go } from '../../state/address.ts'
import { showBooks } from '../../state/books.ts'
import { openDialog } from '../../state/dialog.ts'
import { importFiles } from '../../state/bundle/import.ts'
import { waitingCount } from '../../state/consent/queue.ts'
import { wantedVotes } from '../../state/pool/pool.ts'
import { status } from '../../state/status.ts'
import { nextTheme, theme } from '../../state/setting.ts'
import { type Place, placeOf, places, type View } from '../../kind/view.ts'

export function Rail() {
  return (
    <header class="rail">
      <div class="brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} width="24" height="24" alt="" />
        <p class="brand-name">
          Daybook
          <button
            type="button"
            class="brand-book"
            aria-haspopup="dialog"
            title={`Book: ${bookName}. Go to another one`}
            onClick={showBooks}
          >
            {bookName}
          </button>
        </p>
      </div>
      <nav class="rail-nav" aria-label="Sections">
        {places.map((place) => (
          <RailEntry key={place.name} place={place} />
        ))}
        <button
          type="button"
          class="rail-entry rail-more"
          aria-haspopup="dialog"
          aria-current={placeOf(address.value.view).isMain ? undefined : 'page'}
          onClick={() => (openDialog.value = 'places')}
        >
          <Icon name="more" />
          <span class="rail-word short">More</span>
          <Badge count={elsewhereCount()} word="waiting in other sections" />
        </button>
      </nav>
      <div class="rail-tools">
        <RailTools />
      </div>
    </header>
  )
}

/** Tools for every view: import, theme, help. */
export function RailTools() {
  return (
    <>
      <FilePicker onFiles={importFiles} class="rail-entry" title="Import files">
        <Icon name="import" />
        <span class="rail-word">Import</span>
      </FilePicker>
      <button type="button" class="rail-entry" title="Change the theme" onClick={nextTheme}>
        <Icon name={theme.value} />
        <span class="rail-word">Theme: {theme.value}</span>
      </button>
      <button
        type="button"
        class="rail-entry"
        title="Keys and commands (?)"
        onClick={() => (openDialog.value = 'help')}
      >
        <Icon name="help" />
        <span class="rail-word">Help</span>
      </button>
    </>
  )
}

function badgeOf(view: View): { count: number; word: string } {
  if (view === 'sync') return { count: status.value?.sync.conflicts ?? 0, word: 'conflicts' }
  if (view === 'pool') return { count: wantedVotes.value.length, word: 'open for your vote' }
  return { count: view === 'approvals' ? waitingCount.value : 0, word: 'waiting for approval' }
}

export function RailEntry({ place, onGo }: { place: Place; onGo?: () => void }) {
  const [home] = place.views
  const isHere = place.views.includes(address.value.view)
  const badge = badgeOf(home)
  return (
    <button
      type="button"
      class={place.isMain ? 'rail-entry' : 'rail-entry is-minor'}
      aria-current={isHere ? 'page' : undefined}
      title={place.name}
      onClick={() => {
        go({ view: home, id: undefined })
        onGo?.()
      }}
    >
      <Icon name={place.icon} />
      <span class="rail-word long">{place.name}</span>
      <span class="rail-word short" aria-hidden="true">
        {place.short}
      </span>
      <Badge {...badge} />
    </button>
  )
}

function Badge({ count, word }: { count: number; word: string }) {
  if (count === 0) return null
  return (
    <span class="badge">
      {count}
      <span class="hidden"> {word}</span>
    </span>
  )
}

/** The count of all badges that a narrow page has behind More. */
const elsewhereCount = () =>
  places.reduce((sum, { isMain, views: [home] }) => (isMain ? sum : sum + badgeOf(home).count), 0)
