// What a mirror answers at its door, with its truth in PostgreSQL, shared by two processes.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { connectionTo } from '../../../../../src/hosts/node/postgres/connect-postgres.ts'
import {
  openPostgresMirrors,
  type PostgresMirrors,
} from '../../../../../src/hosts/node/postgres/postgres-mirrors.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { answerMirrorCases } from '../../../../contract/mirror/answer-mirror.ts'
import { guestBoundCases } from '../../../../contract/mirror/guest-bound.ts'
import { createPostgres, skipped } from './postgres-world.ts'

describe.skipIf(skipped !== '')(`A mirror at its door: PostgreSQL${skipped}`, () => {
  const server = createPostgres()
  /** So small that a process draws requests one by one, and so slow that nothing runs in. */
  const rate = { burst: 100, perSecond: 0.001 }
  const processes: PostgresMirrors[] = []
  let turn = 0
  let aheadMs = 0
  const ports = { ...nodePorts, clock: { now: () => Date.now() + aheadMs } }

  beforeAll(async () => {
    const { postgres, sql } = await server.get()
    const news = { connection: connectionTo({ url: postgres.url }) }
    for (let i = 0; i < 2; i++)
      processes.push(await openPostgresMirrors({ postgres: sql, ports, rate, news }))
  })
  afterAll(async () => {
    for (const one of processes) await one.close()
    await server.close()
  })

  const doors = {
    door(book: string) {
      const mirrors = processes[turn % processes.length]
      if (!mirrors) throw new Error('There is no process.')
      return mirrors.getByName(book)
    },
    move() {
      turn += 1
      return Promise.resolve()
    },
  }
  answerMirrorCases({
    ...doors,
    async isMade(book) {
      const { sql } = await server.get()
      return (await sql.rows('SELECT 1 FROM daybook.books WHERE book = $1', [book])).length > 0
    },
    async empty(book, callers) {
      const { sql } = await server.get()
      for (const caller of callers) {
        const name = createHash('sha256').update(caller).digest('hex')
        const emptied = await sql.rows(
          'UPDATE daybook.rates SET remaining = 0, at = now() WHERE book = $1 AND caller = $2 RETURNING caller',
          [book, name],
        )
        expect(emptied).toHaveLength(1)
      }
    },
  })
  guestBoundCases({
    ...doors,
    async keptTime(book) {
      const { sql } = await server.get()
      const [row] = await sql.rows<{ value: string }>(
        "SELECT value FROM daybook.book WHERE book = $1 AND key = 'time_seen'",
        [book],
      )
      return Number(row?.value ?? 0)
    },
    async later(ms, work) {
      aheadMs = ms
      try {
        return await work()
      } finally {
        aheadMs = 0
      }
    },
  })
})
