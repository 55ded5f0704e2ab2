// Views and dialogs whose code loads later, by part of the page.
import type { ComponentType } from 'preact'
import type { View } from './kind/view.ts'
import { Dialog } from './parts/dialog.tsx'
import { createLateViews, MissingView } from './parts/late-view.tsx'
import { loadCommands } from './state/act/command.ts'
import { forgetQuestion } from './state/act/forget.ts'
import { closeDialog, type DialogName } from './state/dialog.ts'
import { openRecord } from './views/record/record-detail-view.tsx'

const recall = createLateViews(() => import('./views/recall/recall-view.tsx'))
const run = createLateViews(() => import('./views/run/run-view.tsx'))
const chart = createLateViews(() => import('./views/chart/chart-view.tsx'))
const activity = createLateViews(() => import('./views/activity/activity-view.tsx'))
const bundle = createLateViews(() => import('./views/bundle/bundle-view.tsx'))
const room = createLateViews(() => import('./views/room/room-view.tsx'))
const storage = createLateViews(() => import('./views/trust/storage-views.ts'))
const sync = createLateViews(() => import('./views/sync/sync-views.ts'))
const consent = createLateViews(() => import('./views/consent/consent-views.ts'))
const continuity = createLateViews(() => import('./views/continuity/continuity-views.ts'))
const pool = createLateViews(() => import('./views/pool/pool-views.ts'))

const dialogs = createLateViews(() => import('./late-dialogs.ts'))

const Recall = recall.view('RecallView')

export const lateViews: Partial<Record<View, ComponentType>> = {
  runs: run.view('RunView'),
  activity: activity.view('ActivityView'),
  charts: chart.view('ChartView'),
  recall: Recall,
  legs: Recall,
  context: Recall,
  bundles: bundle.view('BundleView'),
  personas: continuity.view('PersonaView'),
  days: continuity.view('DayView'),
  collections: continuity.view('CollectionView'),
  snapshots: continuity.view('SnapshotView'),
  room: room.view('RoomView'),
  pool: pool.view('ProposalView'),
  poolClaws: pool.view('ClawView'),
  poolAudit: pool.view('PoolAuditView'),
  approvals: consent.view('ApprovalView'),
  memories: consent.view('MemoryView'),
  policies: consent.view('PolicyView'),
  accessLog: consent.view('AccessLogView'),
  tasks: sync.view('TaskView'),
  sync: sync.view('SyncView'),
  storage: storage.view('StorageView'),
}

/** The page after the book was erased. */
export const ErasedPage = storage.view('ErasedPage')

export const lateDialogs: Record<Exclude<DialogName, 'palette'>, ComponentType> = {
  admit: dialogs.dialog('AdmitDialog', MissingDialog),
  books: dialogs.dialog('BooksDialog', MissingDialog),
  edit: dialogs.dialog('EditDialog', MissingDialog),
  grant: dialogs.dialog('GrantDialog', MissingDialog),
  help: dialogs.dialog('HelpDialog', MissingDialog),
  paste: dialogs.dialog('PasteDialog', MissingDialog),
  revoke: dialogs.dialog('RevokeDialog', MissingDialog),
  places: dialogs.dialog('PlacesDialog', MissingDialog),
  schema: dialogs.dialog('SchemaDialog', MissingDialog),
  settings: dialogs.dialog('SettingsDialog', MissingDialog),
}

export const ForgetDialog = dialogs.dialog('ForgetDialog', MissingDialog)

/** Fetches the code of all of them, one after the other, while the page has nothing else to do. */
export async function loadLateViews(): Promise<void> {
  const sinceMs = performance.now()
  for (const { load } of [
    openRecord,
    dialogs,
    { load: loadCommands },
    recall,
    run,
    activity,
    chart,
    sync,
    consent,
    continuity,
    pool,
    bundle,
    storage,
    room,
  ]) {
    await idle(sinceMs)
    await load()
  }
}

function MissingDialog() {
  const close = () => {
    closeDialog()
    forgetQuestion.value = undefined
  }
  return (
    <Dialog title="Not loaded" onClose={close} bare>
      <MissingView />
    </Dialog>
  )
}

/** The idle time between two frames is shorter; this much is free only when nothing moves. */
const restMs = 30
/** A page where something always moves has no such rest. */
const patienceMs = 2000

/** When nothing moves, and after a while in any pause. WebKit has no `requestIdleCallback`. */
const idle = (sinceMs: number) =>
  new Promise<void>((resolve) => {
    const look = (deadline: IdleDeadline) => {
      if (deadline.timeRemaining() > restMs || performance.now() - sinceMs > patienceMs) resolve()
      else requestIdleCallback(look)
    }
    if ('requestIdleCallback' in globalThis) requestIdleCallback(look)
    else setTimeout(resolve)
  })
