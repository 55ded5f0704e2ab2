// Ten thousand frames that were right and were changed, on lines of the edge in this process.
import { afterAll, expect, it } from 'vitest'
import {
  answersOfRoom,
  checkSaid,
  hearer,
  mutatedFrames,
  type Said,
  talkOf,
} from '../../../contract/door/mutated-line.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { createNodeEdge } from '../../../support/server/node-edge.ts'

const count = 10_000
/** Fewer than a device may bring in one go. */
const framesOfDevice = 150

/** Each frame comes later than the one before it, so that the caller can pay for all of them. */
let laterMs = 0
const clock = { ...nodePorts.clock, now: () => nodePorts.clock.now() + laterMs }
const edge = createNodeEdge({ ...nodePorts, clock })
afterAll(() => edge.close())

async function ask(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await edge.fetch(path, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as Record<string, unknown>
}

type OpenLine = Awaited<ReturnType<typeof openLine>>

async function openLine(device: string) {
  const asked = { device, for: ['sync', 'room', 'pool'] }
  const { ticket } = await ask('/v1/books/lines/live', asked)
  return edge.line('lines', String(ticket))
}

/** The line that says the next frame: another one once it has ended, and another device's before it has said too much. */
function createSayers() {
  const lines: OpenLine[] = []
  let said = 0
  return {
    lines,
    async next() {
      const device = `d_sayer${Math.floor(said / framesOfDevice)}`
      const [last] = lines
      const isOver = said % framesOfDevice === 0 || last?.closed !== undefined
      said++
      if (isOver) lines.unshift(await openLine(device))
      return { device, line: lines[0] ?? (await openLine(device)) }
    },
  }
}

it('mutated frames are handed on as they are, answered, left alone, or end their own line', async () => {
  const listening = await openLine(hearer)
  const seen: Record<Said, number> = { talk: 0, asked: 0, quiet: 0, ended: 0 }
  const sayers = createSayers()
  let heard = listening.heard.length
  for (const text of mutatedFrames(count)) {
    const { device, line } = await sayers.next()
    laterMs += 5
    line.say(text)
    const told = talkOf(listening.heard.slice(heard))
    heard = listening.heard.length
    seen[checkSaid(text, { device, told, closed: line.closed })]++
  }
  for (const kind of ['talk', 'asked', 'quiet', 'ended'] as const)
    expect([kind, seen[kind] > count / 50]).toEqual([kind, true])
  // The room does what it is asked in its order: whoever asked before this was answered.
  await ask('/v1/books/lines/capabilities/room:join', { id: 'last', name: 'Last' })
  const answered = sayers.lines.reduce((sum, line) => sum + answersOfRoom(line.heard), 0)
  expect(answered).toBe(seen.asked)
  expect(listening.closed).toBeUndefined()
  expect(await ask('/v1/books/lines/capabilities/daybook:status', {})).toMatchObject({ records: {} })
  expect(edge.storedIn('lines')).toBe(0)
})
