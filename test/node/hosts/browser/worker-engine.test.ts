// The workers of several pages of one origin, with all of their code except the browser's storage.
import { beforeAll, expect, it, vi } from 'vitest'
import { codeOf, failRemovals, hasBook, loadSqlite, openWorker } from './worker-origin.ts'

vi.mock('../../../../src/hosts/browser/storage/load-sqlite.ts', async () => {
  const { loadSqlite } = await import('./worker-origin.ts')
  return { loadSqlite, combiner: undefined }
})
vi.mock('../../../../src/hosts/browser/storage/book-storage.ts', async () => {
  const { openBookStorage } = await import('./worker-origin.ts')
  return { openBookStorage, openMemoryDatabase: () => undefined }
})
vi.mock('../../../../src/hosts/browser/storage/erase-book.ts', async () => {
  const { finishErasing, markErasing, removeBook } = await import('./worker-origin.ts')
  return { finishErasing, markErasing, removeBook }
})
vi.mock('../../../../src/hosts/browser/key/vault-store.ts', async () => {
  const { openBrowserVault } = await import('./worker-origin.ts')
  return { openBrowserVault }
})

beforeAll(async () => {
  vi.stubGlobal('addEventListener', () => undefined)
  // Not undone: a worker may remove its listener after the last test.
  vi.stubGlobal('removeEventListener', () => undefined)
  await loadSqlite()
})

it('ends an erased book in every tab before one of them can create it again', async () => {
  const tabs = [await openWorker('whole'), await openWorker('whole'), await openWorker('whole')]
  expect(codeOf(await tabs[1]?.call('daybook:erase', { confirm: 'whole' }))).toBe('ok')
  for (const tab of tabs) await expect.poll(tab.closed).toEqual(['book-erased'])
  expect(hasBook('whole')).toBe(false)
})

it('ends the book in every tab if an erasure fails midway, and the next opening finishes it', async () => {
  const first = await openWorker('midway')
  const others = [await openWorker('midway'), await openWorker('midway')]
  expect(codeOf(await first.call('kstar:store_perception', { content: 'Likes fog' }))).toBe('ok')
  failRemovals(1)
  expect(codeOf(await first.call('daybook:erase', { confirm: 'midway' }))).toBe('storage-failed')
  for (const one of [first, ...others]) {
    await expect.poll(one.closed).toEqual(['book-erased'])
    expect(codeOf(await one.call('kstar:query_perceptions'))).toBe('book-erased')
  }
  const again = await openWorker('midway')
  expect(await again.call('kstar:query_perceptions')).toMatchObject({ ok: true, value: { records: [] } })
  await again.worker.close(false)
})
