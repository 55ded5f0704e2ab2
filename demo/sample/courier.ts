// The house that the scripted agent of the guided sample walks through: rooms and their doors, in the order it meets them.
import type { Daybook } from '../../src/index.ts'

export const gate = 'gate'
export const archive = 'archive'

const house: Readonly<Record<string, readonly string[]>> = {
  gate: ['hall'],
  hall: ['gate', 'cloakroom', 'kitchen', 'staircase'],
  cloakroom: ['hall'],
  kitchen: ['hall', 'pantry'],
  pantry: ['kitchen'],
  staircase: ['hall', 'gallery', 'map room'],
  gallery: ['staircase', 'balcony'],
  balcony: ['gallery'],
  'map room': ['staircase', 'cellar', 'reading room'],
  cellar: ['map room', 'boiler room'],
  'boiler room': ['cellar'],
  'reading room': ['map room', 'archive'],
  archive: ['reading room'],
}

/** The result of a visit. */
export interface Visit {
  readonly session: string
  readonly isRemembering: boolean
  /** The traces of the doors opened, in their order. */
  readonly doors: readonly string[]
  /** Rooms that led nowhere, with the trace that found out. */
  readonly deadEnds: ReadonlyMap<string, string>
  /** The trace of the delivery itself. */
  readonly delivery: string
}

/** Told of each door once it is known whether it was on the way. */
type DoorListener = (wasWay: boolean) => Promise<void>

interface Run {
  readonly session: string
  readonly isRemembering: boolean
  readonly doors: string[]
  readonly deadEnds: Map<string, string>
  readonly onDoor: DoorListener
}

const errand = 'Bring the parcel from the gate to the archive'
export const domain = 'courier.delivery'
const actor = 'agent:courier'

/** Goes from the gate to the archive once; everything it stores is tagged `sample`. */
export async function visitHouse(
  book: Daybook,
  { session, isRemembering }: { session: string; isRemembering: boolean },
  onDoor: DoorListener,
): Promise<Visit> {
  const run: Run = { session, isRemembering, doors: [], deadEnds: new Map(), onDoor }
  await walk(book, run, gate, new Set([gate]))
  const { id: delivery } = await book.traces.store({
    situation: { domain, actor, channel: 'script', context: { house: 'sample' } },
    task: { goal: errand },
    action: { type: 'deliver_parcel', parameters: { to: archive } },
    result: { success: true, outcome: { doors_opened: run.doors.length, remembered: isRemembering } },
    metadata: { mode: 'autonomous', tags: ['sample', 'delivery'], linked_traces: run.doors },
    session,
  })
  return { session, isRemembering, doors: run.doors, deadEnds: run.deadEnds, delivery }
}

/** Opens doors from `room`, one after the other, until the archive is found. */
async function walk(book: Daybook, run: Run, room: string, seen: Set<string>): Promise<boolean> {
  if (room === archive) return true
  const avoided = run.isRemembering ? await recallDeadEnds(book, room) : []
  for (const next of house[room] ?? []) {
    if (seen.has(next) || avoided.includes(next)) continue
    seen.add(next)
    const before = run.doors.at(-1)
    // Stored when the door is opened, completed when it is known where it led.
    const { id } = await book.traces.store({
      situation: { domain, actor, channel: 'script', context: { room, doors: house[room] ?? [], avoided } },
      task: { goal: `Find out whether the ${next} is on the way to the ${archive}`, constraints: [errand] },
      action: { type: 'open_door', parameters: { to: next, from: room }, tools_used: ['hand'] },
      metadata: { mode: 'autonomous', tags: ['sample'], linked_traces: before === undefined ? [] : [before] },
      session: run.session,
    })
    run.doors.push(id)
    const isWay = await walk(book, run, next, seen)
    const found = isWay
      ? `The ${next} is on the way to the archive.`
      : `The ${next} leads nowhere: a dead end.`
    await book.traces.complete({ id, result: { success: isWay, outcome: { found } } })
    await run.onDoor(isWay)
    if (isWay) return true
    run.deadEnds.set(next, id)
  }
  return false
}

/** The doors of `room` that led nowhere before, as the book recalls them. */
async function recallDeadEnds(book: Daybook, room: string): Promise<string[]> {
  const { hits } = await book.recall({
    text: `Which doors from the ${room} lead nowhere?`,
    kinds: ['trace'],
    filters: { 'action.parameters.from': room, 'result.success': false },
  })
  return hits.flatMap(({ record }) => {
    const { to } = (record as unknown as { action: { parameters: { to?: unknown } } }).action.parameters
    return typeof to === 'string' ? [to] : []
  })
}
