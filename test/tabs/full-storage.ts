// A storage that is full, in a real Chromium: what it may hold, and how it gets there.
import { defined } from '../../src/core/defined.ts'
import type { Tab } from './open-tabs.ts'

/** Stores records of 300 KB until one is refused; their ids, and the code. */
export const fill = (tab: Tab, most: number, words: 'ordinary' | 'random' = 'random') =>
  tab.page.evaluate(
    async ([count, kind]) => {
      const ids: string[] = []
      const random = () => Math.random().toString(36).slice(2, 12)
      const known = Array.from({ length: 1000 }, random)
      const word = () => (kind === 'random' ? random() : (known[Math.floor(Math.random() * 1000)] ?? ''))
      for (let i = 0; i < count; i++) {
        const text = Array.from({ length: 30_000 }, word).join(' ')
        const stored = await globalThis.tab.book?.traces
          .store({
            situation: { domain: 'test.full', actor: 'tab', context: { text } },
            task: { goal: `large ${i}` },
            action: { type: 'write' },
          })
          .catch((error: { code: string }) => error.code)
        if (typeof stored === 'string' || stored === undefined) return { ids, code: stored }
        ids.push(stored.id)
      }
      return { ids, code: undefined }
    },
    [most, words] as const,
  )

/** What the browser gives to the site of the tab; as always, without a number. */
export async function setQuota(tab: Tab, quotaSize?: number): Promise<void> {
  await tab.cdp.send('Storage.overrideQuotaForOrigin', {
    origin: new URL(tab.page.url()).origin,
    ...defined({ quotaSize }),
  })
}

/** Other data of the same site, on which the book did not count. */
export const takeRoom = (tab: Tab, sizeBytes: number) =>
  tab.page.evaluate(async (size) => {
    const request = indexedDB.open('other-data', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('data')
    await new Promise((resolve, reject) => {
      request.onsuccess = resolve
      request.onerror = () => reject(request.error)
    })
    const change = request.result.transaction('data', 'readwrite', { durability: 'strict' })
    const bytes = new Uint8Array(size)
    for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
    change.objectStore('data').put(bytes, 0)
    await new Promise((resolve, reject) => {
      change.oncomplete = resolve
      change.onabort = () => reject(change.error)
    })
    request.result.close()
  }, sizeBytes)
