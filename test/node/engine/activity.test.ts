// Activity at the engine: what it may lose, what it lets go of, and that its words are sealed and forgotten with the book's.
import { describe, expect, it } from 'vitest'
import { activityKeep } from '../../../src/core/capability/activity.ts'
import type { Carrier, SqlDatabase } from '../../../src/core/ports.ts'
import { createEngine, type EngineOptions } from '../../../src/engine/engine.ts'
import { flushCount, flushMs } from '../../../src/engine/service/activity.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { createTestTime, openTestEngine } from '../../support/test-engine.ts'

const memory = () => openNodeDatabase({ path: ':memory:' })
const rows = (db: SqlDatabase) =>
  db.all<{ n: number; question: string; context: string }>('SELECT * FROM activity ORDER BY n')
const textOf = (db: SqlDatabase) => JSON.stringify([rows(db), db.all('SELECT * FROM activity_hits')])

function openKeyed(options: Partial<EngineOptions> = {}) {
  const { ports, pass } = createTestTime()
  const db = memory()
  const engine = createEngine({
    db,
    ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'memory',
    vault: openNodeVault(undefined),
    openMemory: memory,
    ...options,
  })
  const store = (id: string, content: string, more: object = {}) =>
    engine.call('kstar:store_perception', { id, content, ...more })
  const ask = (text: string) => engine.call('daybook:recall', { text })
  return { engine, db, pass, store, ask }
}

