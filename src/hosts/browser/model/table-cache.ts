// Fetches the table of the embedder `meaning` in a book's worker, and stores it in the browser's cache for offline use.
// Invariants: bytes that are not the right table are neither used nor stored. Without a connection the call waits for one.
import { neverAborted } from '../../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { Embedder } from '../../../core/ports.ts'
import {
  forbiddenTableError,
  tableStatusError,
  unreachedText,
} from '../../../recall/embed/meaning/table-fault.ts'
import type { TableRequest } from '../../../recall/embed/meaning/table-host.ts'
import { localFetch } from '../port/local-network.ts'

const cacheName = 'daybook-meaning'
/** Tables of other addresses that stay: two versions of an app may share an origin. */
const maxTables = 2
/** A download without progress for this long fails. */
const stallMs = 30_000
/** Pauses between attempts without a connection: the first, doubled with each, and the longest. */
const firstPauseMs = 2000
const maxPauseMs = 60_000
const assetsHint =
  'With esbuild or Bun, copy it with `npx daybook assets <folder>` and use `meaning({ assets })`.'
/** Bytes between two reports of progress. */
const reportBytes = 262_144

/** A policy that forbids a request is reported within this time after the request failed. */
const policyReportMs = 50

/** Addresses whose file was wrong at the last attempt. */
const wrongAddresses = new Set<string>()

/** Rejects with `embedder-failed` for an answer that is no table, with `aborted` when the embedder closes. */
export async function readTable(request: TableRequest): Promise<Uint8Array> {
  const { url = '', check, signal } = request
  const cache = await openCache()
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if (signal.aborted) throw new DaybookError('aborted')
    // Another tab may have stored it since.
    const copy = await readCopy(cache, url, check)
    if (copy) return copy
    const policy = watchPolicy(url)
    const bytes = await fetchTable(request)
      .catch(async (error: unknown) => {
        // `fetch` rejects with a `TypeError` without a connection, and for a forbidden request.
        if (!(error instanceof TypeError)) throw error
        if (await policy.forbids()) throw forbiddenTableError(url)
        const { onLine: isOnline } = navigator
        request.onProgress({
          done: 0,
          total: 0,
          why: unreachedText({ url, origin: globalThis.origin, isOnline }),
        })
        return undefined
      })
      .finally(() => policy.end())
    if (bytes) {
      await store(cache, url, bytes)
      return bytes
    }
    await connectionOrTime(pauseMs, signal)
  }
}

/** Watches whether the Content Security Policy of this worker forbids a request to `url`. */
function watchPolicy(url: string): { forbids(): Promise<boolean>; end(): void } {
  let isForbidden = false
  const note = ({ blockedURI }: Event & { readonly blockedURI?: string }) => {
    isForbidden ||= blockedURI !== undefined && blockedURI !== '' && url.startsWith(blockedURI)
  }
  addEventListener('securitypolicyviolation', note)
  return {
    async forbids() {
      if (!isForbidden) await new Promise((resolve) => setTimeout(resolve, policyReportMs))
      return isForbidden
    },
    end: () => removeEventListener('securitypolicyviolation', note),
  }
}

/**
 * Fetches and stores a table that is not stored yet, and loads the code that reads it. Without `embedder`, as in a tab that
 * doesn't own the book, only the code. After a failure the first text tries again, and its book reports the error.
 */
export async function loadAhead(url: string, embedder: Pick<Embedder, 'embed'> | undefined): Promise<void> {
  try {
    const stored = await (await openCache())?.match(url)
    if (embedder && !stored) await embedder.embed([], 'document', neverAborted)
    else await import('../../../recall/embed/meaning/meaning-reader.ts')
  } catch {
    // See above.
  }
}

/** Undefined where the browser has no cache: insecure pages, and sandboxed frames. */
const openCache = async (): Promise<Cache | undefined> => {
  try {
    return await globalThis.caches?.open(cacheName)
  } catch {
    return undefined
  }
}

async function readCopy(
  cache: Cache | undefined,
  url: string,
  check: TableRequest['check'],
): Promise<Uint8Array | undefined> {
  try {
    const response = await cache?.match(url)
    if (!response) return undefined
    const bytes = new Uint8Array(await response.arrayBuffer())
    check(bytes)
    return bytes
  } catch {
    // Damaged, or of another version: it is fetched again.
    return undefined
  }
}

/** Also without space for a copy the table is used. */
async function store(cache: Cache | undefined, url: string, bytes: Uint8Array): Promise<void> {
  try {
    await cache?.put(url, new Response(bytes as Uint8Array<ArrayBuffer>))
    const stored = (await cache?.keys()) ?? []
    for (const old of stored.slice(0, Math.max(0, stored.length - maxTables))) await cache?.delete(old)
  } catch {
    // It is fetched again the next time.
  }
}

async function fetchTable(request: TableRequest): Promise<Uint8Array> {
  const { url = '' } = request
  const wasWrong = wrongAddresses.has(url)
  // After a wrong file, the server is only asked whether it has another one since.
  const bytes = await download(request, wasWrong ? 'no-cache' : 'default')
  try {
    request.check(bytes)
    wrongAddresses.delete(url)
    return bytes
  } catch (error) {
    if (!isDaybookError(error) || wasWrong) throw error
  }
  wrongAddresses.add(url)
  // A cache of the browser or on the way may have the file of an earlier version.
  const newest = await download(request, 'reload')
  request.check(newest)
  wrongAddresses.delete(url)
  return newest
}

async function download(
  { url = '', signal, onProgress }: TableRequest,
  cache: RequestCache,
): Promise<Uint8Array> {
  const abort = new AbortController()
  signal.addEventListener('abort', () => abort.abort(), { once: true })
  let stallTimer: ReturnType<typeof setTimeout> | undefined
  const restartStallTimer = () => {
    clearTimeout(stallTimer)
    stallTimer = setTimeout(() => abort.abort(), stallMs)
  }
  const report = (done: number, total: number) => {
    const megabytes = total > 0 ? `: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB` : ''
    onProgress({ done, total, why: `Its table is being loaded${megabytes}.` })
  }
  restartStallTimer()
  try {
    report(0, 0)
    const response = await localFetch(url, { cache, credentials: 'same-origin', signal: abort.signal })
    if (!response.ok || !response.body) throw tableStatusError(url, response.status, assetsHint)
    const total = response.headers.has('content-encoding')
      ? 0
      : Number(response.headers.get('content-length') ?? 0)
    const parts: Uint8Array<ArrayBuffer>[] = []
    let done = 0
    let reported = 0
    const reader = response.body.getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      restartStallTimer()
      parts.push(part.value)
      done += part.value.length
      if (done - reported >= reportBytes) report((reported = done), total)
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer())
  } catch (cause) {
    if (signal.aborted) throw new DaybookError('aborted', undefined, { cause })
    if (abort.signal.aborted)
      throw new DaybookError('embedder-failed', 'Loading its table has come to a halt.', { cause })
    throw cause
  } finally {
    clearTimeout(stallTimer)
  }
}

/** Resolves when the browser has a connection again, or after `pauseMs`. */
function connectionOrTime(pauseMs: number, signal: TableRequest['signal']): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, pauseMs)
    addEventListener('online', end)
    signal.addEventListener('abort', end, { once: true })
  })
}
