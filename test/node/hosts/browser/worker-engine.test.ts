// The workers of several pages of one origin, with all of their code except the browser's storage.
import { beforeAll, expect, it, vi } from 'vitest'
import { sharedName } from '../../../../src/hosts/browser/tab/tab-wire.ts'
import { codeOf, failRemovals, hasBook, loadSqlite, openings, openWorker } from './worker-origin.ts'

vi.mock('../../../../src/hosts/browser/storage/load-sqlite.ts', async () => {
  const { loadSqlite } = await import('./worker-origin.ts')
  return { loadSqlite, combiner: undefined }
})
vi.mock('../../../../src/hosts/browser/storage/book-storage.ts', async (importOriginal) => {
  const { openBookStorage } = await import('./worker-origin.ts')
  return { ...(await importOriginal<object>()), openBookStorage }
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

const old = { passphrase: 'correct horse battery' }
const next = { passphrase: 'another long passphrase' }
const stateOf = async (tab: Awaited<ReturnType<typeof openWorker>>) => {
  const reply = await tab.call('seal:status')
  return reply.ok ? (reply.value as { state: string }).state : reply.error.code
}

it('stays locked after seal.lock in the next turn of its tab, and is unlocked in it after seal.unlock', async () => {
  const tab = await openWorker('turns', old)
  await tab.call('kstar:store_perception', { content: 'Takes insulin', sensitivity: 'sensitive' })
  const shared = new BroadcastChannel(sharedName('turns'))
  const takeTurn = async () => {
    const before = openings('turns')
    shared.postMessage({ type: 'yield' })
    await expect.poll(() => openings('turns')).toBe(before + 1)
  }
  await takeTurn()
  expect(await stateOf(tab)).toBe('open')
  expect(codeOf(await tab.call('seal:lock'))).toBe('ok')
  await takeTurn()
  expect(await stateOf(tab)).toBe('locked')
  expect(codeOf(await tab.call('seal:unlock', old))).toBe('ok')
  expect(codeOf(await tab.call('seal:guard', next))).toBe('ok')
  await takeTurn()
  expect(await stateOf(tab)).toBe('open')
  shared.close()
  await tab.worker.close(false)
})

it('stays locked after seal.lock in another tab, also for a page that slept then', async () => {
  const first = await openWorker('others', old)
  await first.call('kstar:store_perception', { content: 'Takes insulin', sensitivity: 'sensitive' })
  const second = await openWorker('others', old)
  expect(codeOf(await first.call('seal:lock'))).toBe('ok')
  await first.worker.close(true)
  await expect.poll(() => stateOf(second)).toBe('locked')
  const back = await openWorker('others', { ...old, isBack: true })
  expect([back.opened.ok, await stateOf(back), await stateOf(second)]).toEqual([true, 'locked', 'locked'])
  // The page wakes as the owner.
  await second.worker.close(false)
  await back.worker.close(true)
  const alone = await openWorker('others', { ...old, isBack: true })
  expect(await stateOf(alone)).toBe('locked')
  expect(codeOf(await alone.call('seal:unlock', old))).toBe('ok')
  await alone.worker.close(true)
  const open = await openWorker('others', { ...old, isBack: true })
  expect(await stateOf(open)).toBe('open')
  expect(codeOf(await open.call('seal:lock'))).toBe('ok')
  // A page that opens the book afresh opens its keys.
  const fresh = await openWorker('others', old)
  expect([await stateOf(fresh), await stateOf(open)]).toEqual(['open', 'open'])
  for (const tab of [fresh, open]) await tab.worker.close(false)
})

it('is opened by a page that wakes beside an owner that was not locked, but has no passphrase', async () => {
  const first = await openWorker('without', old)
  await first.call('kstar:store_perception', { content: 'Takes insulin', sensitivity: 'sensitive' })
  const second = await openWorker('without')
  await first.worker.close(true)
  await expect.poll(() => stateOf(second)).toBe('locked')
  const back = await openWorker('without', { ...old, isBack: true })
  expect([await stateOf(back), await stateOf(second)]).toEqual(['open', 'open'])
  for (const tab of [back, second]) await tab.worker.close(false)
})

it('is locked, and not lost, after a sleep in which its passphrase changed', async () => {
  const first = await openWorker('slept', old)
  await first.call('kstar:store_perception', { content: 'Takes insulin', sensitivity: 'sensitive' })
  await first.call('seal:guard', next)
  await first.worker.close(true)
  const back = await openWorker('slept', { ...old, isBack: true })
  expect([back.opened.ok, await stateOf(back)]).toEqual([true, 'locked'])
  expect(codeOf(await back.call('seal:unlock', next))).toBe('ok')
  await back.worker.close(false)
  // The first opening of a page reports a wrong passphrase.
  const fresh = await openWorker('slept', old)
  expect(fresh.opened).toMatchObject({ ok: false, error: { code: 'wrong-passphrase' } })
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
