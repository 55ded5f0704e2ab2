// The cases of the crash simulator, for each durability that is offered.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { draws, isWhole } from '../../../../support/whole.ts'
import { loadBrowserSqlite } from './fake-opfs.ts'
import { simulate } from './simulate.ts'

const seeds = Number(process.env['DAYBOOK_CRASH_SEEDS'] ?? 2)
const first = Number(process.env['DAYBOOK_CRASH_FIRST'] ?? 1)

/** Cuts the books of some seeds. Two files call it, so that two cores are at work. */
export function cutCases(durability: 'relaxed' | 'strict'): void {
  describe(`a book of durability \`${durability}\` on a disk that is cut at every step`, () => {
    let sqlite3: Sqlite3Static
    beforeAll(async () => {
      sqlite3 = await loadBrowserSqlite()
    })

    for (let seed = first; seed < first + seeds; seed++) {
      // With few pages between checkpoints the database file is written and flushed all the time, without almost never.
      // `npm test` tries one of them with each seed, and the other with the other durability.
      const isFirst = (seed % 2 === 1) === (durability === 'relaxed')
      it.for(isWhole ? [0, 25] : [isFirst ? 0 : 25])(
        `seed ${seed}, %i pages between checkpoints`,
        { timeout: 600_000 },
        async (checkpointPages) => {
          const isCopied = seed !== first
          const setting = {
            seed,
            strict: durability === 'strict',
            checkpointPages,
            calls: draws(16, 50),
            // A copy beside the book doubles the steps that are cut.
            powerCuts: isCopied ? 5 : 7,
            opening: seed === first,
            isCopied,
          }
          const { cuts, used, faults } = await simulate(sqlite3, setting)
          process.stdout.write(
            `crash simulator, ${durability}, seed ${seed}: ${cuts} cuts, ${used} of them used on\n`,
          )
          expect(faults).toEqual([])
          expect(cuts).toBeGreaterThan(draws(200, 800))
        },
      )
    }
  })
}
