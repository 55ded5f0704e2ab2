// The laws of marks, held against a world at rest: none is lost or comes back, and they go with their record.
import { markId, marksIn } from '../../../src/core/mark.ts'
import { rowOf, rowsOf } from '../ledger.ts'
import type { Schedule } from '../schedule.ts'
import { marksOn } from '../stage/mark.ts'
import type { MarkWrite, Stage } from '../stage/stage.ts'
import { openBodies } from '../world/sim-kind.ts'
import { none, same } from './same.ts'
import { has, isSetBack } from './schedule-has.ts'

export async function judgeMarks(stage: Stage, schedule: Schedule): Promise<void> {
  const { mirror, devices } = stage.world
  const marks = rowsOf(mirror.disk, 0).filter(({ kind }) => kind === 'mark')
  for (const row of marks) {
    const { record } = openBodies.readOrThrow(row, row.body)
    same(row.id, markId(String(record)), `${row.id} is the one mark of its record`)
    const target = rowOf(mirror.disk, String(record))
    const mayWait = has(schedule, 'age', 'tidy') || isSetBack(schedule)
    if (target ? target.deleted === 1 : !mayWait) throw new Error(`${row.id} goes with its record`)
    if (!target) continue
    if (sealingOf(target) && !sealingOf(row)) throw new Error(`${row.id} is less sensitive than its record`)
    for (const { name, run } of devices) {
      const { access, arrivals } = run()
      await arrivals?.receive()
      const shown = access.reader.get(target.id)?.marks
      same(
        sorted(shown),
        sorted(marksIn(marksOn(mirror.disk, target.id) ?? {})),
        `${name} shows the marks of ${target.id}`,
      )
    }
  }
  none(lostMarks(stage), 'no mark is lost')
  if (!isSetBack(schedule) && !has(schedule, 'age'))
    none(returned(stage), 'no mark that was taken back returns')
}

const sealingOf = ({ body }: { readonly body: string }) => body.startsWith('[')
const sorted = (marks: object | undefined) => Object.entries(marks ?? {}).toSorted()

/** Marks that are neither there, nor replaced by somebody who saw them, nor in a log, nor gone with their record. */
function lostMarks({ world, marks, ledger }: Stage): MarkWrite[] {
  const disks = [world.mirror, ...world.devices].map(({ disk }) => disk)
  const entries = ledger.entries(disks).filter(({ kind }) => kind === 'mark')
  const forgotten = new Set(ledger.writes.flatMap(({ op, record }) => (op === 'forget' ? [record] : [])))
  // Nobody without the key keeps an edit in clear of a record that is sealed (E4).
  const sealed = new Set(ledger.writes.flatMap(({ isSealed, record }) => (isSealed ? [record] : [])))
  return marks.filter(({ target, name, value, isSealed }) => {
    const isThere = marksOn(world.mirror.disk, target)?.[name] === value
    const isReplaced = marks.some((one) => one.target === target && one.name === name && one.saw === value)
    const isLogged = entries.some(
      ({ record, loser }) => record === markId(target) && loser.body?.[name] === value,
    )
    const isExcused = value === undefined || typeof value === 'boolean' || ledger.isExcused(String(value))
    const isVeiled = !isSealed && sealed.has(target)
    return !isThere && !isReplaced && !isLogged && !isExcused && !isVeiled && !forgotten.has(target)
  })
}

/** Marks that somebody took back or replaced who saw them, and that nobody said again. */
function returned({ world, marks, ledger }: Stage): MarkWrite[] {
  const disks = [world.mirror, ...world.devices].map(({ disk }) => disk)
  const entries = ledger.entries(disks).filter(({ kind }) => kind === 'mark')
  return marks.filter(({ target, name, value, saw }, at) => {
    if (saw === undefined || typeof saw === 'boolean' || value === saw) return false
    const isThere = marksOn(world.mirror.disk, target)?.[name] === saw
    // It is new each time, but for what an undo says again.
    const said = marks.filter((one) => one.target === target && one.name === name && one.value === saw)
    const isSaidAgain = said.length > 1 || marks.indexOf(said[0] as MarkWrite) > at
    const isLogged = entries.some(
      ({ record, loser }) =>
        record === markId(target) && (loser.op === 'forget' || loser.body?.[name] === value),
    )
    return isThere && !isSaidAgain && !isLogged
  })
}
