// Settings of this browser, not of the book: theme, sync with the edge, connections of the pool.
import { effect, type Signal, signal } from '@preact/signals'

/** A signal whose value this browser keeps; `read` turns the parsed value, or undefined, into a valid setting. */
export function setting<Value>(place: string, read: (found: unknown) => Value): Signal<Value> {
  const key = `daybook-inspector:${place}`
  const value = signal(read(stored(key)))
  let isFirst = true
  effect(() => {
    const text = JSON.stringify(value.value)
    if (!isFirst) store(key, text)
    isFirst = false
  })
  return value
}

function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return undefined
  }
}

function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // Without site data the setting lasts as long as the page.
  }
}

const fieldsOf = (found: unknown) =>
  (typeof found === 'object' && found !== null ? found : {}) as Readonly<Record<string, unknown>>

const themes = ['system', 'light', 'dark'] as const

export const theme = setting('theme', (found) => themes.find((one) => one === found) ?? 'system')

/** System, light, dark, and again. */
export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
}

effect(() => {
  const root = document.documentElement
  if (theme.value === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme.value
})

const builtFor: string = import.meta.env['VITE_EDGE_URL'] ?? ''

/**
 * Base address of the edge; undefined when the page was built without one. The build fixes it, because the page's security
 * policy allows no other.
 */
export const edgeUrl =
  builtFor === '' ? undefined : new URL(builtFor, location.origin).href.replace(/\/$/, '')

export interface SyncChoice {
  readonly enabled: boolean
  readonly key: string
}

export const syncChoice = setting('sync', (found): SyncChoice => {
  const { enabled, key } = fieldsOf(found)
  return { enabled: enabled !== false, key: typeof key === 'string' ? key : 'development' }
})

export interface PoolChoice {
  readonly tabs: boolean
  readonly edge: boolean
}
export type PoolWay = keyof PoolChoice

/** Connections to agents of other books. Default none: an inspector that only looks must not enlarge the majority. */
export const poolChoice = setting('pool', (found): PoolChoice => {
  const { tabs, edge } = fieldsOf(found)
  return { tabs: tabs === true, edge: edge === true }
})
