// Group commit over a real database: what shares a transaction, what is undone, and when promises may speak.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'

const opened: SqlDatabase[] = []
afterEach(() => opened.splice(0).forEach((db) => db.close()))

/** A queue over an empty table, a scheduler that waits for `turn`, and a log of what happened. */
function openQueue(options: { onCommit?: () => void } = {}) {
  const db = openNodeDatabase({ path: ':memory:' })
  opened.push(db)
  db.exec('CREATE TABLE t (v TEXT PRIMARY KEY)')
  const log: string[] = []
  const tasks: (() => void)[] = []
  let failures = 0
  const counted: SqlDatabase = {
    ...db,
    transaction(work) {
      log.push('begin')
      try {
        const result = db.transaction(() => {
          const done = work()
          if (failures-- > 0) throw new DaybookError('storage-full')
          return done
        })
        log.push('commit')
        return result
      } catch (error) {
        log.push('rollback')
        throw error
      }
    },
  }
  const queue = new WriteQueue(
    counted,
    { soon: (task) => void tasks.push(task), later: () => () => undefined },
    () => {
      log.push('told')
      options.onCommit?.()
    },
  )
  return {
    queue,
    log,
    add: (...values: string[]) => values.forEach((value) => db.run('INSERT INTO t (v) VALUES (?)', [value])),
    rows: () => db.all<{ v: string }>('SELECT v FROM t ORDER BY v').map(({ v }) => v),
    turn: () => tasks.splice(0).forEach((task) => task()),
    waitingTurns: () => tasks.length,
    failNextCommits: (count: number) => void (failures = count),
  }
}

describe('writes', () => {
  test('that wait share one transaction, and each gets its own answer', async () => {
    const { queue, log, add, rows, turn } = openQueue()
    const answers = ['a', 'b', 'c'].map((value) =>
      queue.write(() => {
        add(value)
        return value.toUpperCase()
      }),
    )
    expect(log).toEqual([])
    turn()
    expect(await Promise.all(answers)).toEqual(['A', 'B', 'C'])
    expect(log).toEqual(['begin', 'commit', 'told'])
    expect(rows()).toEqual(['a', 'b', 'c'])
  })

  test('ask for one turn, however many wait, and for another when more come', async () => {
    const { queue, turn, waitingTurns } = openQueue()
    const first = [queue.write(() => 1), queue.write(() => 2)]
    expect(waitingTurns()).toBe(1)
    turn()
    const next = queue.write(() => 3)
    expect(waitingTurns()).toBe(1)
    turn()
    expect(await Promise.all([...first, next])).toEqual([1, 2, 3])
  })

  test('resolve after the commit that holds them', async () => {
    const { queue, log, add, turn } = openQueue()
    const done = ['a', 'b'].map((value) =>
      queue.write(() => add(value)).then(() => log.push(`${value} resolved`)),
    )
    turn()
    await Promise.all(done)
    expect(log).toEqual(['begin', 'commit', 'told', 'a resolved', 'b resolved'])
  })

  test('that fail undo themselves alone', async () => {
    const work = fc.record({
      rows: fc.integer({ min: 0, max: 3 }),
      fails: fc.constantFrom('no', 'no', 'own', 'other', 'sql'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(work, { minLength: 1, maxLength: 12 }), async (works) => {
        const { queue, add, rows, turn } = openQueue()
        const answers = works.map(({ rows, fails }, i) =>
          queue.write(() => {
            for (let row = 0; row < rows; row++) add(`${i}-${row}`)
            if (fails === 'own') throw new DaybookError('conflict')
            if (fails === 'other') throw new TypeError('no')
            if (fails === 'sql') add('twice', 'twice')
            return i
          }),
        )
        const settled = Promise.allSettled(answers)
        turn()
        const codes = { own: 'conflict', other: 'internal', sql: 'internal' }
        const expected = works.map(({ fails }, i) =>
          fails === 'no' ? i : codes[fails as keyof typeof codes],
        )
        const found = (await settled).map((one) =>
          one.status === 'fulfilled' ? one.value : (one.reason as DaybookError).code,
        )
        expect(found).toEqual(expected)
        const kept = works.flatMap(({ rows, fails }, i) =>
          fails === 'no' ? Array.from({ length: rows }, (_, row) => `${i}-${row}`) : [],
        )
        expect(rows()).toEqual(kept.toSorted())
      }),
    )
  })

  test('survive a commit that fails, if it works alone', async () => {
    const { queue, log, add, rows, turn, failNextCommits } = openQueue()
    failNextCommits(1)
    const answers = ['a', 'b'].map((value) => queue.write(() => add(value)))
    turn()
    await Promise.all(answers)
    expect(log).toEqual(['begin', 'rollback', 'begin', 'commit', 'told', 'begin', 'commit', 'told'])
    expect(rows()).toEqual(['a', 'b'])
  })

  test('say so when their commit fails for good', async () => {
    const { queue, log, add, rows, turn, failNextCommits } = openQueue()
    failNextCommits(3)
    const answers = ['a', 'b'].map((value) => queue.write(() => add(value)))
    const settled = Promise.allSettled(answers)
    turn()
    expect(await settled).toMatchObject([
      { reason: { code: 'storage-full' } },
      { reason: { code: 'storage-full' } },
    ])
    expect(log).not.toContain('told')
    expect(rows()).toEqual([])
  })

  test('beyond what one transaction should hold go into several', async () => {
    const { queue, log, add, rows, turn } = openQueue()
    const answers = Array.from({ length: 2500 }, (_, i) => queue.write(() => add(String(i))))
    turn()
    await Promise.all(answers)
    expect(log.filter((entry) => entry === 'commit')).toHaveLength(3)
    expect(rows()).toHaveLength(2500)
  })

  test('that are asked for inside another wait for the next transaction', async () => {
    const { queue, log, add, rows, turn } = openQueue()
    let inner: Promise<void> | undefined
    const outer = queue.write(() => {
      add('outer')
      inner ??= queue.write(() => add('inner'))
    })
    turn()
    await outer
    expect(rows()).toEqual(['outer'])
    turn()
    await inner
    expect(rows()).toEqual(['inner', 'outer'])
    expect(log.filter((entry) => entry === 'commit')).toHaveLength(2)
  })
})

describe('a closed queue', () => {
  test('has committed what waited, and takes nothing more', async () => {
    const { queue, log, add, rows, turn } = openQueue()
    const waiting = queue.write(() => add('a'))
    queue.close()
    await waiting
    await expect(queue.write(() => add('b'))).rejects.toMatchObject({ code: 'book-closed' })
    queue.close()
    turn()
    expect(rows()).toEqual(['a'])
    expect(log).toEqual(['begin', 'commit', 'told'])
  })

  test('takes nothing more while it closes', async () => {
    const late: Promise<unknown>[] = []
    const { queue, log, add, rows, turn } = openQueue({
      onCommit: () => late.push(queue.write(() => add('told'))),
    })
    const waiting = queue.write(() => {
      add('a')
      late.push(queue.write(() => add('inner')))
    })
    queue.close()
    const settled = Promise.allSettled(late)
    await waiting
    turn()
    expect(await settled).toMatchObject([
      { reason: { code: 'book-closed' } },
      { reason: { code: 'book-closed' } },
    ])
    expect(log).toEqual(['begin', 'commit', 'told'])
    expect(rows()).toEqual(['a'])
  })
})
