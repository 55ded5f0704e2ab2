// A task of the queue is a call like any other: what it fails for reaches the state of the book, and whoever listens.
import { expect, it } from 'vitest'
import type { Status } from '../../../src/core/capability/status.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import type { BookEvents } from '../../../src/core/capability/event.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { createEngine, type EngineOptions } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

/** An engine over a database that fails in the way the test says, and what it tells of its state. */
function openFailing(failsFor: (sql: string) => DaybookError | undefined, more: Partial<EngineOptions> = {}) {
  const { ports, pass } = createTestTime()
  const db = openNodeDatabase({ path: ':memory:' })
  const checked = <Work extends (sql: string, ...rest: never[]) => unknown>(work: Work) =>
    ((sql: string, ...rest: never[]) => {
      const error = failsFor(sql)
      if (error) throw error
      return work(sql, ...rest)
    }) as Work
  const failing: SqlDatabase = {
    ...db,
    run: checked(db.run),
    get: checked(db.get) as SqlDatabase['get'],
    all: checked(db.all) as SqlDatabase['all'],
  }
  const engine = createEngine({
    db: failing,
    ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'memory',
    ...more,
  })
  const told: string[] = []
  engine.on(({ name, detail }) => {
    if (name === 'status') told.push((detail as BookEvents['status']).degraded?.join(' ') ?? '')
  })
  const degraded = async () => ((await engine.call('daybook:status', {})) as Status).degraded.join(' ')
  /** Puts a call off, and lets it be tried once. */
  const attempt = async (capability: string, input: object) => {
    await engine.call('task:add', { capability, input, maxAttempts: 1 })
    await pass(500)
  }
  return { engine, told, degraded, attempt, pass }
}

const trace = (id: string) => makeTrace({ id })

it('tells of a full disk that a task met, and when there is room again', async () => {
  let isFull = false
  const { engine, told, degraded, attempt } = openFailing((sql) =>
    isFull && /INTO records\b/.test(sql) ? new DaybookError('storage-full') : undefined,
  )
  await attempt('kstar:store_trace', trace('first'))
  expect(await engine.call('kstar:get_trace', { id: 'first' })).not.toBeNull()
  expect(await degraded()).toBe('')

  isFull = true
  await attempt('kstar:store_trace', trace('second'))
  expect(await degraded()).toContain('storage-full')
  expect(told).toEqual([expect.stringContaining('storage-full')])

  isFull = false
  await attempt('kstar:store_trace', trace('third'))
  expect(await degraded()).toBe('')
  expect(told).toEqual([expect.stringContaining('storage-full'), ''])
  engine.close()
})

it('notes a broken page that a task met, so that it is mended when the book is opened again', async () => {
  let isBroken = false
  const damages: string[] = []
  const { engine, told, degraded, attempt } = openFailing(
    (sql) =>
      isBroken && /INTO records\b/.test(sql)
        ? new DaybookError('storage-failed', 'Page 7 is malformed.', { details: { result: 11 } })
        : undefined,
    { care: { check: () => undefined, onDamage: (reason) => void damages.push(reason) } },
  )
  await attempt('kstar:store_trace', trace('first'))
  expect(await engine.call('kstar:get_trace', { id: 'first' })).not.toBeNull()
  isBroken = true
  await attempt('kstar:store_trace', trace('second'))
  isBroken = false
  expect(damages).toEqual([expect.stringContaining('Page 7 is malformed.')])
  expect(await degraded()).toContain('damaged: part of the file cannot be read (Page 7 is malformed.')
  expect(told).toEqual([expect.stringContaining('damaged')])
  engine.close()
})

it('notes a broken page of the queue itself, which no call has met', async () => {
  let isBroken = false
  const damages: string[] = []
  const { engine, attempt } = openFailing(
    (sql) =>
      isBroken && /UPDATE tasks\b/.test(sql)
        ? new DaybookError('storage-failed', 'Page 9 is malformed.', { details: { result: 11 } })
        : undefined,
    { care: { check: () => undefined, onDamage: (reason) => void damages.push(reason) } },
  )
  await attempt('kstar:store_trace', trace('first'))
  isBroken = true
  await attempt('kstar:store_trace', trace('second'))
  expect(damages).toEqual([expect.stringContaining('Page 9 is malformed.')])
  engine.close()
})

it('gives up the copy of the records when a task finds no room, as any call does', async () => {
  let isFull = false
  let removed = 0
  let reopened = 0
  const { engine, attempt } = openFailing(
    (sql) => (isFull && /INTO records\b/.test(sql) ? new DaybookError('storage-full') : undefined),
    {
      checkpointFile: {
        isWanted: true,
        file: {
          exists: () => removed === 0,
          open: () => openNodeDatabase({ path: ':memory:' }),
          remove: () => void (removed += 1),
          fits: () => true,
        },
      },
      reopen: () => void (reopened += 1),
    },
  )
  await attempt('kstar:store_trace', trace('first'))
  expect(reopened).toBe(0)
  isFull = true
  await attempt('kstar:store_trace', trace('second'))
  expect(removed).toBe(1)
  expect(reopened).toBe(1)
  engine.close()
})
