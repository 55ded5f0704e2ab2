// The rail: one entry for each place, and what is always at hand below. On a narrow page it is a foot with the main
// places, and the others stand in a dialog.
import { FilePicker } from '../../parts/file-picker.tsx'
import { Icon } from '../../parts/icon.tsx'
import { address, bookName, go } from '../../state/address.ts'
import { openDialog } from '../../state/dialog.ts'
import { importFiles } from '../../state/bundle/import.ts'
import { status } from '../../state/status.ts'
import { nextTheme, theme } from '../../state/theme.ts'
import { type Place, placeOf, places } from '../../kind/view.ts'

export function Rail() {
  return (
    <header class="rail">
      <div class="brand">
        <img src="/icon.svg" width="24" height="24" alt="" />
        <p class="brand-name">
          Daybook
          <span class="brand-book" title={`Book: ${bookName}`}>
            {bookName}
          </span>
        </p>
      </div>
      <nav class="rail-nav" aria-label="Rooms">
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
        </button>
      </nav>
      <div class="rail-tools">
        <RailTools />
      </div>
    </header>
  )
}

/** What is at hand everywhere: importing, the theme, help. */
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

export function RailEntry({ place, onGo }: { place: Place; onGo?: () => void }) {
  const [home] = place.views
  const isHere = place.views.includes(address.value.view)
  const badge = home === 'sync' ? (status.value?.sync.conflicts ?? 0) : 0
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
      {badge > 0 && (
        <span class="badge">
          {badge}
          <span class="hidden"> conflicts</span>
        </span>
      )}
    </button>
  )
}
