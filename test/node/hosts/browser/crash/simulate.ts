// Cuts a recorded run at every step, recovers what is left each time, and names every cut after which something is wrong.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createDice } from '../../../../support/dice.ts'
import { type Cut, cutsOf } from './cut.ts'
import { copyOf, type Image } from './fake-disk.ts'
import { type Recovered, recover, use } from './recover.ts'
import { record, type Recording, type Setting } from './recording.ts'

export interface Outcome {
  readonly cuts: number
  readonly used: number
  readonly faults: readonly string[]
}

export interface Cutting {
  readonly seed: number
  /** Power cuts at each step; there is also one kill before and one in the middle of each. */
  readonly powerCuts: number
  /** Cuts the first opening as well. What that leaves is opened as a pool that was never whole, which is slow. */
  readonly opening: boolean
}

const openingStride = 3
const useStride = 251
const shownFaults = 5

/** Cuts a run without faults. */
export async function simulate(sqlite3: Sqlite3Static, setting: Setting & Cutting): Promise<Outcome> {
  return cutEverywhere(sqlite3, await record(sqlite3, setting.seed, setting), setting)
}

let pools = 0

/** Cuts what happened at every step. */
export async function cutEverywhere(
  sqlite3: Sqlite3Static,
  recording: Recording,
  { seed, powerCuts, strict, opening }: Cutting & Pick<Setting, 'strict'>,
): Promise<Outcome> {
  const opened = recording.states[1]?.steps ?? 0
  const faults: string[] = []
  let [cuts, used] = [0, 0]
  /** A third of all cuts leave the very bytes that another left. */
  const known = new Map<string, Recovered>()
  for (const cut of cutsOf(recording.log, powerCuts, createDice(seed))) {
    const young = cut.steps < opened
    if (young && (!opening || cut.steps % openingStride > 0)) continue
    const pool = young ? `young-${++pools}` : 'recovery'
    cuts++
    try {
      const bytes = `${young ? 'young ' : ''}${bytesOf(cut.left)}`
      const found = known.get(bytes) ?? (await recover(sqlite3, pool, copyOf(cut.left)))
      const { integrity, said } = found
      // The text of the state, not another copy of it.
      known.set(bytes, { ...found, said: recording.states.find((one) => one.said === said)?.said ?? said })
      const wrong = integrity === 'ok' ? judge(recording, cut, found, strict) : `integrity: ${integrity}`
      if (wrong) faults.push(`${name(cut)}: ${wrong}`)
      if (cuts % useStride > 0) continue
      used++
      const after = await use(sqlite3, pool, copyOf(cut.left))
      const wanted = { isCopied: true, found: true, listed: true, integrity: 'ok' }
      if (JSON.stringify(after) !== JSON.stringify(wanted))
        faults.push(`${name(cut)}: ${JSON.stringify(after)}`)
    } catch (error) {
      faults.push(`${name(cut)}: ${String(error)} ${error instanceof Error ? String(error.cause ?? '') : ''}`)
    }
    if (faults.length >= shownFaults) break
  }
  return { cuts, used, faults }
}

/** The same for the same files, sizes and bytes. */
const bytesOf = (image: Image) =>
  [...image].map(([file, { size, checksum }]) => `${file} ${size} ${checksum}`).join()

const name = ({ by, steps }: Cut) => `${by} at step ${steps}`

/** Each record of a state with all that it says itself. */
function recordsIn(said: string): string[] {
  const [records = []] = JSON.parse(said) as { id: string; kind: string; deleted: number; body: string }[][]
  return records.map(({ id, kind, deleted, body }) => JSON.stringify([id, kind, deleted, body]))
}

/** What is wrong with a book that says `said` after a cut, if anything. */
function judge(
  { states, acknowledged }: Recording,
  { by, steps }: Cut,
  { said, isMended }: Recovered,
  strict: boolean,
) {
  const state = states.findIndex((one) => one.said === said)
  // Without a flush the power takes the whole file, but not the copy beside it: what that has comes back.
  if (isMended && by === 'power' && !strict) {
    const done = states.filter((one) => one.steps <= steps)
    const before = new Set(done.flatMap((one) => recordsIn(one.said)))
    const made = recordsIn(said).filter((one) => !before.has(one))
    return made.length === 0 ? undefined : `records that there never were: ${made.join()}`
  }
  if (state < 0) return 'a state that there never was'
  const kept =
    by === 'power' && !strict ? 0 : (acknowledged.findLast((one) => one.steps <= steps)?.state ?? 0)
  if (state < kept) return `state ${state}, though state ${kept} had been acknowledged`
  const begun = states.findLastIndex((one) => one.steps <= steps)
  if (state > begun) return `state ${state}, which was not begun`
  return undefined
}
