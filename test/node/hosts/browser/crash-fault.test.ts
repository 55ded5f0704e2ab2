import { beforeAll, describe, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { ErrorCode } from '../../../../src/core/errors.ts'
import { createDice } from '../../../support/dice.ts'
import { draws } from '../../../support/whole.ts'
import type { Fault, Step } from './crash/fake-disk.ts'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { recover } from './crash/recover.ts'
import { record } from './crash/recording.ts'
import { cutEverywhere } from './crash/simulate.ts'

const seeds = Number(process.env['DAYBOOK_CRASH_SEEDS'] ?? draws(2, 4))

const faults: Readonly<Record<string, [ErrorCode, (step: Step) => Fault]>> = {
  'no write is taken': [
    'storage-full',
    ({ do: what }) =>
      what === 'write' ? { fail: new DOMException('No room.', 'QuotaExceededError') } : undefined,
  ],
  'writes are taken in part': [
    'storage-full',
    (step) => (step.do === 'write' ? { takeBytes: Math.floor(step.bytes.length / 2) } : undefined),
  ],
  'no flush succeeds': [
    'storage-failed',
    ({ do: what }) =>
      what === 'flush' ? { fail: new DOMException('The disk failed.', 'InvalidStateError') } : undefined,
  ],
  'nothing succeeds': [
    'storage-failed',
    () => ({ fail: new DOMException('The disk is gone.', 'InvalidStateError') }),
  ],
}

describe('a disk that fails for a while', () => {
  let sqlite3: Sqlite3Static
  beforeAll(async () => {
    sqlite3 = await loadBrowserSqlite()
  })

  describe.for(Object.entries(faults))('%s', ([, [code, fault]]) => {
    let refused = 0
    it.for([...Array(seeds).keys()])('seed %i', async (seed) => {
      const dice = createDice(seed)
      // Tries count, not steps: a step that failed is none, and would be tried for ever.
      const from = dice.below(60)
      const until = from + 1 + dice.below(40)
      let tries = 0
      const setting = { strict: seed % 2 === 0, checkpointPages: [0, 25][dice.below(2)] ?? 0, calls: 30 }
      const run = await record(sqlite3, seed, setting, (step) => {
        tries++
        return tries >= from && tries < until ? fault(step) : undefined
      })
      expect(run.refused.filter((refused) => refused !== code)).toEqual([])
      refused += run.refused.length
      const recovered = await recover(sqlite3, 'recovery', run.disk.files)
      expect(recovered).toEqual({ integrity: 'ok', said: run.last, isMended: false })
      // And however it ends, what was acknowledged in spite of it is there.
      const cutting = { ...setting, seed, powerCuts: 0, opening: false }
      expect((await cutEverywhere(sqlite3, run, cutting)).faults).toEqual([])
    })

    it('was noticed', () => expect(refused).toBeGreaterThan(0))
  })
})
