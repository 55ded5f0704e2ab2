// The law of lost answers: one that is lost and asked for again at once changes nothing. A schedule is played once
// more in which none is lost, and ends with the same records and the same conflict logs everywhere.
import { rowsOf } from '../ledger.ts'
import type { Schedule } from '../schedule.ts'
import type { Stage } from '../stage/stage.ts'
import type { Step } from '../step.ts'
import { openBodies } from '../world/sim-kind.ts'

/** What does not go by the number of letters, commits and rounds, so that two plays can be compared. */
const comparable: ReadonlySet<Step['do']> = new Set([
  'put',
  'forget',
  'seal',
  'lock',
  'unlock',
  'sync',
  'wait',
  'skew',
  'age',
  'tidy',
  'select',
  'install',
  'choose',
  'decide',
  'mark',
  'undo-mark',
  'publish',
  'leave',
  'supersede',
  'retract',
  'seal-fact',
  'use',
])

/** `schedule` without lost answers; undefined where it has none of those, or can't be compared. */
export function withoutLostAnswers(schedule: Schedule): Schedule | undefined {
  const isComparable = schedule.every((step) => comparable.has(step.do))
  const hasLost = schedule.some((step) => step.do === 'sync' && step.weather.includes('ask-again'))
  if (!isComparable || !hasLost) return undefined
  return schedule.map((step) =>
    step.do === 'sync'
      ? { ...step, weather: step.weather.map((one) => (one === 'ask-again' ? 'fair' : one)) }
      : step,
  )
}

/** What is left everywhere, in clear, and what lost. */
export function outcomeOf({ world }: Stage): unknown {
  return [world.mirror, ...world.devices].map(({ name, disk, run }) => ({
    name,
    records: rowsOf(disk, 0).map(({ body, ...row }) => ({
      ...row,
      body: openBodies.readOrThrow({ ...row }, body),
    })),
    forgotten: rowsOf(disk, 1).map(({ id }) => id),
    conflicts: run()
      .store.conflicts.list({ limit: 10_000 })
      .map(({ record, state, loser, winner, paths }) => ({
        record,
        state,
        lost: loser.body,
        kept: winner?.body,
        paths,
      }))
      .map((entry) => JSON.stringify(entry))
      .toSorted(),
  }))
}
