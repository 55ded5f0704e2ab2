// The shell of the inspector: rail, view, status bar, and above them dialogs, trays and the live region.
import type { ComponentType } from 'preact'
import { DropTarget } from './parts/drop-target.tsx'
import { focusList, listElement, viewElement } from './state/act/focus.ts'
import { address, listedKind } from './state/address.ts'
import { announcement } from './page/announce.ts'
import { book } from './state/book.ts'
import { type DialogName, openDialog } from './state/dialog.ts'
import { importFiles } from './state/bundle/import.ts'
import { status } from './state/status.ts'
import type { View } from './kind/view.ts'
import { ActivityView } from './views/activity/activity-view.tsx'
import { AccessLogView } from './views/consent/access-log-view.tsx'
import { ApprovalView } from './views/consent/approval-view.tsx'
import { MemoryView } from './views/consent/memory-view.tsx'
import { PolicyView } from './views/consent/policy-view.tsx'
import { CollectionView } from './views/continuity/collection-view.tsx'
import { DayView } from './views/continuity/day-view.tsx'
import { PersonaView } from './views/continuity/persona-view.tsx'
import { SnapshotView } from './views/continuity/snapshot-view.tsx'
import { BooksDialog } from './views/shell/books-dialog.tsx'
import { BundleView } from './views/bundle/bundle-view.tsx'
import { EditDialog } from './views/record/edit-dialog.tsx'
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
import { PoolAuditView } from './views/pool/audit-view.tsx'
import { ClawView } from './views/pool/claw-view.tsx'
import { ProposalView } from './views/pool/proposal-view.tsx'
import { RunView } from './views/run/run-view.tsx'
import { RoomView } from './views/room/room-view.tsx'
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
  runs: RunView,
  activity: ActivityView,
  recall: RecallView,
  legs: RecallView,
  context: RecallView,
  bundles: BundleView,
  personas: PersonaView,
  days: DayView,
  collections: CollectionView,
  snapshots: SnapshotView,
  room: RoomView,
  pool: ProposalView,
  poolClaws: ClawView,
  poolAudit: PoolAuditView,
  approvals: ApprovalView,
  memories: MemoryView,
  policies: PolicyView,
  accessLog: AccessLogView,
  tasks: TaskView,
  sync: SyncView,
  storage: StorageView,
}
const dialogs: Record<DialogName, ComponentType> = {
  books: BooksDialog,
  edit: EditDialog,
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
      <SkipLink />
      <Rail />
      <main id="view" class="view" ref={viewElement} tabIndex={-1}>
        {status.value?.durability === 'memory' && <MemoryNote />}
        {!isOpen && <OpeningPage />}
        {isOpen && listedKind.value && <RecordView kind={listedKind.value} />}
        {isOpen && Shown && <Shown />}
      </main>
      <StatusBar />
      <section class="trays" aria-label="Notices">
        <ImportTray />
        <ToastTray />
      </section>
      {Open && <Open />}
      <ForgetDialog />
      <DropTarget onFiles={importFiles} />
      <p class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
    </div>
  )
}

/** Past the rail, for those who go by keys: to the list where the view has one. */
function SkipLink() {
  const skip = (event: Event) => {
    event.preventDefault()
    if (listElement.current) focusList()
    else viewElement.current?.focus()
  }
  return (
    <a class="skip-link" href="#view" onClick={skip}>
      Skip to content
    </a>
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
