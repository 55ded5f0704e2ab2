// The verbs of a browser's worker, which loads most of them when needed.
import { chapterList, createLaterTable } from '../../engine/later-chapters.ts'
import { browserPorts } from './port/browser-ports.ts'

/** The table of all verbs; `loadAll` loads those that are not loaded yet. */
export const laterChapters = createLaterTable(chapterList, browserPorts.scheduler)
