// A book that closes or is erased while a file with its keys is written, on a slow disk: it waits for that file.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

/** Waits before a file gets the name `slow.target`; `reached` resolves when that begins. */
const slow = vi.hoisted(() => ({
  target: '',
  reached: Promise.withResolvers<void>(),
  free: Promise.withResolvers<void>(),
}))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  const wait = (work: (from: string, to: string) => Promise<void>) => async (from: string, to: string) => {
    if (to === slow.target) {
      slow.reached.resolve()
      await slow.free.promise
    }
    await work(from, to)
  }
  return { ...real, rename: wait(real.rename), link: wait(real.link) }
})

const root = mkdtempSync(join(tmpdir(), 'daybook-key-write-'))
afterEach(() => {
  slow.free.resolve()
  slow.target = ''
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function slowDown(target: string): void {
  slow.reached = Promise.withResolvers()
  slow.free = Promise.withResolvers()
  slow.target = target
}

const newPath = () => join(mkdtempSync(join(root, 'book-')), 'garden.daybook')
const open = (path: string, share: boolean) => openDaybook({ name: 'garden', path, share })
const sealed = { id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' } as const
const moment = () => new Promise((resolve) => setTimeout(resolve, 50))

it.each([true, false])(
  'keeps the lock until the keys are written: the next opening finds the new ones (shared: %s)',
  async (share) => {
    const path = newPath()
    const book = await open(path, share)
    await book.perceptions.store(sealed)
    const before = (await book.seal.status()).current
    slowDown(`${path}.vault`)
    const rotation = book.seal.rotate().catch(() => undefined)
    await slow.reached.promise
    let isClosed = false
    const closing = book.close().then(() => (isClosed = true))
    await moment()
    expect(isClosed).toBe(false)
    expect((await failure(open(path, false))).code).toBe('open-elsewhere')
    slow.free.resolve()
    await closing
    await rotation
    expect(readdirSync(dirname(path)).filter((name) => /vault\./.test(name))).toEqual([])
    await using next = await open(path, share)
    expect(await next.records.get({ id: 'shut' })).toMatchObject({ content: 'Takes insulin' })
    const { current, others } = await next.seal.status()
    expect([current === before, others]).toEqual([false, [before]])
  },
)

it.each(['.vault', '.key'])('an erasure leaves no %s that was being written', async (suffix) => {
  const path = newPath()
  const book = await open(path, true)
  slowDown(path + suffix)
  const writing =
    suffix === '.vault'
      ? book.perceptions.store(sealed).catch(() => undefined)
      : book.tokens
          .grant({ scope: '**', permissions: ['read'], granted_to: 'x', expires_at: '2099-01-01' })
          .catch(() => undefined)
  await slow.reached.promise
  const erasing = book.erase({ confirm: 'garden' })
  await moment()
  expect(existsSync(path)).toBe(true)
  slow.free.resolve()
  await erasing
  await writing
  await moment()
  expect(readdirSync(dirname(path))).toEqual([])
})
