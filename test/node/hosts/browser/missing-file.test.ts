// The files that a page needs to open a book: the error for a missing one says that a later opening may succeed.
import sqlite3InitModule, { type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { afterEach, expect, it, vi } from 'vitest'
import { type LinkRequest, WorkerLink } from '../../../../src/hosts/browser/page/worker-link.ts'
import { failure } from '../../../contract/book-case.ts'

vi.mock('@sqlite.org/sqlite-wasm', () => ({ default: vi.fn<() => unknown>() }))

afterEach(() => vi.unstubAllGlobals())

it('is `part-unavailable` without the file of SQLite, and the next call loads it', async () => {
  const sqlite3 = {} as Sqlite3Static
  vi.mocked(sqlite3InitModule).mockRejectedValue(new Error('both async and sync fetching of the wasm failed'))
  // The module loads SQLite at once.
  const { loadSqlite } = await import('../../../../src/hosts/browser/storage/load-sqlite.ts')
  expect(await failure(loadSqlite())).toMatchObject({
    code: 'part-unavailable',
    retry: true,
    details: { part: 'sqlite3' },
  })
  vi.mocked(sqlite3InitModule).mockResolvedValue(sqlite3)
  expect(await loadSqlite()).toBe(sqlite3)
})

/** The page's end of a worker, whose script runs here. */
function openLink() {
  const worker = Object.assign(new EventTarget(), {
    postMessage: () => undefined,
    terminate: vi.fn<() => void>(),
  })
  vi.stubGlobal('postMessage', (data: unknown) => worker.dispatchEvent(new MessageEvent('message', { data })))
  vi.stubGlobal('reportError', ({ message }: Error) =>
    worker.dispatchEvent(Object.assign(new Event('error'), { message, filename: 'worker.js' })),
  )
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('removeEventListener', () => undefined)
  const link = new WorkerLink(worker as unknown as Worker, () => undefined)
  return { worker, opening: failure(link.open({} as LinkRequest, () => undefined)) }
}

it.each([
  ['TypeError: Failed to fetch dynamically imported module: https://a/worker-start-1.js', 'part-unavailable'],
  ['TypeError: error loading dynamically imported module: https://a/worker-start-1.js', 'part-unavailable'],
  ['TypeError: Importing a module script failed.', 'part-unavailable'],
  ['TypeError: x is not a function', 'engine-died'],
  ['SyntaxError: Cannot use import statement outside a module', 'engine-died'],
])('ends the opening after "%s" with `%s`', async (text, code) => {
  const [name, message] = text.split(/: (.*)/) as [string, string]
  const error = name === 'TypeError' ? new TypeError(message) : new SyntaxError(message)
  vi.resetModules()
  vi.doMock('../../../../src/hosts/browser/worker/worker-engine.ts', () => ({
    servePage() {
      throw error
    },
  }))
  const { worker, opening } = openLink()
  await import('../../../../src/hosts/browser/worker.ts')
  expect(await opening).toMatchObject({ code, retry: true })
  expect(worker.terminate).toHaveBeenCalledOnce()
})
