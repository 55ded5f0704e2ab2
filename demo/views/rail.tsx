// The rail: one entry for each room that is built, and what is always at hand below.
import { FilePicker } from '../parts/file-picker.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { address, bookName, go } from '../state/address.ts'
import { openDialog } from '../state/dialog.ts'
import { importFiles } from '../state/import.ts'
import { status } from '../state/status.ts'
import { nextTheme, theme } from '../state/theme.ts'
import { shortNames, type View, viewNames, views } from '../state/view.ts'

export function Rail() {
  const conflicts = status.value?.sync.conflicts ?? 0
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
        {views.map((view) => (
          <RailEntry key={view} view={view} badge={view === 'sync' ? conflicts : 0} />
        ))}
      </nav>
      <div class="rail-tools">
        <FilePicker onFiles={importFiles} class="rail-entry" title="Import trajectories">
          <Icon name="import" />
          <span class="rail-word">Import</span>
        </FilePicker>
        <RailTool
          icon={theme.value}
          word={`Theme: ${theme.value}`}
          title={`Theme: ${theme.value}. Change it.`}
          onClick={nextTheme}
        />
        <RailTool
          icon="help"
          word="Help"
          title="Keys and commands (?)"
          onClick={() => (openDialog.value = 'help')}
        />
      </div>
    </header>
  )
}

function RailEntry({ view, badge }: { view: View; badge: number }) {
  const isHere = address.value.view === view
  return (
    <button
      type="button"
      class="rail-entry"
      aria-current={isHere ? 'page' : undefined}
      title={viewNames[view]}
      onClick={() => go({ view, id: undefined })}
    >
      <Icon name={view} />
      <span class="rail-word long">{viewNames[view]}</span>
      <span class="rail-word short" aria-hidden="true">
        {shortNames[view]}
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

function RailTool({
  icon,
  word,
  title,
  onClick,
}: {
  icon: IconName
  word: string
  title: string
  onClick: () => void
}) {
  return (
    <button type="button" class="rail-entry" title={title} onClick={onClick}>
      <Icon name={icon} />
      <span class="rail-word">{word}</span>
    </button>
  )
}
