// Registers the page's service worker, which sends what waits for the edge when the page is closed. Where the browser
// wants none, everything else works as without it.

export async function registerServiceWorker(): Promise<void> {
  const script = import.meta.env['MODE'] === 'production' ? '/service-worker.js' : '/service-worker.ts'
  try {
    await navigator.serviceWorker?.register(script, { type: 'module' })
  } catch {
    // The view of sync says that nothing is sent with no page open.
  }
}
