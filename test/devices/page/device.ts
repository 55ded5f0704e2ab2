// A page with a book, as an app has it: it registers its service worker, unless the address says `?plain`.
import { type Daybook, openDaybook, type OpenOptions } from '../../../src/index.ts'

declare global {
  var book: Daybook | undefined
  var openBook: (options: OpenOptions) => Promise<void>
}

globalThis.openBook = async (options) => {
  globalThis.book = await openDaybook(options)
}

if (location.search !== '?plain')
  await navigator.serviceWorker.register('/service-worker.js', { type: 'module' })
