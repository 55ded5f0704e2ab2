// Starts the inspector: draws the page, listens to keys, opens the book that the address names.
import { render } from 'preact'
import { App } from './app.tsx'
import { openBook } from './state/book.ts'
import { listenToKeys } from './state/act/keyboard.ts'
import { registerServiceWorker } from './state/service-worker.ts'
import { followChanges } from './state/list/list-change.ts'
import './style/token.css'
import './style/base.css'
import './style/shell.css'
import './style/control.css'
import './style/list.css'
import './style/detail.css'
import './style/page.css'
import './style/record.css'
import './style/schema.css'
import './style/chart.css'
import './style/example.css'
import './style/bundle.css'
import './style/context.css'
import './style/grant.css'
import './style/sync.css'
import './style/overlay.css'

const root = document.querySelector('#app')
if (root) {
  render(<App />, root)
  listenToKeys()
  followChanges()
  void openBook()
  void registerServiceWorker()
}
