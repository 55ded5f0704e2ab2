// The shell of the inspector: rail, room, status bar, and above them dialogs, trays and the live region.
import type { ComponentType } from 'preact'
import { DropTarget } from './parts/drop-target.tsx'
import { address, room } from './state/address.ts'
import { announcement } from './state/announce.ts'
import { book } from './state/book.ts'
import { type DialogName, openDialog } from './state/dialog.ts'
import { importFiles } from './state/import.ts'
import { status } from './state/status.ts'
import type { View } from './room/view.ts'
import { BundleView } from './views/bundle-view.tsx'
import { ForgetDialog } from './views/forget-dialog.tsx'
import { GrantDialog } from './views/grant-dialog.tsx'
import { HelpDialog } from './views/help-dialog.tsx'
import { ImportTray } from './views/import-tray.tsx'
import { OpeningPage } from './views/opening-page.tsx'
import { Palette } from './views/palette.tsx'
import { PasteDialog } from './views/paste-dialog.tsx'
import { Rail } from './views/rail.tsx'
import { RecordView } from './views/record-view.tsx'
import { RecallView } from './views/recall-view.tsx'
import { RevokeDialog } from './views/revoke-dialog.tsx'
import { RoomsDialog } from './views/rooms-dialog.tsx'
import { SchemaDialog } from './views/schema-dialog.tsx'
import { SettingsDialog } from './views/settings-dialog.tsx'
import { StatusBar } from './views/status-bar.tsx'
import { StorageView } from './views/storage-view.tsx'
import { SyncView } from './views/sync-view.tsx'
import { TaskView } from './views/task-view.tsx'
import { ToastTray } from './views/toast-tray.tsx'

const pages: Partial<Record<View, ComponentType>> = {
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
  rooms: RoomsDialog,
  schema: SchemaDialog,
  settings: SettingsDialog,
}

export function App() {
  const isOpen = book.value !== undefined
  const Page = pages[address.value.view]
  const Open = openDialog.value && dialogs[openDialog.value]
  return (
    <div class="shell">
      <Rail />
      <main class="room">
        {status.value?.durability === 'memory' && <MemoryNote />}
        {!isOpen && <OpeningPage />}
        {isOpen && room.value && <RecordView room={room.value} />}
        {isOpen && Page && <Page />}
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
