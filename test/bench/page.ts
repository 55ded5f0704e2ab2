// The one page of the bench; its address says what it measures: `?store`.

/** Loaded when asked for, so that a page holds no more than it needs. */
const pages: Readonly<Record<string, () => Promise<{ readonly bench: object }>>> = {
  store: () => import('./store-page.ts'),
  search: () => import('./search-page.ts'),
  vector: () => import('./vector-page.ts'),
  embedding: () => import('./embedding-page.ts'),
  sync: () => import('./sync-page.ts'),
  tabs: () => import('./tabs-page.ts'),
  consent: () => import('./consent-page.ts'),
  pool: () => import('./pool-page.ts'),
}

// Not waited for: what it needs may stand in the file of this module, which would wait for itself.
void pages[location.search.slice(1)]?.().then(({ bench }) => Object.assign(globalThis, { bench }))
