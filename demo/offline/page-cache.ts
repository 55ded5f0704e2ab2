// The copy of the page in the service worker, so that it starts without a network: all files of a build, under the revision of
// that build. Invariants: only files of the page are stored and answered from here, never answers of the edge; a copy is
// replaced as a whole or not at all.

export interface Precache {
  /** Of all that the build has. */
  readonly revision: string
  /** Paths below the page, the page itself as the empty one. */
  readonly files: readonly string[]
}

interface WorkerScope {
  readonly registration: { readonly scope: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
}
interface WorkEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface FetchEvent extends WorkEvent {
  readonly request: Request
  respondWith(answer: Promise<Response>): void
}

export const skipMessage = 'use-new-version'
export const shareCache = 'inspector-shared'
const prefix = 'inspector-page-'
/** A slower network counts as none. */
const patienceMs = 4000

/** Stores the page and answers with it. Call it in the first run of the service worker. */
export function servePage({ revision, files }: Precache): void {
  const scope = globalThis as unknown as WorkerScope
  const base = scope.registration.scope
  const name = `${prefix}${revision}`
  const urls = new Set(files.map((file) => new URL(file, base).href))

  addEventListener('install', (event) => {
    const keep = async () => {
      const cache = await caches.open(name)
      await cache.addAll([...urls].map((url) => new Request(url, { cache: 'no-cache' })))
    }
    ;(event as WorkEvent).waitUntil(keep())
  })
  addEventListener('activate', (event) => {
    const clean = async () => {
      const old = (await caches.keys()).filter((one) => one.startsWith(prefix) && one !== name)
      await Promise.all(old.map((one) => caches.delete(one)))
      await scope.clients.claim()
    }
    ;(event as WorkEvent).waitUntil(clean())
  })
  addEventListener('message', ({ data }) => {
    if (data === skipMessage) void scope.skipWaiting()
  })
  addEventListener('fetch', (fetched) => {
    const event = fetched as FetchEvent
    const { request } = event
    const url = new URL(request.url)
    if (request.method === 'POST' && url.href === new URL('share', base).href)
      event.respondWith(takeShare(request, base))
    else if (request.method !== 'GET' || url.origin !== new URL(base).origin) return
    else if (url.origin + url.pathname === base) event.respondWith(pageFirst(request, name, base))
    else if (urls.has(url.href)) event.respondWith(cacheFirst(request, name))
  })
}

/** The page from the network; without one, from the copy. */
async function pageFirst(request: Request, name: string, base: string): Promise<Response> {
  const cache = await caches.open(name)
  try {
    const answer = await fetch(request.url, { cache: 'no-cache', signal: AbortSignal.timeout(patienceMs) })
    if (answer.ok) return answer
    return (await cache.match(base)) ?? answer
  } catch (error) {
    const found = await cache.match(base)
    if (found) return found
    throw error
  }
}

async function cacheFirst(request: Request, name: string): Promise<Response> {
  return (await (await caches.open(name)).match(request.url)) ?? fetch(request)
}

/** Stores shared files for the page, and redirects to it. */
async function takeShare(request: Request, base: string): Promise<Response> {
  const form = await request.formData()
  const cache = await caches.open(shareCache)
  const texts = ['title', 'text', 'url'].flatMap((name) => {
    const value = form.get(name)
    return typeof value === 'string' && value !== '' ? [value] : []
  })
  const files = form.getAll('files').filter((one) => one instanceof File)
  if (texts.length > 0) files.push(new File([texts.join('\n\n')], 'shared.md', { type: 'text/markdown' }))
  await Promise.all(
    files.map((file) => {
      const headers = { 'content-type': file.type, 'x-name': encodeURIComponent(file.name) }
      return cache.put(new URL(`shared/${crypto.randomUUID()}`, base).href, new Response(file, { headers }))
    }),
  )
  return Response.redirect(`${base}?shared`, 303)
}
