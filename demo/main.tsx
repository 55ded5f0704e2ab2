// Starts the inspector: draws the page, listens to keys, opens the book of the address.
import { render } from 'preact'
import { App } from './app.tsx'
import { openFirstBook } from './state/books.ts'
import { isEmbedded, isFramedByStranger } from './state/frame.ts'
import { listenToKeys } from './state/act/keyboard.ts'
import { followTitle, registerServiceWorker, takeHandedFiles } from './state/page-start.ts'
import { book } from './state/book.ts'
import { loadLateViews } from './late-views.tsx'
import { countSearches, followChanges } from './state/list/list-change.ts'
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
import './style/explain.css'
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
  // First the book, which starts in a worker while the page is drawn.
  void openFirstBook()
  render(<App />, root)
  listenToKeys()
  followChanges()
  countSearches()
  followTitle()
  takeHandedFiles()
  if (!isEmbedded) void registerServiceWorker()
  // Other views load after the book has opened.
  const stop = book.subscribe((open) => {
    if (!open) return
    queueMicrotask(() => stop())
    // The status comes after the reads of the view.
    open.status().then(loadLateViews, () => undefined)
  })
}
