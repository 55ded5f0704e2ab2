// Two devices and their mirror, whose lines come and go and whose object is thrown away, at any moment: no number is given
// twice, all hear the same in the same order, and a listener is told that it lost something if and only if it did.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeviceRoom, lineWaitMs } from '../../../src/commons/room/device-room.ts'
import type { RoomNumbers } from '../../../src/commons/room/room-messages.ts'
import type { RoomRow } from '../../../src/store/mirror/room-row.ts'
import { MirrorRoom } from '../../../src/commons/room/mirror-room.ts'
import type { RoomMessages, RoomEvent, RoomMessage } from '../../../src/core/capability/port/room-port.ts'

const size = { slots: 6, slotBytes: 64, participants: 8 }
const agents = ['ada', 'bob'] as const

/** A world in which nothing happens but what a test does: time stands, frames wait in their lines. */
function createWorld() {
  let nowMs = Date.UTC(2026, 0, 1)
  const clock = { now: () => nowMs }
  let drawn = 0
  const random = {
    bytes: (count: number) =>
      Uint8Array.from({ length: count }, (_, i) => (i < 4 ? (++drawn >> (8 * i)) & 255 : i)),
  }
  let row: RoomRow | undefined
  let nextKept = 0
  const shelf = {
    read: () => row && { ...row, bytes: row.bytes.slice() },
    stamp: () => row?.stamp,
    write: (room: RoomRow) => (row = { ...room, bytes: room.bytes.slice() }),
    remove: () => (row = undefined),
    nextNumber: () => nextKept,
    setNextNumber: (next: number) => (nextKept = next),
  }
  const makeMirror = () =>
    new MirrorRoom({
      clock,
      random,
      rows: shelf,
      commit: (work) => new Promise((resolve) => resolve(work())),
      onChange: () => tellAll(),
    })
  let mirror: MirrorRoom = makeMirror()
  /** Texts that have come to the mirror: what a device forgot before it had a line was said to nobody else. */
  const shared = new Set<string>()
  const renumbered = new Set<string>()
  const tellAll = () => {
    for (const data of mirror.takeEventFrames() as { events: RoomEvent[] }[]) {
      for (const device of devices) device.told(data)
      for (const event of data.events)
        if (event.type === 'said') {
          shared.add(event.message.text)
          if (event.message.was !== undefined) renumbered.add(event.message.text)
        }
    }
  }

  const createDevice = (name: string) => {
    const timers = new Set<{ atMs: number; task: () => void }>()
    const scheduler = {
      soon: (task: () => void) => task(),
      later(delayMs: number, task: () => void) {
        const timer = { atMs: nowMs + delayMs, task }
        timers.add(timer)
        return () => void timers.delete(timer)
      },
    }
    let numbers: RoomNumbers | undefined
    const makeRoom = () =>
      new DeviceRoom({
        clock,
        random,
        scheduler,
        device: name,
        tab: 'here',
        size,
        numbers: { read: () => numbers, write: (given) => (numbers = structuredClone(given)) },
        emit: () => undefined,
      })
    let room = makeRoom()
    let line: { readonly up: object[]; readonly down: object[] } | undefined
    const say = (data: object) => {
      line?.up.push(structuredClone(data))
      return line !== undefined
    }
    room.expectLine(say)
    return {
      of: () => room.roomForTab('here'),
      isOnline: () => line !== undefined,
      told: (data: object) => void line?.down.push(structuredClone(data)),
      connect() {
        if (line) return
        line = { up: [], down: [] }
        room.lineOpened()
      },
      cut() {
        if (!line) return
        line = undefined
        room.lineClosed()
      },
      /** Every tab of it is closed, without a word to anybody, and one is opened again. */
      reload() {
        line = undefined
        timers.clear()
        room = makeRoom()
        room.expectLine(say)
      },
      /** The mirror takes one frame, if one waits. */
      async takeUp() {
        const own = line
        const data = own?.up.shift()
        if (data)
          await mirror.handleRequest(
            data,
            { device: name },
            (answer) => void own?.down.push(structuredClone(answer)),
          )
        return data !== undefined
      },
      takeDown() {
        const data = line?.down.shift()
        if (data) room.receive(data)
        return data !== undefined
      },
      tick() {
        for (const timer of timers) if (timer.atMs <= nowMs && timers.delete(timer)) timer.task()
      },
    }
  }
  const devices = [createDevice('d_ada'), createDevice('d_bob')] as const
  const settle = async () => {
    for (let isBusy = true; isBusy;) {
      isBusy = false
      for (const device of devices) {
        while (await device.takeUp()) isBusy = true
        while (device.takeDown()) isBusy = true
      }
    }
  }
  return {
    devices,
    settle,
    shared,
    renumbered,
    row: () => row,
    mirror: () => mirror,
    evict: () => (mirror = makeMirror()),
    pass(ms: number) {
      nowMs += ms
      for (const device of devices) device.tick()
    },
  }
}

