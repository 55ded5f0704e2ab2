// A disk that is really full below a real Chromium: its whole profile is on a small file system, and another program takes
// every byte that is left, again after each step. The book can still be read, emptied and opened, and says what it can't do.
// Chromium's own database of quotas is on another disk: when Chromium can't write it for 30 seconds, it drops the site's data.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mountDisk, type SmallDisk, whyNoMount } from '../support/small-disk.ts'
import { fill } from './full-storage.ts'
import { openTabs, type Tab } from './open-tabs.ts'

const why = whyNoMount()
if (why !== undefined) process.stderr.write(`The tests of a full disk are left out: ${why}\n`)

/** What is on the disk that has these words. */
function filesWith(disk: SmallDisk, words: string): string[] {
  const files = readdirSync(disk.path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(words))
}

const get = (tab: Tab, id: string) =>
  tab.page.evaluate(async (one) => (await globalThis.tab.book?.traces.get({ id: one }))?.id, id)
const forget = (tab: Tab, id: string) =>
  tab.page.evaluate((one) => globalThis.tab.book?.traces.forget({ id: one }), id)
const purge = (tab: Tab, id: string) =>
  tab.page.evaluate((one) => globalThis.tab.book?.records.purge({ id: one }), id)
const hits = (tab: Tab, text: string) =>
  tab.page.evaluate(async (words) => (await globalThis.tab.book?.recall({ text: words }))?.hits.length, text)
const exported = (tab: Tab) =>
  tab.page.evaluate(async () => new Response(await globalThis.tab.book?.export()).text())

/** Everything that only reads, each time on a disk that has nothing left. */
async function expectReadable(tab: Tab, disk: SmallDisk, ids: readonly string[]): Promise<void> {
  disk.fillUp()
  for (const id of ids) expect(await get(tab, id)).toBe(id)
  expect(await tab.goals()).toHaveLength(ids.length)
  disk.fillUp()
  expect(await hits(tab, 'large 4')).toBeGreaterThan(0)
  disk.fillUp()
  const text = await exported(tab)
  for (const id of ids) expect(text.includes(`"${id}"`)).toBe(true)
  disk.fillUp()
}

describe.skipIf(why !== undefined)('on a disk that is full', () => {
  it.for([false, true])(
    'the owner reads, exports, forgets, purges and opens the book again, with a copy beside it: %s',
    async (checkpoint) => {
      const disk = mountDisk('160m')
      const profile = join(disk.path, 'profile')
      const quotas = mkdtempSync(join(tmpdir(), 'daybook-quotas-'))
      mkdirSync(join(profile, 'Default'), { recursive: true })
      symlinkSync(quotas, join(profile, 'Default', 'WebStorage'))
      const book = { name: 'full', checkpoint }
      try {
        let ids: string[] = []
        {
          await using tabs = await openTabs({ profile })
          const first = await tabs.open()
          expect(await first.open(book)).toBe('open')
          const forgotten = await first.store('apricots that are forgotten')
          const purged = await first.store('brambles that are purged')
          ids = (await fill(first, 20, 'ordinary')).ids
          expect(ids).toHaveLength(20)
          disk.fillUp()
          // What it has taken before is used up, and then it says so.
          const more = await fill(first, 60, 'ordinary')
          expect(more.code).toBe('storage-full')
          expect((await first.status())?.degraded.join()).toContain('storage-full')
          ids.push(...more.ids)
          await expectReadable(first, disk, [forgotten, purged, ...ids])
          await forget(first, forgotten)
          disk.fillUp()
          await purge(first, purged)
          expect(filesWith(disk, 'brambles')).toEqual([])
          await expectReadable(first, disk, ids)

          // In the same page by a new worker; then in the next page, however the one before ended.
          await first.end('worker')
          disk.fillUp()
          expect(await first.open(book)).toBe('open')
          await expectReadable(first, disk, ids)
          let before = first
          for (const end of ['crash', 'close'] as const) {
            await before.end(end)
            disk.fillUp()
            const after = await tabs.open()
            expect(await after.open(book)).toBe('open')
            await expectReadable(after, disk, ids)
            await purge(after, ids.pop() ?? '')
            await forget(after, ids.pop() ?? '')
            await expectReadable(after, disk, ids)
            before = after
          }
        }
        disk.fillUp()
        await using tabs = await openTabs({ profile })
        const tab = await tabs.open()
        expect(await tab.open(book)).toBe('open')
        await expectReadable(tab, disk, ids)

        // What is purged is room for what is written, with nothing free on the disk.
        let isStored = false
        while (!isStored && ids.length > 10) {
          await purge(tab, ids.pop() ?? '')
          disk.fillUp()
          isStored = (await fill(tab, 1, 'ordinary')).code === undefined
        }
        expect(isStored).toBe(true)
        disk.empty()
        expect((await fill(tab, 20, 'ordinary')).code).toBeUndefined()
        expect(await tab.goals()).toHaveLength(ids.length + 21)
      } finally {
        disk.remove()
        rmSync(quotas, { recursive: true, force: true })
      }
    },
  )
})
