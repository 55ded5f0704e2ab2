// After a crash the check of the files reaches every table, over several openings if it must.
import { expect, it } from 'vitest'
import { createHealth } from '../../../src/engine/service/health.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { tablesOf } from '../../../src/store/repair/damage.ts'
import { createOpenMark } from '../../../src/store/repair/open-mark.ts'
import { Settings } from '../../../src/store/schema/settings.ts'
import { migrate } from '../../../src/store/schema/version.ts'
import { createTestTime } from '../../support/test-engine.ts'

const openedAt = '2026-01-01T00:00:00.000Z'

/** A book that an engine left open, and openings of it. `check` is called for each table. */
function crashedBook(check: (table: string) => string | undefined = () => undefined) {
  const db = openNodeDatabase({ path: ':memory:' })
  migrate(db, openedAt)
  const settings = new Settings(db)
  const { ports, pass } = createTestTime()
  createOpenMark(db, settings).markOpen(openedAt)
  const checked: string[] = []
  const open = () => {
    const openMark = createOpenMark(db, settings)
    const health = createHealth({
      store: { db, openMark },
      scheduler: ports.scheduler,
      check(table) {
        checked.push(table)
        return check(table)
      },
      onDamage: () => undefined,
    })
    health.idle?.()
    return () => {
      health.close?.()
      openMark.markClosed()
    }
  }
  return { open, pass, checked, tables: tablesOf(db), wasOpen: () => createOpenMark(db, settings).wasOpen }
}

it('checks again at the next opening when the book was closed before the last table', async () => {
  const { open, pass, checked, tables, wasOpen } = crashedBook()
  const close = open()
  await pass(2000)
  expect(checked.length).toBeLessThan(tables.length)
  close()
  expect(wasOpen()).toBe(true)

  checked.length = 0
  const closeAgain = open()
  await pass(60_000)
  expect(checked).toEqual(tables)
  closeAgain()
  expect(wasOpen()).toBe(false)
})

it('checks a table again after an error that is no damage', async () => {
  let fails = true
  const { open, pass, checked, tables } = crashedBook(() => {
    if (!fails) return undefined
    fails = false
    throw new Error('The disk answers later.')
  })
  const close = open()
  await pass(10 * 60_000)
  expect(checked).toEqual([tables[0], ...tables])
  close()
})