describe('activity', () => {
  it('is written with the next commit, or a moment later by one of its own', async () => {
    const { engine, db, pass } = openTestEngine()
    const told: number[] = []
    engine.on((event) => event.name === 'activity' && told.push(event.detail.count))
    await engine.call('daybook:recall', { text: 'lamp' })
    expect(rows(db)).toEqual([])
    await pass(flushMs + 1)
    expect(rows(db)).toHaveLength(1)
    await engine.call('recall:context', { text: 'lamp' })
    await engine.call('daybook:recall', { text: 'lamp' })
    await engine.call('kstar:store_perception', { content: 'The lamp is green.' })
    expect(rows(db)).toMatchObject([{ sort: 'recall' }, { sort: 'context' }, { sort: 'recall' }])
    expect(told).toEqual([1, 2])
    engine.close()
  })

  it('has an entry once, whatever becomes of the transaction that it was written in', async () => {
    const { engine, db, pass } = openTestEngine()
    await engine.call('daybook:recall', { text: 'lamp' })
    const failing = [
      engine.call('kstar:store_perception', { id: 'p-1', content: 'x' }),
      engine.call('kstar:complete_trace', { id: 'nobody', result: { success: true } }).catch(() => undefined),
    ]
    await Promise.all(failing)
    await pass(flushMs + 1)
    expect(rows(db)).toHaveLength(1)
    engine.close()
  })

  it('is written without a moment’s rest when much is asked', async () => {
    const { engine, db } = openTestEngine()
    for (let i = 0; i < flushCount * 3; i++) await engine.call('daybook:recall', { text: 'lamp' })
    await engine.store.writes.write(() => undefined)
    expect(rows(db)).toHaveLength(flushCount * 3)
    engine.close()
  })

  it('has each of many recalls that follow each other at once', async () => {
    const { engine, db } = openTestEngine()
    for (let i = 0; i < 2500; i++) await engine.call('daybook:recall', { text: 'lamp' })
    await engine.store.writes.write(() => undefined)
    expect(rows(db)).toHaveLength(2500)
    engine.close()
  })

  it('does not try again and again where nothing can be committed', async () => {
    const db = memory()
    let tries = 0
    let isFull = true
    let isWritten = false
    const { engine, pass } = openTestEngine({
      db: {
        ...db,
        run(sql, params) {
          isWritten ||= sql.startsWith('INSERT INTO activity')
          db.run(sql, params)
        },
        transaction(work) {
          isWritten = false
          return db.transaction(() => {
            const result = work()
            if (!isFull || !isWritten) return result
            tries += 1
            throw new DaybookError('storage-full')
          })
        },
      },
    })
    await engine.call('daybook:recall', { text: 'lamp' })
    await pass()
    const first = tries
    for (let i = 0; i < 5; i += 1) {
      await engine.call('daybook:recall', { text: 'lamp' })
      await pass(flushMs + 1)
    }
    expect([first > 0, tries - first]).toEqual([true, 0])
    isFull = false
    await engine.call('kstar:store_perception', { content: 'x' })
    expect(rows(db)).toHaveLength(6)
    engine.close()
  })

  it('stands in nobody’s way where it can’t be written', async () => {
    const db = memory()
    const { engine } = openTestEngine({
      db: {
        ...db,
        run(sql, params) {
          if (sql.startsWith('INSERT INTO activity')) throw new DaybookError('storage-full')
          db.run(sql, params)
        },
      },
    })
    await engine.call('daybook:recall', { text: 'lamp' })
    const writes = ['p-1', 'p-2'].map((id) => engine.call('kstar:store_perception', { id, content: 'x' }))
    await Promise.all(writes)
    expect(db.all('SELECT id FROM records ORDER BY id')).toEqual([{ id: 'p-1' }, { id: 'p-2' }])
    engine.close()
  })

  it('is written when the book is closed', async () => {
    const db = memory()
    const { engine } = openTestEngine({ db: { ...db, close: () => undefined } })
    await engine.call('daybook:recall', { text: 'lamp' })
    engine.close()
    expect(rows(db)).toHaveLength(1)
  })

  it('goes by age and by number, the oldest first, and by the length of its words, in idle time', async () => {
    const { engine, db, pass } = openTestEngine()
    const put = `INSERT INTO activity (at, sort, capability, caller, "by", duration_ms, found, hits, size, question)
      WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ?)
      SELECT ?, 'recall', 'daybook:recall', 'a', 'owner', 1, 0, '[]', ?, '{"text":"x"}' FROM r`
    db.run(put, [500, '2026-06-20T00:00:00.000Z', 12])
    db.run(put, [activityKeep.rows + 300, '2026-06-30T00:00:00.000Z', 4000])
    db.run('INSERT INTO activity_hits (seq, n) VALUES (1, 10), (1, 10000)')
    await engine.call('kstar:store_perception', { content: 'x' })
    await pass(600_000)
    expect(db.get('SELECT count(*) AS n, min(n) AS least, count(question) AS words FROM activity')).toEqual({
      n: activityKeep.rows,
      least: 801,
      words: activityKeep.characters / 4000,
    })
    expect(db.all('SELECT n FROM activity_hits')).toEqual([{ n: 10000 }])
    engine.close()
  })

  it('keeps no words that are longer than anybody reads', async () => {
    const { engine, db, pass } = openTestEngine()
    await engine.call('kstar:store_perception', { content: 'lamp '.repeat(39_000) })
    await engine.call('kstar:store_perception', { content: 'green lamp '.repeat(18_000) })
    await engine.call('recall:context', { text: 'lamp', budgetTokens: 200_000, itemTokens: 200_000 })
    await pass(flushMs + 1)
    expect(rows(db)).toMatchObject([{ missing: 'size', question: null, context: null }])
    engine.close()
  })

  it('keeps all its words under a new key, however many entries the old one sealed', async () => {
    const { engine, db, pass, store, ask } = openKeyed()
    await store('p-1', 'A diary of dodos.', { sensitivity: 'sensitive' })
    for (let n = 0; n < 250; n++) await ask(`question ${n}`)
    await pass(flushMs + 1)
    await engine.call('seal:rotate', {})
    await pass(60_000)
    expect(rows(db).filter(({ question }) => question === null)).toEqual([])
    const { current } = (await engine.call('seal:status', {})) as { current: string }
    expect(new Set(rows(db).map(({ question }) => (JSON.parse(question) as string[])[1]))).toEqual(
      new Set([current]),
    )
    engine.close()
  })

  it('is sealed when the book is, also what was asked before it had a key, and under a new one', async () => {
    const { engine, db, pass, store, ask } = openKeyed()
    await store('p-1', 'The lamp is green.')
    await ask('a plain question of zebras')
    await pass()
    expect(textOf(db)).toContain('zebras')
    await store('p-2', 'A diary of dodos.', { sensitivity: 'sensitive' })
    await ask('a later question of dodos')
    await engine.call('recall:context', { text: 'the diary' })
    await pass(60_000)
    expect(rows(db)).toHaveLength(3)
    expect(textOf(db)).not.toMatch(/zebras|dodos|diary|question of/)
    await engine.call('seal:rotate', {})
    await pass(60_000)
    const kids = rows(db).map(({ question }) => (JSON.parse(question) as string[])[1])
    const { current } = (await engine.call('seal:status', {})) as { current: string }
    expect(new Set(kids)).toEqual(new Set([current]))
    const { entries } = (await engine.call('activity:list', { sorts: ['recall'] })) as {
      entries: { question: { text: string } }[]
    }
    expect(entries.map(({ question }) => question.text)).toEqual([
      'a later question of dodos',
      'a plain question of zebras',
    ])
    engine.close()
  })

  it('loses all sealed words when something is forgotten that nobody could compare with them', async () => {
    const { engine, db, pass, store, ask } = openKeyed()
    await ask('the code is 4711')
    await store('p-1', 'The code is 4711.', { sensitivity: 'sensitive' })
    await pass(60_000)
    await engine.call('seal:guard', { passphrase: 'correct horse battery' })
    await engine.call('seal:lock', {})
    await engine.call('kstar:forget', { id: 'p-1' })
    await pass(60_000)
    expect(rows(db)).toMatchObject([{ missing: 'forgotten', question: null }])
    engine.close()
  })

  it('has no words in clear of a record that became sensitive', async () => {
    const { engine, db, pass, store, ask } = openKeyed()
    await store('p-1', 'The dodo lives behind the mill.')
    await ask('where does the dodo live?')
    await pass(flushMs + 1)
    expect(textOf(db)).toContain('dodo')
    await engine.call('kstar:set_sensitivity', { id: 'p-1', sensitivity: 'sensitive' })
    expect(textOf(db)).not.toContain('dodo')
    engine.close()
  })

  it('finds what quotes a forgotten record among what was asked after it first looked', async () => {
    const { engine, db, pass, store, ask } = openKeyed()
    await store('p-0', 'Something else.')
    await engine.call('kstar:forget', { id: 'p-0' })
    await ask('Is it so: the DODO, lives behind the mill?')
    await ask('the dodo lives, behind the mill. Is it so?')
    await store('p-1', 'Listen! The dodo lives behind the mill.')
    await engine.call('kstar:forget', { id: 'p-1' })
    await pass()
    expect(rows(db).map(({ question }) => question === null)).toEqual([false, true])
    engine.close()
  })

  it('forgets what another device forgot, with the sync that tells of it, and never leaves with one', async () => {
    const { ports, pass } = createTestTime()
    const edge = createEngine({
      db: memory(),
      ports,
      name: 'b',
      scope: { agent: 'e' },
      durability: 'memory',
      role: 'mirror',
    })
    const mirror = new SyncMirror({ store: edge.store, ...ports })
    const carrier: Carrier = {
      exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as never,
    }
    const [here, there] = [openKeyed({ ports, carrier }), openKeyed({ ports, carrier })]
    await here.store('p-1', 'The dodo lives behind the mill.')
    await here.ask('where does the dodo live?')
    await here.engine.call('recall:context', { text: 'the mill' })
    await here.engine.call('daybook:sync', {})
    await there.engine.call('daybook:sync', {})
    await there.ask('what is behind the mill?')
    await there.engine.call('kstar:forget', { id: 'p-1' })
    await there.engine.call('daybook:sync', {})
    await pass(flushMs + 1)
    expect(textOf(here.db)).toContain('dodo')
    await here.engine.call('daybook:sync', {})
    await pass(flushMs + 1)
    expect(textOf(here.db)).not.toMatch(/dodo|mill/)
    expect(rows(here.db)).toHaveLength(2)
    expect(rows(there.db)).toMatchObject([{ missing: 'forgotten' }])
    expect(rows(edge.store.db)).toEqual([])
    for (const one of [here.engine, there.engine, edge]) one.close()
  })
})
