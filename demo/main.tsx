// Starts the inspector: draws the page, listens to keys, opens the book that the address names.
import { render } from 'preact'
import { App } from './app.tsx'
import { openFirstBook } from './state/books.ts'
import { isEmbedded } from './state/embedded.ts'
import { isFramedByStranger } from './state/framed.ts'
import { listenToKeys } from './state/act/keyboard.ts'
import { takeHandedFiles } from './state/bundle/handed-files.ts'
import { followTitle } from './state/title.ts'
import { registerServiceWorker } from './state/service-worker.ts'
import { book } from './state/book.ts'
import { loadLateViews } from './late-views.tsx'
import { followChanges } from './state/list/list-change.ts'
import { countSearches } from './state/list/search-count.ts'
import './style/section/room.css'
import './style/base/token.css'
import './style/base/base.css'
import './style/shell.css'
import './style/control.css'
import './style/list.css'
import './style/detail.css'
import './style/section/recall.css'
import './style/page.css'
import './style/record.css'
import './style/schema.css'
import './style/chart.css'
import './style/example.css'
import './style/bundle.css'
import './style/context.css'
import './style/grant.css'
import './style/section/sync.css'
import './style/section/consent.css'
import './style/section/continuity.css'
import './style/section/pool.css'
import './style/section/run.css'
import './style/section/activity.css'
import './style/section/time-chart.css'
import './style/overlay.css'
import './style/base/adapt.css'

const root = document.querySelector('#app')
if (root && isFramedByStranger)
  root.textContent =
    'A page of another origin shows this inspector in a frame. Open it in a window of its own.'
else if (root) {
  // First of all: it starts in a worker while the page is drawn.
  void openFirstBook()
  render(<App />, root)
  listenToKeys()
  followChanges()
  countSearches()
  followTitle()
  takeHandedFiles()
  if (!isEmbedded) void registerServiceWorker()
  // The book first: what is not shown yet takes nothing from its opening.
  const stop = book.subscribe((open) => {
    if (!open) return
    queueMicrotask(() => stop())
    // Answered after what the view asked for.
    open.status().then(loadLateViews, () => undefined)
  })
}
