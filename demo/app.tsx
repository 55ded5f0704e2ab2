// The shell of the inspector: rail, view, status bar, and above them dialogs, trays and the live region.
import type { ComponentType } from 'preact'
import { DropTarget } from './parts/drop-target.tsx'
import { address, listedKind } from './state/address.ts'
import { announcement } from './page/announce.ts'
import { book } from './state/book.ts'
import { type DialogName, openDialog } from './state/dialog.ts'
import { importFiles } from './state/bundle/import.ts'
import { status } from './state/status.ts'
import type { View } from './kind/view.ts'
import { BundleView } from './views/bundle/bundle-view.tsx'
import { ForgetDialog } from './views/record/forget-dialog.tsx'
import { GrantDialog } from './views/trust/grant-dialog.tsx'
import { HelpDialog } from './views/shell/help-dialog.tsx'
import { ImportTray } from './views/bundle/import-tray.tsx'
import { OpeningPage } from './views/shell/opening-page.tsx'
import { Palette } from './views/shell/palette.tsx'
import { PasteDialog } from './views/bundle/paste-dialog.tsx'
import { Rail } from './views/shell/rail.tsx'
import { RecordView } from './views/record/record-view.tsx'
import { RecallView } from './views/recall/recall-view.tsx'
import { RevokeDialog } from './views/trust/revoke-dialog.tsx'
import { PlacesDialog } from './views/shell/places-dialog.tsx'
import { SchemaDialog } from './views/kind/kstar/schema-dialog.tsx'
import { SettingsDialog } from './views/shell/settings-dialog.tsx'
import { StatusBar } from './views/shell/status-bar.tsx'
import { StorageView } from './views/trust/storage-view.tsx'
import { SyncView } from './views/sync/sync-view.tsx'
import { TaskView } from './views/sync/task-view.tsx'
import { ToastTray } from './views/shell/toast-tray.tsx'

const views: Partial<Record<View, ComponentType>> = {
  recall: RecallView,
  legs: RecallView,
  context: RecallView,
  bundles: BundleView,
  tasks: TaskView,
  sync: SyncView,
  storage: StorageView,
}
const dialogs: Record<DialogName, ComponentType> = {
  grant: GrantDialog,
  help: HelpDialog,
  palette: Palette,
  paste: PasteDialog,
  revoke: RevokeDialog,
  places: PlacesDialog,
  schema: SchemaDialog,
  settings: SettingsDialog,
}

export function App() {
  const isOpen = book.value !== undefined
  const Shown = views[address.value.view]
  const Open = openDialog.value && dialogs[openDialog.value]
  return (
    <div class="shell">
      <Rail />
      <main class="view">
        {status.value?.durability === 'memory' && <MemoryNote />}
        {!isOpen && <OpeningPage />}
        {isOpen && listedKind.value && <RecordView kind={listedKind.value} />}
        {isOpen && Shown && <Shown />}
      </main>
      <StatusBar />
      <div class="trays">
        <ImportTray />
        <ToastTray />
      </div>
      {Open && <Open />}
      <ForgetDialog />
      <DropTarget onFiles={importFiles} />
      <p class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </div>
  )
}

/** Never lets anyone forget that this book is not kept. */
function MemoryNote() {
  return (
    <p class="memory-note" role="note">
      This book is in memory only. Everything in it is gone when the tab closes or reloads.
    </p>
  )
}
