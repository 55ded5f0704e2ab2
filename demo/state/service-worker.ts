// Registers the page's service worker, which lets the page start without a network and sends what waits for the edge when it
// is closed. Where the browser wants none, everything else works as without it.
import { skipMessage } from '../offline/page-cache.ts'
import { tell } from '../page/toast.ts'

const dayMs = 86_400_000

export async function registerServiceWorker(): Promise<void> {
  const script = import.meta.env['MODE'] === 'production' ? '/service-worker.js' : '/service-worker.ts'
  try {
    const registration = await navigator.serviceWorker?.register(script, { type: 'module' })
    if (registration) followUpdates(registration)
  } catch {
    // The view of sync says that nothing is sent with no page open.
  }
}

/** Says when a new version is there. It takes over when the reader says so: nothing that is being typed is lost. */
function followUpdates(registration: ServiceWorkerRegistration): void {
  const offer = (worker: ServiceWorker) => {
    const use = () => {
      navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
      worker.postMessage(skipMessage)
    }
    tell('A new version is available.', { word: 'Reload', run: use, stayMs: dayMs })
  }
  const { waiting } = registration
  if (waiting && navigator.serviceWorker.controller) offer(waiting)
  registration.addEventListener('updatefound', () => {
    const { installing } = registration
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed' && navigator.serviceWorker.controller) offer(installing)
    })
  })
}
