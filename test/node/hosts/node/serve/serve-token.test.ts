// Control tokens before `daybook serve`, as a thief meets it: who has the file of a book, a bundle or the tables of the mirror
// has every token that was ever granted, and can present none.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { enterSql } from '../../../../../src/hosts/node/postgres/postgres-truth.ts'
import { replaysOf } from '../../../../support/replay.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const world = createServeWorld()
const folder = mkdtempSync(join(tmpdir(), 'daybook-thief-'))
const expires_at = '2099-01-01T00:00:00.000Z'

interface Row {
  readonly body: string
}

/** The tokens in a copied file, as any program reads them that knows SQLite. */
function tokensIn(path: string): object[] {
  const copy = join(folder, 'stolen.sqlite3')
  copyFileSync(path, copy)
  const db = new DatabaseSync(copy)
  const rows = db.prepare("SELECT body FROM records WHERE kind = 'token'").all() as unknown as Row[]
  db.close()
  return rows.map(({ body }) => JSON.parse(body) as object)
}

describe.skipIf(skipped !== '')(`tokens before daybook serve${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(world.open)
  afterAll(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  it('are worth nothing to who has copied a file, a bundle, or the tables of the mirror', async () => {
    const { url } = await world.start()
    const path = join(folder, 'own.daybook')
    const sync = { url, key: world.key, triggers: 'manual' } as const
    const book = await openDaybook({ name: 'own', path, sync })
    await book.traces.store(makeTrace())
    const asked = { scope: '**', permissions: ['read'], granted_to: 'reader', expires_at }
    const { bearer = '' } = await book.tokens.grant(asked)
    const other = await book.tokens.grant({ ...asked, permissions: ['read', 'sync', '**'] })
    await book.sync()
    const bundle = await new Response(await book.export({ includeTokens: true })).text()
    await book.close()

    const { sql } = await world.postgres.get()
    const tables = await sql.begin(enterSql('own', true), (within) =>
      within.rows<{ body: object }>("SELECT body FROM daybook.records WHERE book = 'own' AND kind = 'token'"),
    )
    const { memory } = JSON.parse(bundle) as { memory: { control_tokens: object[] } }
    const stolen = [tokensIn(path), memory.control_tokens, tables.map(({ body }) => body)]
    expect(stolen.map(({ length }) => length)).toEqual([2, 2, 2])

    const query = async (key: string) =>
      (await world.run({ url, book: 'own' }, 'kstar:query_traces', {}, { authorization: `Bearer ${key}` }))
        .status
    expect([await query(bearer), await query(other.bearer ?? '')]).toEqual([200, 200])
    const secret = bearer.split('.').at(-1) ?? ''
    for (const row of stolen.flat()) {
      const isOf = (row as { token_id: string }).token_id === other.token.token_id
      // The secret of one token opens no other.
      for (const key of await replaysOf(row, isOf ? [secret] : []))
        expect([key, await query(key)]).toEqual([key, 401])
    }
  })

  it('are granted by devices alone, whose keys the mirror has no private half of', async () => {
    const { url } = await world.start()
    const asked = { scope: '**', permissions: ['read'], granted_to: 'reader', expires_at }
    const refused = await world.run({ url, book: 'keyless' }, 'kstar:grant_control_token', asked)
    expect([refused.status, refused.body['code']]).toEqual([409, 'runs-elsewhere'])
    const { sql } = await world.postgres.get()
    const rows = await sql.begin(enterSql('keyless', true), (within) =>
      within.rows("SELECT id FROM daybook.records WHERE book = 'keyless'"),
    )
    expect(rows).toEqual([])
  })
})
