// The line of a process that follows to the one that holds its book.
import { connect } from 'node:net'
import type { FollowerMessage, OwnerMessage } from '../../../book/share/line-message.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { FrameLine } from './frame-line.ts'
import type { EventMessage, JoiningProcess } from './process-wire.ts'
import { fileIdOf, readSocketNote } from './socket-place.ts'

export type HolderLine = Pick<FrameLine, 'end' | 'hold'> & { post(message: FollowerMessage): void }

export interface HolderHearing {
  hear(message: OwnerMessage): void
  event(event: BookEvent): void
  /** There is a line; `hear` is told first whether the holder serves this process. */
  joined(line: HolderLine): void
  lost(): void
}

/** `none`: no holder has said where it listens; `silent`: nobody listens there, yet or any more. */
export type Joining = 'joined' | 'silent' | 'none'

/** Holders have this long to answer at all; calls have the patience of `Follower`. */
const patience = { firstMs: 60_000 }

export async function joinHolder(
  path: string,
  joiner: Omit<JoiningProcess, 'file'>,
  { hear, event, joined, lost }: HolderHearing,
): Promise<Joining> {
  const socketPath = readSocketNote(path)
  const file = fileIdOf(path)
  if (socketPath === undefined || file === undefined) return 'none'
  const socket = connect(socketPath)
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  if (!isConnected) {
    socket.destroy()
    return 'silent'
  }
  const line = new FrameLine(socket, {
    patience,
    hear(given) {
      // The holder is a Daybook of this very version, run by the same user.
      if (!isJsonObject(given)) return
      const message = given as unknown as OwnerMessage | EventMessage
      if (message.type === 'event') event(message.event)
      else hear(message)
    },
    closed: lost,
  })
  line.widen()
  joined(line)
  line.post({ ...joiner, file })
  return 'joined'
}
