// How the processes of `daybook serve` hear of each other over one database: by notifications, also where a pooler gives
// each transaction another connection, as Supabase's does.
import { setTimeout as pass } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectionTo, connectPostgres } from '../../../../../src/hosts/node/postgres/connect-postgres.ts'
import { PostgresNews } from '../../../../../src/hosts/node/postgres/news-postgres.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { missingPooler, startPooler } from '../../../../support/server/pgbouncer.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld, pulled, untilOpen } from './serve-world.ts'

const { postgres, closing, start, device, run, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(
  `News between processes of \`daybook serve\`${skipped}`,
  { timeout: 170_000 },
  () => {
    beforeAll(open)
    afterAll(close)

    it('a connection that is listened on and ends is made anew, and what was missed is looked for', async () => {
      const { sql, postgres: server } = await postgres.get()
      const [hears, tells] = [nodePorts.random, nodePorts.random].map((random) => {
        const heard: string[] = []
        const looks: (() => void)[] = []
        const news = new PostgresNews({
          connection: connectionTo({ url: `${server.url}?application_name=listener` }),
          postgres: sql,
          random,
          log: nodePorts.log,
          lookEveryMs: 36e5,
          onNews: ({ book }) => void heard.push(book),
          onTalk: () => undefined,
          onLook: () => looks.shift()?.(),
        })
        closing.push(() => news.close())
        return { news, heard, looked: () => new Promise<void>((resolve) => looks.push(resolve)) }
      })
      if (!hears || !tells) throw new Error('There are two.')
      const ready = hears.looked()
      hears.news.listen()
      await ready
      expect(hears.news.state).toBe('hearing')
      const again = hears.looked()
      await sql.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'listener'",
      )
      await again
      tells.news.tell({ book: 'b', synced: [] })
      while (hears.heard.length === 0) await pass(1)
      expect(hears.heard).toEqual(['b'])
    })

    it('a notification that is no message of a line is ignored, and reported once', async () => {
      const { sql } = await postgres.get()
      const countListening = async () => {
        const [row] = await sql.rows<{ n: number }>(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'idle' AND query ILIKE 'listen %'",
        )
        return row?.n ?? 0
      }
      const before = await countListening()
      const [one, two] = [await start(), await start()]
      const listener = await device(two.url, 'foreign', { agent: 'live', live: true })
      await untilOpen(listener)
      // The line may open before its server listens.
      while ((await countListening()) === before) await pass(1)
      const warn = vi.spyOn(nodePorts.log, 'warn')
      const texts = ['', 'no JSON', '{', 'null', '{"frame":{"type":"room"},"by":1}', '[[[[']
      for (const text of texts) {
        const piece = JSON.stringify(['talk', 'another', 'foreign', 'm', 0, 1, text])
        await sql.rows('SELECT pg_notify($1, $2)', ['daybook_news', piece])
      }
      for (const payload of ['no JSON', '[]', '["talk"]', '{"book":"foreign"}'])
        await sql.rows('SELECT pg_notify($1, $2)', ['daybook_news', payload])
      const heard = pulled(listener)
      await run({ url: one.url, book: 'foreign' }, 'kstar:store_trace', makeTrace())
      await heard
      const reports = warn.mock.calls.filter(([message]) => message.includes('notification'))
      warn.mockRestore()
      expect(reports.length).toBe(1)
    })

    const pooler = missingPooler()
    describe.skipIf(pooler !== undefined)(`through a pooler of transactions${pooler ?? ''}`, () => {
      const user = 'postgres.project'
      let pooled = ''
      let direct = ''
      beforeAll(async () => {
        const { sql, postgres: server } = await postgres.get()
        // As Supabase's `postgres` is: no superuser, but not bound by row-level security.
        await sql.rows(`CREATE ROLE "${user}" LOGIN CREATEROLE CREATEDB BYPASSRLS`)
        await sql.rows('CREATE DATABASE pooled')
        await sql.rows(`ALTER DATABASE pooled OWNER TO "${user}"`)
        const { port, stop } = await startPooler(server.port, user)
        closing.push(stop)
        pooled = `postgres://${user}@127.0.0.1:${port}/pooled`
        direct = `postgres://${user}@127.0.0.1:${server.port}/pooled`
      })

      it('everything works, with another connection to listen on', async () => {
        const options = { database: pooled, listenDatabase: direct }
        const [one, two] = [await start(options), await start(options)]
        const [writer, listener] = [
          await device(one.url, 'pooled'),
          await device(two.url, 'pooled', { agent: 'live', live: true }),
        ]
        await untilOpen(listener)
        const heard = pulled(listener)
        await writer.traces.storeMany({ traces: Array.from({ length: 250 }, () => makeTrace()) })
        await Promise.all([
          writer.sync(),
          run({ url: two.url, book: 'pooled' }, 'kstar:store_trace', makeTrace()),
        ])
        await heard
        await Promise.all([writer.sync(), listener.sync()])
        expect((await listener.status()).records).toEqual((await writer.status()).records)
        const sql = connectPostgres({ url: direct })
        const [row] = await sql.rows("SELECT count(*) AS n FROM daybook.records WHERE book = 'pooled'")
        expect(row).toEqual({ n: 251 })
        await sql.close()
      })

      it('without one, it is noticed that nothing is heard, and the lines look by themselves', async () => {
        const sql = connectPostgres({ url: pooled })
        closing.push(sql.close)
        const warned = new Promise<string>((resolve) => {
          let looks = 0
          const news = new PostgresNews({
            connection: connectionTo({ url: pooled }),
            postgres: sql,
            random: nodePorts.random,
            lookEveryMs: 10,
            echoWithinMs: 200,
            log: { warn: (message) => said.push(message) },
            onNews: () => undefined,
            onTalk: () => undefined,
            onLook: () => void (++looks === 50 && resolve(news.state)),
          })
          closing.push(() => news.close())
          news.listen()
        })
        const said: string[] = []
        expect(await warned).toBe('deaf')
        expect(said).toEqual([expect.stringContaining('No notifications')])
      })
    })
  },
)
