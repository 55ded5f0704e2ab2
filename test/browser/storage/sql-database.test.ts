import { expect } from 'vitest'
import { sqlDatabaseContractBy } from '../../contract/port/sql-database.ts'

const worker = new Worker(new URL('./sql-database.worker.ts', import.meta.url), { type: 'module' })
const run = crypto.randomUUID().slice(0, 8)

sqlDatabaseContractBy('SQLite WASM on OPFS, Chromium', async (index) => {
  const answered = new Promise<{ durability?: string; answer?: unknown; failure?: string }>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data as never)
  })
  worker.postMessage({ index, name: `sql-${run}-${index}` })
  const { durability, answer, failure } = await answered
  expect([failure, durability]).toEqual([undefined, 'opfs'])
  return answer
})
