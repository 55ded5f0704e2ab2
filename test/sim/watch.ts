// Watches every answer of the mirror while a schedule is played: numbers that must grow do, and pages are in order.
import type { SyncRequest, SyncResponse } from '../../src/sync/wire/protocol.ts'
import type { SimWorld } from './world/sim-world.ts'

export interface Watch {
  /** How many changes and results the mirror has answered so far. */
  moves(): number
  /** A disk was set back: what it says may begin anew. */
  reset(name: string): void
  /** Throws the first fault that was seen. */
  check(): void
}

export function createWatch(world: SimWorld): Watch {
  const faults: string[] = []
  const lastMid = new Map<string, number>()
  const vers = new Map<string, number>()
  let moves = 0
  let epoch = ''
  let floor = 0

  const clear = () => {
    lastMid.clear()
    vers.clear()
    floor = 0
  }
  const look = (request: SyncRequest, response: SyncResponse) => {
    const { device, pull, ops } = request
    if (response.epoch !== epoch) clear()
    epoch = response.epoch
    moves += response.changes.length + response.results.length
    if (pull.resync && ops.length > 0) faults.push('A device sends while it reads everything anew.')
    let mid = lastMid.get(device) ?? (response.results[0]?.mid ?? 1) - 1
    for (const result of response.results) {
      if (result.mid > mid + 1) faults.push(`An op of ${device} was taken before the one before it.`)
      mid = Math.max(mid, result.mid)
    }
    if (response.lastMid < (lastMid.get(device) ?? 0)) faults.push(`The last mid of ${device} went back.`)
    lastMid.set(device, response.lastMid)
    if (response.floor < floor) faults.push('The floor sank.')
    // Where tombstones are collected, a record may begin anew.
    if (response.floor > floor) vers.clear()
    floor = response.floor
    let place = pull.cursor
    for (const change of response.changes) {
      if (change.seq <= place) faults.push(`Changes are out of order at ${change.seq}.`)
      place = change.seq
      const key = `${change.id}@${change.ver}`
      if ((vers.get(key) ?? change.seq) !== change.seq) faults.push(`${key} has two places.`)
      vers.set(key, change.seq)
    }
    if (response.cursor < place) faults.push('The cursor lies before the last change.')
  }
  world.onAnswer = look
  world.onSilence = () => lastMid.clear()

  return {
    moves: () => moves,
    reset: () => clear(),
    check() {
      if (faults[0] !== undefined) throw new Error(faults[0])
    },
  }
}
