// The edge this page may sync with. Its address is fixed when the page is built, because the page's own security
// policy allows no other; whether to sync, and with which key, is the reader's choice and kept in this browser.
import { signal } from '@preact/signals'

const builtFor: string = import.meta.env['VITE_EDGE_URL'] ?? ''

/** Base address of the edge, or undefined when the page was built without one. */
export const edgeUrl =
  builtFor === '' ? undefined : new URL(builtFor, location.origin).href.replace(/\/$/, '')

export interface SyncChoice {
  readonly enabled: boolean
  readonly key: string
}

const place = 'daybook-inspector:sync'
const standard: SyncChoice = { enabled: true, key: 'development' }

function kept(): SyncChoice {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(place) ?? 'null')
    if (typeof found !== 'object' || found === null) return standard
    const { enabled, key } = found as Partial<SyncChoice>
    return { enabled: enabled !== false, key: typeof key === 'string' ? key : standard.key }
  } catch {
    return standard
  }
}

export const syncChoice = signal<SyncChoice>(kept())

export function keepSyncChoice(choice: SyncChoice): void {
  syncChoice.value = choice
  try {
    localStorage.setItem(place, JSON.stringify(choice))
  } catch {
    // Without site data the choice lasts as long as the page.
  }
}
