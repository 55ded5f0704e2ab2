import { afterAll, describe, expect, it } from 'vitest'
import { body, expectSame, failure, id, textOf } from '../../../../contract/mirror/mirror-case.ts'
import { mirrorContract } from '../../../../contract/mirror/mirror.ts'
import { createWorld } from '../../../../contract/mirror/mirror-world.ts'
import { openNodeDatabase } from '../../../../../src/hosts/node/book/node-database.ts'
import { unsharedTables, relations } from '../../../../../src/store/mirror/relation.ts'
import { migrate } from '../../../../../src/store/schema/version.ts'
import { enterSql, type Step } from '../../../../../src/hosts/node/postgres/postgres-truth.ts'
import { createPostgres, createPostgresHost, skipped } from './postgres-world.ts'

const server = createPostgres()
afterAll(server.close)

describe.skipIf(skipped !== '')(`PostgreSQL${skipped}`, () => {
  mirrorContract('two copies over PostgreSQL', createPostgresHost(server))

  const steps: readonly Step[] = ['begin', 'locked', 'worked', 'written', 'committed', 'taken-in']
  const faults = ['the process', 'the connection'] as const
  it.each(steps.flatMap((step) => faults.map((fault) => [fault, step] as const)))(
    'M1 M2 %s is killed at `%s`: nothing is lost, nothing applied twice',
    async (fault, step) => {
      let isArmed = false
      const { sql } = await server.get()
      const host = createPostgresHost(server, async (reached) => {
        if (!isArmed || reached !== step) return
        isArmed = false
        if (fault === 'the process') throw new Error('killed')
        await sql.rows(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
          AND datname = current_database()`)
      })
      const world = createWorld(host)
      const [a, b] = [world.device('a'), world.device('b')]
      await a.put('local_wins', id(1), body('first'))
      await a.sync()
      await b.sync()
      await a.put('local_wins', id(1), body('of a'))
      await b.put('local_wins', id(1), body('of b'))
      await b.sync()
      await a.put('local_wins', id(2), body('new'))
      isArmed = true
      // Where the connection ends after the commit nobody notices.
      const ended = await a.sync().then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(isArmed).toBe(false)
      if (fault === 'the process') expect(ended).toBeDefined()
      // Its copies end with the process; those of a process that lives on go on.
      if (fault === 'the process') await world.mirror.restart()
      await a.sync()
      await b.sync()
      await expectSame(a, b, world.mirror)
      expect(await textOf(a)).toBe('of a')
      expect(await textOf(b, id(2))).toBe('new')
      const rows = await world.mirror.look((store) => [
        store.records.row(id(1))?.ver,
        store.records.row(id(2))?.ver,
        store.settings.getNumber('head'),
      ])
      expect(rows).toEqual([3, 1, 4])
      expect((await world.mirror.conflicts()).map(({ loser }) => loser.body?.['text'])).toEqual(['of b'])
    },
  )

  it('two processes write to one book at once: each change takes effect once, in one order', async () => {
    const hosts = [createPostgresHost(server), createPostgresHost(server)]
    const [one, two] = hosts.map((host, i) => createWorld(host, { name: 'shared', seed: i + 1 }))
    if (!one || !two) throw new Error('There are two.')
    const devices = [one.device('a'), two.device('b'), one.device('c'), two.device('d')]
    await Promise.all(
      devices.map(async (device, n) => {
        for (let i = 0; i < 5; i++) {
          await device.put('local_wins', id(100 * n + i), body(`${n} ${i}`))
          await device.sync()
        }
      }),
    )
    for (const device of devices) await device.sync()
    await expectSame(...devices, one.mirror, two.mirror)
    expect(
      await two.mirror.look((store) => [store.settings.getNumber('head'), store.sums.currentSum().n]),
    ).toEqual([20, 20])
  })

  it('a transaction that names no book sees none, and one that names a book sees no other', async () => {
    const host = createPostgresHost(server)
    const [mine, other] = [createWorld(host), createWorld(host, { seed: 2 })]
    for (const { mirror } of [mine, other]) await mirror.put('local_wins', id(1), body('private'))
    const { sql } = await server.get()
    const [any] = await sql.rows<{ book: string }>('SELECT max(book) AS book FROM daybook.records')
    const book = any?.book ?? ''
    const tables = await sql.rows<{ name: string }>(`SELECT tablename AS name FROM pg_tables
      WHERE schemaname = 'daybook' AND tablename <> 'schema_version' ORDER BY 1`)
    expect(tables).toHaveLength(17)
    for (const { name } of tables) {
      const books = (opening: string) =>
        sql.begin(opening, (tx) => tx.rows<{ book: string }>(`SELECT DISTINCT book FROM daybook.${name}`))
      expect(await books("SELECT set_config('role', 'daybook_mirror', true)")).toHaveLength(0)
      for (const row of await books(enterSql(book, true))) expect(row.book).toBe(book)
    }
    const stolen = sql.begin(enterSql(book, true), (tx) =>
      tx.rows("INSERT INTO daybook.book (book, txn, key, value) VALUES ('another', 1, 'head', '9')"),
    )
    await expect(stolen).rejects.toMatchObject({ code: '42501' })
    // What the setting said ends with its transaction.
    const [after] = await sql.rows<{ name: string | null }>(
      "SELECT current_setting('daybook.book', true) AS name",
    )
    expect(after?.name ?? '').toBe('')
  })

  it('every table of a book is either named as shared or as not', () => {
    const db = openNodeDatabase({ path: ':memory:' })
    migrate(db, '2026-01-01T00:00:00.000Z')
    const tables = db.all<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    )
    const named = [...relations.map(({ name }) => name), ...unsharedTables]
    expect(tables.map(({ name }) => name)).toEqual(named.toSorted())
    for (const { name, key, columns } of relations) {
      const found = db.all<{ name: string; pk: number }>('SELECT name, pk FROM pragma_table_info(?)', [name])
      const own = found.filter((column) => !(name === 'records' && column.name === 'op'))
      expect(own.map((column) => column.name).toSorted()).toEqual(Object.keys(columns).toSorted())
      expect(found.filter(({ pk }) => pk > 0).map((column) => column.name)).toEqual(key)
    }
  })

  it('a database that is away is a fault that passes', async () => {
    let isAway = true
    const host = createPostgresHost(server, () => {
      if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    })
    const world = createWorld(host)
    const a = world.device('a')
    await a.put('local_wins', id(1), body('one'))
    expect(await failure(a.sync())).toMatchObject({ code: 'offline', retry: true })
    expect(await a.state()).toMatchObject({ pending: 1, phase: 'offline', lastError: { code: 'offline' } })
    isAway = false
    expect(await a.sync()).toMatchObject({ pushed: 1 })
  })
})
