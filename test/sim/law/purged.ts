// The law of the purge, held against a world at rest: it wins over every edit of its record that was not made on it, and of what
// was purged no disk has a word.
import type { Schedule } from '../schedule.ts'
import type { Stage } from '../stage/stage.ts'
import { none } from './same.ts'
import { has } from './schedule-has.ts'

const texts = `SELECT body AS text FROM records UNION ALL SELECT body FROM history UNION ALL SELECT wire FROM ops
  UNION ALL SELECT loser_body FROM conflicts UNION ALL SELECT winner_body FROM conflicts UNION ALL SELECT base_body FROM conflicts
  UNION ALL SELECT result FROM results`

export function judgePurged({ world, ledger }: Stage, schedule: Schedule): void {
  // What was purged at a disk that was set back since was purged nowhere else, or nobody has heard of it yet.
  if (has(schedule, 'replace-mirror', 'restore-mirror', 'set-back-mirror', 'restore', 'fork', 'harm')) return
  // Who decides says again what he has read.
  if (has(schedule, 'choose', 'decide')) return
  const gone = ledger.writes.filter((write) => ledger.isPurgedEdit(write)).map(({ token }) => `"${token}"`)
  if (gone.length === 0) return
  for (const { name, disk } of [world.mirror, ...world.devices]) {
    const whole = disk.db
      .all<{ text: string | null }>(texts)
      .map(({ text }) => text ?? '')
      .join('\n')
    none(
      gone.filter((token) => whole.includes(token)),
      `${name} has nothing of what was purged`,
    )
  }
}
