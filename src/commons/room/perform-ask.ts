// What a device says on its line, done in the room of its mirror.
// Invariant: a line of a guest's speaks in that guest's name alone.
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { RoomMessage, RoomSize } from '../../core/capability/port/room-port.ts'
import type { KnownRoom } from './kept-room.ts'
import { ringBytes } from './meeting-ring.ts'
import type { Refusal, RoomAsk, Unsaid } from './room-wire.ts'

/** Who says something on a line, as the mirror knows it. */
export interface Speaker {
  readonly device: string
  /** In whose name alone it speaks; absent: the owner's, who gives any. */
  readonly agent?: string | undefined
}

/** What a mirror keeps of a room at most: a row of a Durable Object takes 2 MB. */
const mirrorRoomLimits = { bytes: 1_500_000, slotBytes: 8192 } as const
/** A device may have given this many numbers by itself. */
const mostRaised = 1_000_000

export interface Performed {
  readonly refused: readonly Refusal[]
  readonly said: readonly RoomMessage[]
  readonly goneBefore?: number
}

function takeSize({ room }: KnownRoom, size: RoomSize): void {
  const { slots, slotBytes, participants } = size
  const isUsable = slots > 0 && slotBytes > 0 && participants > 0 && slotBytes <= mirrorRoomLimits.slotBytes
  if (room.isEmpty() && isUsable && ringBytes(size) <= mirrorRoomLimits.bytes) room.takeSize(size)
}
export const asRefusal = (of: string, error: unknown): Refusal => ({ of, ...toDaybookError(error).toJSON() })
function mayBe(id: string, { agent }: Speaker): void {
  if (agent === undefined || agent === id) return
  throw new DaybookError('forbidden', `The line is ${agent}'s, and no one else's.`, {
    details: { path: 'id' },
  })
}

/** Does what a device asks, as far as it may; what is refused of it has changed nothing. */
export function performAsk(one: KnownRoom, ask: RoomAsk, speaker: Speaker): Performed {
  const refused: Refusal[] = []
  const said: RoomMessage[] = []
  const { next, gone } = one.room.talk.state()
  const attempt = (of: string, work: () => unknown) => {
    try {
      work()
    } catch (error) {
      refused.push(asRefusal(of, error))
    }
  }
  const enter = ({ id, name, role, joined_at }: Extract<RoomAsk, { do: 'join' }>['person']) =>
    attempt(id, () => {
      mayBe(id, speaker)
      one.presence.enter({ id, name: speaker.agent ?? name, role }, speaker.device, joined_at)
    })
  const say = ({ key, id, name, text, at, was }: Unsaid) =>
    attempt(key, () => {
      mayBe(id, speaker)
      const message =
        was === undefined
          ? one.presence.say({ id, text, tab: speaker.device, key })
          : one.room.take({
              key,
              message: { number: was, from: id, name: speaker.agent ?? name, text, at: at ?? '' },
            })
      said.push(message)
    })
  if (ask.do === 'leave') attempt(ask.id, () => mayBe(ask.id, speaker))
  if (ask.do === 'leave' && refused.length === 0) one.presence.leave(ask.id, speaker.device)
  if (ask.do !== 'leave') takeSize(one, ask.size)
  if (ask.do === 'join') enter(ask.person)
  if (ask.do === 'say') ask.messages.forEach(say)
  if (ask.do === 'come') {
    one.presence.cameBack(speaker.device, new Set(ask.people.map(({ id }) => id)))
    ask.people.forEach(enter)
    if (ask.next > next && ask.next - next <= mostRaised) {
      one.room.raise(ask.next, Math.min(ask.gone, ask.next - 1))
    }
  }
  return ask.do === 'come' ? { refused, said, goneBefore: gone } : { refused, said }
}
