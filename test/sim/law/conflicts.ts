// The laws of the conflict log, held against a world at rest: an edit has lost to one other, whoever logged it and however
// often the answer was given; and what can be merged is not left to a person.
import type { ConflictEntry, ConflictSide } from '../../../src/core/op.ts'
import type { Schedule } from '../schedule.ts'
import type { Stage } from '../stage/stage.ts'
import { newKinds, saidIn } from '../world/sim-kind.ts'
import { none } from './same.ts'
import { has, isSetBack } from './schedule-has.ts'

export function judgeConflicts({ world, ledger }: Stage, schedule: Schedule): void {
  const all = ledger.entries([world.mirror, ...world.devices].map(({ disk }) => disk))
  const isMerged = ({ kind }: ConflictEntry) => newKinds.get(kind)?.policy === 'merge'
  if (!has(schedule, 'lock'))
    none(
      all.filter((entry) => entry.state === 'open' && isMerged(entry)),
      'What can be merged is not left to a person',
    )
  // Who decides may say again what was said, and has it lose again; what was set back meets what it met before.
  if (isSetBack(schedule) || has(schedule, 'choose', 'decide', 'age', 'tidy')) return
  const sealed = new Set(ledger.writes.flatMap(({ record, isSealed }) => (isSealed ? [record] : [])))
  const told = all.flatMap((entry) => {
    const lost = sayOf(entry, entry.loser)
    const kept = entry.winner && sayOf(entry, entry.winner)
    // Between what is sealed and what is not a device decides, while others do.
    const isOther = isMerged(entry) || entry.winner?.record !== undefined || sealed.has(entry.record)
    return isOther || !lost || !kept ? [] : [{ lost, kept, entry }]
  })
  for (const [lost, entries] of Map.groupBy(told, (one) => one.lost)) {
    const winners = new Set(entries.map(({ kept }) => kept))
    none(winners.size > 1 ? entries.map(({ entry }) => entry) : [], `${lost} has lost to one other`)
  }
}

function sayOf({ kind, record }: ConflictEntry, { op, body }: ConflictSide): string | undefined {
  if (op === 'forget') return undefined
  return body && `${record} ${saidIn(kind, body)}`
}
