// A book whose commits are kept in a journal, cut after every change of the journal, and with a journal that fails.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { loadBrowserSqlite } from './crash/fake-opfs.ts'
import { createDice } from '../../../support/dice.ts'
import { type JournalRun, readShelf, runJournalled } from './journal/journal-run.ts'
import type { JournalFault } from './journal/memory-journal.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

/** Opens every shelf there was: each must be a whole state, no older than what had been acknowledged by then. */
async function judge({ journals, states, acknowledged }: JournalRun): Promise<string[]> {
  const faults: string[] = []
  let last = -1
  for (const [i, shelf] of journals.shelves.entries()) {
    const { integrity, said } = await readShelf(sqlite3, shelf)
    const state = states.lastIndexOf(said)
    const promised = acknowledged.findLast(({ shelves }) => shelves <= i + 1)?.state ?? 0
    if (integrity !== 'ok') faults.push(`shelf ${i}: ${String(integrity)}`)
    if (state < 0) faults.push(`shelf ${i}: a state that there never was`)
    else if (state < promised)
      faults.push(`shelf ${i}: state ${state}, though ${promised} had been acknowledged`)
    last = state
  }
  if (last < 0) faults.push('nothing was kept')
  return faults
}

it.for([1, 2, 3])('is whole, and has all that was acknowledged, wherever it ends: seed %i', async (seed) => {
  const run = await runJournalled(sqlite3, seed, 60)
  expect(run.refused).toEqual([])
  expect(run.journals.snapshots).toBeGreaterThan(0)
  expect(run.journals.shelves.length).toBeGreaterThan(40)
  expect(await judge(run)).toEqual([])
})

describe.for([
  ['there is no room', 'full', ['storage-full']],
  ['the connection is lost before the change arrives', 'lost', ['storage-failed', 'book-closed']],
  ['the connection is lost after the change arrived', 'arrived', ['storage-failed', 'book-closed']],
] as [string, JournalFault, string[]][])('a journal that fails for a while: %s', ([, fault, codes]) => {
  let refused = 0
  it.for([1, 2, 3, 4])('seed %i', async (seed) => {
    const dice = createDice(seed)
    const from = dice.below(30)
    const until = from + 1 + dice.below(10)
    let tries = 0
    const run = await runJournalled(sqlite3, seed, 40, () => {
      tries++
      return tries >= from && tries < until ? fault : undefined
    })
    expect(run.refused.filter((code) => !codes.includes(code))).toEqual([])
    refused += run.refused.length
    if (run.refused.length > 0) expect(run.openings).toBeGreaterThan(1)
    expect(await judge(run)).toEqual([])
  })

  it('was noticed', () => expect(refused).toBeGreaterThan(0))
})
