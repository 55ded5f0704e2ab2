// Where the tabs of this site are brought together: a SharedWorker, that only pages can start.

/** Undefined where there is none: then they speak on channels alone. */
export function joinHub(): MessagePort | undefined {
  try {
    // Word for word as bundlers look for it; webpack knows it by its name from the worker of the book.
    return new SharedWorker(new URL('./tab-hub.ts', import.meta.url), {
      type: 'module',
      name: 'daybook-tabs',
    }).port
  } catch {
    return undefined
  }
}
