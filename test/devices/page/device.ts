// A page with a book, as an app has it: it registers its service worker, unless the address says `?plain`.
import { breakBook, evictBook, readBookFiles } from '../../browser/storage/book-file.ts'
import * as daybook from '../../../src/index.ts'
import { type Daybook, openDaybook, type OpenOptions } from '../../../src/index.ts'

declare global {
  var book: Daybook | undefined
  var openBook: (options: OpenOptions) => Promise<void>
  /** What code of the guide imports, by the name that it imports it from. */
  var modules: Readonly<Record<'daybook', typeof daybook>>
  /** Breaks the pages of a closed book that have these words; answers how many there are. */
  var breakPages: (name: string, words: string) => Promise<number>
  /** Those of the words that stand somewhere in the files of the book. */
  var wordsInFiles: (name: string, words: readonly string[]) => Promise<string[]>
  /** Does to a closed book what a browser does that needs room. */
  var evict: (name: string) => Promise<void>
}

globalThis.modules = { daybook }
globalThis.openBook = async (options) => {
  globalThis.book = await openDaybook(options)
}

globalThis.breakPages = async (name, words) => {
  let broken: readonly number[] = []
  await breakBook(name, (pagesWith) => (broken = pagesWith(words)))
  return broken.length
}
globalThis.wordsInFiles = async (name, words) => {
  const text = (await readBookFiles(name)).toLowerCase()
  return words.filter((word) => text.includes(word))
}
globalThis.evict = evictBook

if (location.search !== '?plain')
  await navigator.serviceWorker.register('/service-worker.js', { type: 'module' })
