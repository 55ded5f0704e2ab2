// Services of the page that main.tsx starts: its title, its service worker, files that the system hands to the installed app.
import { effect } from '@preact/signals'
import { placeOf, viewNames } from '../kind/view.ts'
import { oneLine } from '../wording/text-word.ts'
import { address, bookName, defaultBook } from './address.ts'
import { detail } from './record/record-detail.ts'
import { shareCache, skipMessage } from '../offline/page-cache.ts'
import { tell } from '../page/toast.ts'
import { importFiles } from './bundle/import.ts'

/** `Facts`, and where a view is one of several of a place that is called otherwise, `Context, Recall`. */
function viewTitle(): string {
  const { view } = address.value
  const place = placeOf(view)
  const own = viewNames[view]
  return place.views.length === 1 || own === place.name ? place.name : `${own}, ${place.name}`
}

/** From now on the title says where the reader is. */
export function followTitle(): void {
  effect(() => {
    const open = detail.value
    const record =
      open.state === 'shown' && open.id === address.value.id
        ? [oneLine(open.shown.kind.row(open.shown.secrets?.record ?? open.shown.record).title, 80)]
        : []
    const book = bookName === defaultBook ? [] : [bookName]
    document.title = [...record, viewTitle(), ...book, 'Daybook'].join(' · ')
  })
}

const dayMs = 86_400_000
const takeoverMs = 3000

export async function registerServiceWorker(): Promise<void> {
  const script = import.meta.env['MODE'] === 'production' ? '/service-worker.js' : '/service-worker.ts'
  try {
    const registration = await navigator.serviceWorker?.register(script, { type: 'module' })
    if (registration) followUpdates(registration)
  } catch {
    // The view of sync says that nothing is sent with no page open.
  }
}

/** Offers a new version. It starts only when the reader reloads, so typed text is not lost. */
function followUpdates(registration: ServiceWorkerRegistration): void {
  const offer = (worker: ServiceWorker) => {
    const use = () => {
      const reload = () => location.reload()
      navigator.serviceWorker.addEventListener('controllerchange', reload, { once: true })
      worker.postMessage(skipMessage)
      // The browser waits while the worker before it still has work. The page loads from the network meanwhile.
      setTimeout(reload, takeoverMs)
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

interface LaunchQueue {
  setConsumer(take: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void
}

/** Starts to import files that the system hands to the app. */
export function takeHandedFiles(): void {
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue }
  launchQueue?.setConsumer(({ files = [] }) => {
    if (files.length > 0) void Promise.all(files.map((handle) => handle.getFile())).then(importFiles)
  })
  const address = new URL(location.href)
  if (!address.searchParams.has('shared')) return
  address.searchParams.delete('shared')
  history.replaceState(null, '', address)
  void takeShared()
}

/** Takes up what the service worker has laid down. */
async function takeShared(): Promise<void> {
  const cache = await caches.open(shareCache)
  const files = await Promise.all(
    (await cache.keys()).map(async (request) => {
      const answer = await cache.match(request)
      await cache.delete(request)
      const name = decodeURIComponent(answer?.headers.get('x-name') ?? 'shared.md')
      return answer && new File([await answer.blob()], name)
    }),
  )
  importFiles(files.filter((file) => file !== undefined))
}
