// The laws of what is merged, held against a world at rest: every use of a skill counts once, and every tag stays.
import type { JsonObject } from '../../../src/core/json/path.ts'
import { settleSkill } from '../../../src/memory/kstar/maturity.ts'
import { type Row, rowsOf } from '../ledger.ts'
import type { Schedule } from '../schedule.ts'
import type { Stage } from '../stage/stage.ts'
import { openBodies } from '../world/sim-kind.ts'
import { none, same } from './same.ts'
import { has, isSetBack } from './schedule-has.ts'

export function judgeMerged(stage: Stage, schedule: Schedule): void {
  const { world, ledger, uses } = stage
  const rows = rowsOf(world.mirror.disk, 0)
  const bodyOf = (row: Row) => openBodies.readOrThrow(row, row.body)
  const skills = rows.filter(({ kind }) => kind === 'skill')
  for (const row of skills) {
    const body = bodyOf(row)
    same(sorted(settleSkill(body)), sorted(body), `The level of ${row.id} follows from its counts`)
  }
  if (isSetBack(schedule) || has(schedule, 'choose', 'decide')) return
  const entries = ledger.entries([world.mirror, ...world.devices].map(({ disk }) => disk))
  // A person has to decide what could not be merged.
  const isOpen = (id: string) => entries.some(({ record, state }) => record === id && state === 'open')
  const isForgotten = (id: string) => ledger.writes.some(({ record, op }) => record === id && op === 'forget')
  // Written anew by a mirror that could not read it.
  const isLeft = (id: string) => ledger.writes.some(({ record, isBlind }) => record === id && isBlind)
  for (const row of skills) {
    if (isOpen(row.id) || isForgotten(row.id) || isLeft(row.id)) continue
    const { usage_count, successes } = bodyOf(row)['maturity'] as { usage_count: number; successes: number }
    const own = uses.filter(({ skill }) => skill === row.id)
    const good = own.filter((one) => one.good).length
    same(
      { usage_count, successes },
      { usage_count: own.length, successes: good },
      `The uses of ${row.id} count once`,
    )
  }
  for (const row of rows.filter(({ kind }) => kind === 'merge')) {
    if (isOpen(row.id) || isForgotten(row.id) || isLeft(row.id)) continue
    const tags = new Set(bodyOf(row)['tags'] as string[])
    none(
      ledger.writes.filter(({ record, token }) => record === row.id && !tags.has(token)),
      `Every tag of ${row.id} stays`,
    )
  }
}

function sorted(body: JsonObject): unknown {
  return Object.entries(body['maturity'] as JsonObject).toSorted(([one], [other]) => (one < other ? -1 : 1))
}
