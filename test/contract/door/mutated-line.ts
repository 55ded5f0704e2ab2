// Frames that were right and were changed, on lines to a mirror: each is handed on as it was said, answered, left
// alone, or ends its own line with the code of the wire. Nobody else's line ends, and nothing is stored.
import { expect, it } from 'vitest'
import { closeCodes, deviceFrame, parsePoke, type RelayFrame } from '../../../src/sync/wire/live-wire.ts'
import { createDice } from '../../support/dice.ts'
import type { LineHost, TalkSocket } from '../mirror/line/line-frame.ts'
import { checkErrorShape, damage, mutations } from './mutation.ts'

/** The device of the line that hears what the others say. */
export const hearer = 'd_hearer'

const size = { slots: 1000, slotBytes: 400, participants: 100 }
const rights: readonly ((n: number) => object)[] = [
  (n) => ({ type: 'room', data: { text: `mutated ${n}`, at: { n } } }),
  (n) => ({ type: 'envelope', data: { id: `e${n}`, vote: { n } }, to: hearer }),
  (n) => ({ type: 'poke', seq: n }),
  (n) => ({ type: 'later', n }),
  (n) => {
    const key = n.toString(16).padStart(32, '0')
    const message = { key, id: 'ann', name: 'Ann', text: `mutated ${n}` }
    return { type: 'room', data: { do: 'say', key, size, messages: [message] } }
  },
]

/** The frames, the same ones on every host. */
export function* mutatedFrames(count: number): Generator<string> {
  const seed = 20_261_123
  const dice = createDice(seed)
  for (const frame of mutations((n) => rights[n % rights.length]?.(n), count, seed))
    yield damage(JSON.stringify(frame), dice)
}

interface MirrorRoomFrame {
  readonly type: string
  readonly from?: unknown
  readonly data?: { readonly did?: string; readonly refused?: readonly object[] }
}

/** The data of a frame of the mirror itself: an event of the meeting room, or its answer to a request. */
function toldByRoom(text: string): MirrorRoomFrame['data'] {
  const { type, from, data } = JSON.parse(text) as MirrorRoomFrame
  return type === 'room' && from === undefined ? data : undefined
}

/** The talk that a line heard from others, without what the meeting room says. */
export const talkOf = (heard: readonly string[]) => heard.filter((text) => toldByRoom(text) === undefined)

/**
 * How many frames the meeting room has answered; throws for one that it refused in another shape than that of errors.
 */
export function answersOfRoom(heard: readonly string[]): number {
  const done = heard.flatMap((text) => toldByRoom(text) ?? []).filter(({ did }) => did === 'done')
  for (const { refused = [] } of done) for (const error of refused) checkErrorShape(error)
  return done.length
}

/** The outcome of a frame on its own line. */
export type Said = 'talk' | 'asked' | 'quiet' | 'ended'

/**
 * Checks the outcome of the frame `text` of `device` against the specification: the messages that the other device got
 * (`told`), and the code that closed the line, if any. Throws if they differ.
 */
export function checkSaid(
  text: string,
  { device, told, closed }: { device: string; told: readonly string[]; closed: number | undefined },
): Said {
  const wrong = (why: string) => new Error(`${why}: ${text} ended with ${closed} and told ${told.join()}`)
  const talk = closed === undefined ? talkIn(text) : undefined
  const wanted =
    talk === undefined || isForRoom(talk) || (talk.to ?? hearer) !== hearer
      ? []
      : [JSON.stringify({ type: talk.type, data: talk.data, from: { device } })]
  if (closed !== undefined && closed !== closeCodes.invalidFrame)
    throw wrong('This is no code for a bad frame')
  if (told.join() !== wanted.join()) throw wrong('The hearer was not told what was said')
  if (closed !== undefined) return 'ended'
  if (talk === undefined) return 'quiet'
  return isForRoom(talk) ? 'asked' : 'talk'
}

const isForRoom = ({ type, data }: RelayFrame) => type === 'room' && Object.hasOwn(data, 'do')

function talkIn(text: string): RelayFrame | undefined {
  const frame = deviceFrame.safeParse(JSON.parse(text)).data
  return frame?.type === 'poke' ? undefined : frame
}

/** Notes what sockets say, as it comes. */
function createEars() {
  let wake = () => undefined as void
  return {
    listen(socket: TalkSocket): string[] {
      const heard: string[] = []
      const note = async (): Promise<void> => {
        const text = await socket.next()
        heard.push(text)
        wake()
        if (!text.startsWith('closed ')) return note()
      }
      void note()
      return heard
    },
    until: (isIt: () => boolean) =>
      new Promise<void>((resolve) => {
        wake = () => isIt() && resolve()
        wake()
      }),
  }
}

/** Fewer than half of what a device may bring in one go: each is followed by a word that says that it was read. */
const framesOfDevice = 90

/** The same over real sockets, which take their time: fewer frames. */
export function mutatedLineCases(host: LineHost, count: number): void {
  const open = async (book: string, device: string) => {
    const { body } = await host.ticket(book, { device, for: ['sync', 'room', 'pool'] })
    return host.open(book, String(body['ticket']), ['daybook.live.2'])
  }
  const codeIn = (heard: readonly string[]) => {
    const end = heard.find((text) => text.startsWith('closed '))
    return end === undefined ? undefined : Number(end.slice('closed '.length))
  }

  it(`${count} mutated frames over sockets are handed on, answered, left alone, or end their own line`, async () => {
    const book = host.newBook()
    const ears = createEars()
    const told = ears.listen(await open(book, hearer))
    const seen: Partial<Record<Said, number>> = {}
    let [said, at] = [0, 0]
    let line: { socket: TalkSocket; heard: string[] } | undefined
    for (const text of mutatedFrames(count)) {
      const device = `d_sayer${Math.floor(said / framesOfDevice)}`
      if (!line || said++ % framesOfDevice === 0 || codeIn(line.heard) !== undefined) {
        const socket = await open(book, device)
        line = { socket, heard: ears.listen(socket) }
      }
      const { socket, heard } = line
      const read = JSON.stringify({ type: 'envelope', data: { read: said }, from: { device } })
      socket.send(text)
      socket.send(JSON.stringify({ type: 'envelope', data: { read: said } }))
      await ears.until(() => told.includes(read, at) || codeIn(heard) !== undefined)
      const news = talkOf(told.slice(at)).filter((one) => one !== read && parsePoke(one) === undefined)
      at = told.length
      const kind = checkSaid(text, { device, told: news, closed: codeIn(heard) })
      seen[kind] = (seen[kind] ?? 0) + 1
      answersOfRoom(heard.filter((one) => !one.startsWith('closed ')))
    }
    for (const kind of ['talk', 'asked', 'quiet', 'ended'] as const)
      expect([kind, (seen[kind] ?? 0) > count / 50]).toEqual([kind, true])
    expect(codeIn(told)).toBeUndefined()
    expect(await host.run(book, 'daybook:status', {})).toMatchObject({ records: {} })
  })
}
