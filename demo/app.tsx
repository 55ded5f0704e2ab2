// The shell of the inspector: rail, view, status bar, dialogs, trays and the live region.
import type { ComponentType } from 'preact'
import { DropTarget } from './parts/drop-target.tsx'
import { focusList, listElement, viewElement } from './state/act/focus.ts'
import { forgetQuestion } from './state/act/forget.ts'
import { address, listedKind } from './state/address.ts'
import { announcement } from './page/toast.ts'
import { book, opening } from './state/book.ts'
import { type DialogName, openDialog } from './state/dialog.ts'
import { importFiles } from './state/bundle/import.ts'
import { status } from './state/status.ts'
import type { View } from './kind/view.ts'
import { ErasedPage, ForgetDialog, lateDialogs, lateViews } from './late-views.tsx'
import { ImportTray, ToastTray } from './views/shell/trays.tsx'
import { OpeningPage } from './views/shell/opening-page.tsx'
import { Palette } from './views/shell/palette.tsx'
import { Rail } from './views/shell/rail.tsx'
import { RecordView } from './views/record/record-view.tsx'
import { StatusBar } from './views/shell/status-bar.tsx'

const views: Partial<Record<View, ComponentType>> = lateViews
const dialogs: Record<DialogName, ComponentType> = { palette: Palette, ...lateDialogs }

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
        {!isOpen && (opening.value.state === 'erased' ? <ErasedPage /> : <OpeningPage />)}
        {isOpen && listedKind.value && <RecordView kind={listedKind.value} />}
        {isOpen && Shown && <Shown />}
      </main>
      <StatusBar />
      <section class="trays" aria-label="Notices">
        <ImportTray />
        <ToastTray />
      </section>
      {Open && <Open />}
      {forgetQuestion.value && <ForgetDialog />}
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