const who = fc.constantFrom(0, 1)
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('hear' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('http' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('up' as const), who }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('down' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('connect' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evict' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const), who }) },
)

describe('numbers of a room across devices', () => {
  it('are given once, in one order for all, and what is lost is told', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 70 }), async (actions) => {
        const world = createWorld()
        const { devices } = world
        let texts = 0
        const answers: { readonly by: number; readonly text: string; isHere: boolean }[] = []
        const ask = (by: number, text: string, answer: Promise<RoomMessage>) => {
          const one = { by, text, isHere: false }
          answers.push(one)
          void answer.then(() => (one.isHere = true))
        }
        /** Nobody is left who waited for an answer to these. */
        const reloaded = new Set<string>()
        /** Under which numbers the mirror has said each text, as any listener heard it. */
        const numbers = new Map<string, Set<string>>()
        const listeners = agents.map(() => ({
          last: 0,
          heard: new Set<string>(),
          wasTold: false,
          /** How many texts there were when it first heard one: from its number on it is told what it loses. */
          began: undefined as number | undefined,
        }))
        const listen = (i: number) => {
          const listener = listeners[i]
          const device = devices[i]
          if (!listener || !device) return
          const { messages, lost }: RoomMessages = device.of().hear(`listener ${i}`, listener.last, 100)
          for (const { number, text } of messages) {
            // To one listener numbers only grow, so none comes twice.
            expect(number).toBeGreaterThan(lost && number <= listener.last ? 0 : listener.last)
            listener.last = number
            listener.heard.add(text)
            listener.began ??= texts
          }
          listener.wasTold ||= lost
        }
        for (const one of actions) {
          const device = devices[one.who]
          if (!device) continue
          const text = `text ${texts + 1}`
          if (one.do === 'say') {
            texts += 1
            ask(one.who, text, device.of().say(agents[one.who] ?? '', text))
          } else if (one.do === 'http') {
            texts += 1
            ask(-1, text, world.mirror().roomForHttp().say('http', text))
          } else if (one.do === 'reload') {
            for (const { by, isHere, text: said } of answers)
              if (by === one.who && !isHere) reloaded.add(said)
            device.reload()
          } else if (one.do === 'leave') {
            for (const id of [agents[one.who] ?? '', `listener ${one.who}`]) void device.of().leave(id)
          } else if (one.do === 'hear') listen(one.who)
          else if (one.do === 'up') await device.takeUp()
          else if (one.do === 'down') device.takeDown()
          else if (one.do === 'connect') device.connect()
          else if (one.do === 'cut') device.cut()
          else if (one.do === 'wait') world.pass(lineWaitMs)
          else if (one.do === 'evict') world.evict()
          else await world.settle()
          await Promise.resolve()
        }
        for (const device of devices) device.connect()
        await world.settle()
        world.pass(lineWaitMs)
        await world.settle()
        const unanswered = answers.filter(({ isHere, text }) => !isHere && !reloaded.has(text))
        expect(unanswered).toEqual([])

        // Every copy has the same, in the order in which the mirror gave its numbers.
        const told = (heard: RoomMessages) => heard.messages.map(({ number, text }) => `${number} ${text}`)
        const [ada, bob] = devices.map((device) => told(device.of().hear('at last', 0, 100)))
        expect(ada).toEqual(bob)
        expect(ada).toEqual(told(world.mirror().roomForHttp().hear('at last', 0, 100)))
        for (const line of ada ?? []) {
          const [number = '', ...rest] = line.split(' ')
          const text = rest.join(' ')
          numbers.set(text, (numbers.get(text) ?? new Set()).add(number))
        }
        for (const [text, under] of numbers) expect([text, under.size]).toEqual([text, 1])

        // Whoever is not told has heard everything, from where it began; whoever is told has not.
        listeners.forEach((listener, i) => {
          const { began } = listener
          listen(i)
          const missed = Array.from({ length: texts }, (_, n) => `text ${n + 1}`).filter(
            (text) => !listener.heard.has(text),
          )
          // Under its new number it may have missed what it had heard under the old one.
          const isTwice = [...world.renumbered].some((text) => listener.heard.has(text))
          if (listener.wasTold) expect([i, missed.length > 0 || isTwice]).toEqual([i, true])
          else if (began !== undefined)
            expect([
              i,
              missed.filter((text) => world.shared.has(text) && Number(text.slice(5)) > began),
            ]).toEqual([i, []])
        })
      }),
      { numRuns: 400 },
    )
  })
})
