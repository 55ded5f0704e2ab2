// The guided sample: a scripted courier carries a parcel through a house twice, and stores each door it opens.
// Nothing here is made up beforehand: the second visit is shorter because it recalls what the first one stored.
import type { Daybook } from '../../src/index.ts'
import { archive, gate, house } from './house.ts'

export interface SampleReport {
  readonly traces: number
  readonly firstDoors: number
  readonly secondDoors: number
}

interface Visit {
  readonly session: string
  readonly isRemembering: boolean
  readonly doors: string[]
}

const errand = 'Bring the parcel from the gate to the archive'
const domain = 'courier.delivery'
const actor = 'agent:courier'

/** Runs both visits on `book`; everything it stores is tagged `sample`. */
export async function runCourier(book: Daybook): Promise<SampleReport> {
  const first = await visit(book, { session: 'sample-first-visit', isRemembering: false, doors: [] })
  const second = await visit(book, { session: 'sample-second-visit', isRemembering: true, doors: [] })
  return { traces: first + second + 2, firstDoors: first, secondDoors: second }
}

async function visit(book: Daybook, run: Visit): Promise<number> {
  await walk(book, run, gate, new Set([gate]))
  await book.traces.store({
    situation: { domain, actor, channel: 'script', context: { house: 'sample' } },
    task: { goal: errand },
    action: { type: 'deliver_parcel', parameters: { to: archive } },
    result: { success: true, outcome: { doors_opened: run.doors.length, remembered: run.isRemembering } },
    metadata: { mode: 'autonomous', tags: ['sample', 'delivery'], linked_traces: run.doors },
    session: run.session,
  })
  return run.doors.length
}

/** Opens doors from `room`, one after the other, until the archive is found. */
async function walk(book: Daybook, run: Visit, room: string, seen: Set<string>): Promise<boolean> {
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
    if (isWay) return true
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
