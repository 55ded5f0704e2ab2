// Where the tabs of this site are brought together: a SharedWorker, that only pages can start.
import { isOfPage, scriptAddress } from '../script/page-script.ts'

/** Undefined where there is none: then they speak on channels alone. `assets`: the folder with its script. */
export function joinHub(assets: string | undefined): MessagePort | undefined {
  try {
    const address = scriptAddress('tab-hub.js', assets, import.meta.url)
    // Of another origin it can't be: a script that imports it would be another one in each tab, and bring nobody together.
    if (address !== undefined && !isOfPage(address)) return undefined
    if (address !== undefined) return new SharedWorker(address, { type: 'module', name: 'daybook-tabs' }).port
    // Word for word as bundlers look for it; webpack knows it by its name from the worker of the book.
    return new SharedWorker(new URL('./tab-hub.ts', import.meta.url), {
      type: 'module',
      name: 'daybook-tabs',
    }).port
  } catch {
    return undefined
  }
}
