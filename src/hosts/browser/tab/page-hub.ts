// Joins the hub of this origin: a SharedWorker, which only pages can start.
import { isOfPage, scriptAddress } from '../page-script.ts'

/**
 * Returns a port to the hub; undefined without SharedWorker: then tabs use channels only. `assets`: URL of
 * the folder with its script.
 */
export function joinHub(assets: string | undefined): MessagePort | undefined {
  try {
    const address = scriptAddress('tab-hub.js', assets, import.meta.url)
    // A script of another origin needs a blob URL in each tab, so each tab would start its own worker instead
    // of sharing a hub.
    if (address !== undefined && !isOfPage(address)) return undefined
    if (address !== undefined) return new SharedWorker(address, { type: 'module', name: 'daybook-tabs' }).port
    // Don't change this form: bundlers recognize only it, and webpack distinguishes this worker from the
    // book's worker by `name`.
    return new SharedWorker(new URL('./tab-hub.ts', import.meta.url), {
      type: 'module',
      name: 'daybook-tabs',
    }).port
  } catch {
    return undefined
  }
}
