// The hub of this origin: a SharedWorker, which only pages can start.
import { isOfPage, scriptAddress } from '../page-script.ts'

/** Undefined without SharedWorker: tabs then use channels only. `assets`: the folder with its script. */
export function joinHub(assets: string | undefined): MessagePort | undefined {
  try {
    const address = scriptAddress('tab-hub.js', assets, import.meta.url)
    // A script of another origin would need an importing copy in each tab: separate workers, not one hub.
    if (address !== undefined && !isOfPage(address)) return undefined
    if (address !== undefined) return new SharedWorker(address, { type: 'module', name: 'daybook-tabs' }).port
    // Bundlers look for exactly this form; webpack distinguishes it from the book's worker by name.
    return new SharedWorker(new URL('./tab-hub.ts', import.meta.url), {
      type: 'module',
      name: 'daybook-tabs',
    }).port
  } catch {
    return undefined
  }
}
