import { beforeAll, describe, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { simulate } from './crash/simulate.ts'

const seeds = Number(process.env['DAYBOOK_CRASH_SEEDS'] ?? 2)
const first = Number(process.env['DAYBOOK_CRASH_FIRST'] ?? 1)

describe('a book of durability `relaxed` on a disk that is cut at every step', () => {
  let sqlite3: Sqlite3Static
  beforeAll(async () => {
    sqlite3 = await loadBrowserSqlite()
  })

  for (let seed = first; seed < first + seeds; seed++) {
    // With few pages between checkpoints the database file is written and flushed all the time, without almost never.
    it.for([0, 25])(
      `seed ${seed}, %i pages between checkpoints`,
      { timeout: 600_000 },
      async (checkpointPages) => {
        const setting = {
          seed,
          strict: false,
          checkpointPages,
          calls: 50,
          powerCuts: 7,
          opening: seed === first,
        }
        const { cuts, used, faults } = await simulate(sqlite3, setting)
        process.stdout.write(
          `crash simulator, relaxed, seed ${seed}: ${cuts} cuts, ${used} of them used on\n`,
        )
        expect(faults).toEqual([])
        expect(cuts).toBeGreaterThan(800)
      },
    )
  }
})
