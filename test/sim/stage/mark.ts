// Marks of a schedule: one of them is said or taken back, or what stood before the last one comes back.
import type { JsonObject } from '../../../src/core/json/path.ts'
import { type MarkChange, type Marks, markId, markNames, marksIn } from '../../../src/core/mark.ts'
import { rowOf, rowsOf } from '../ledger.ts'
import type { Disk } from '../world/sim-disk.ts'
import { idOf, openBodies } from '../world/sim-kind.ts'
import type { Site } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'
import { noteAct, write } from './write.ts'

/** The body of the marks of `record` on a disk, as its person reads it. */
export function marksOn(disk: Disk, record: string): JsonObject | undefined {
  const row = rowOf(disk, markId(record))
  return row && !row.deleted ? openBodies.readOrThrow(row, row.body) : undefined
}

export async function mark(
  stage: Stage,
  site: Site,
  { record, mark: nth, back }: { readonly record: number; readonly mark: number; readonly back: boolean },
): Promise<void> {
  const target = targetOn(site.disk, idOf(record))
  if (target === undefined) return
  const there = Object.keys(marksIn(marksOn(site.disk, target) ?? {}) ?? {}) as (keyof Marks)[]
  const names = back ? there : markNames
  const name = names[nth % names.length]
  if (name) await say(stage, site, { target, name, value: back ? null : newValue(stage, name) })
}

/** The record `id` if it is there, else any other that can be marked. */
function targetOn(disk: Disk, id: string): string | undefined {
  const live = rowsOf(disk, 0).filter(({ kind }) => kind !== 'mark' && kind !== 'public_key')
  return (live.find((row) => row.id === id) ?? live[0])?.id
}

/** What stood before the last mark that was said here comes back, as its `undo` does it. */
export async function undoMark(stage: Stage, site: Site): Promise<void> {
  const last = stage.marks.findLast(({ by }) => by === site.name)
  if (last)
    await say(stage, site, {
      target: last.target,
      name: last.name,
      value: (last.saw as Marks[keyof Marks]) ?? null,
    })
}

interface Said {
  readonly target: string
  readonly name: keyof Marks
  readonly value: Marks[keyof Marks] | null
}

async function say(stage: Stage, site: Site, { target, name, value }: Said): Promise<void> {
  const saw = marksOn(site.disk, target)?.[name] as Marks[keyof Marks]
  const change = { [name]: value } as MarkChange
  await write(stage, site, 'marker', (records) => records.mark(target, change))
  const now = marksOn(site.disk, target)?.[name]
  if (now === saw || (now ?? null) !== value) return
  const isSealed = rowOf(site.disk, markId(target))?.body.startsWith('[') ?? false
  stage.marks.push({ target, name, value: value ?? undefined, saw, by: site.name, isSealed })
  noteAct(stage, site, 'mark')
}

/** Numbers and texts are said once in a schedule. */
function newValue({ ledger }: Stage, name: keyof Marks): Marks[keyof Marks] {
  const token = ledger.token()
  const n = Number(token.slice(1))
  if (name === 'importance') return n / 10_000
  return name === 'collection' ? token : n % 2 === 0
}
