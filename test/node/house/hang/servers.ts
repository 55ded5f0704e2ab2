// Starts a PostgreSQL and a pooler before it, and runs until it is ended from outside.
import { expect, it } from 'vitest'
import { startPooler } from '../../../support/server/pgbouncer.ts'
import { findPostgres, startPostgres } from '../../../support/server/postgres.ts'

const found = findPostgres()
if ('missing' in found) throw new Error(found.missing)
const { port } = await startPostgres(found.bin)
await startPooler(port, 'daybook')

it('stands still with its servers', async () => {
  await new Promise(() => undefined)
  expect.unreachable()
})
