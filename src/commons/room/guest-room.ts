// The meeting room as one caller may use it.
// Invariant: a guest is let in only by a token whose scope has the room, and speaks, listens and leaves as itself alone.
import type { Caller } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import { isInRoom, meetingRoom } from '../../core/access/reach.ts'
import type { Room } from '../../core/capability/port/room-port.ts'

/** `room` for `caller`; what a guest may not do there is `forbidden`. */
export function roomFor(caller: Caller, room: Room): Room {
  if (caller.role === 'owner') return room
  const { agent, reach } = caller
  const enter = () => {
    if (isInRoom(reach)) return room
    throw new DaybookError('forbidden', `The scope of the token does not have \`${meetingRoom}\`.`, {
      details: { path: 'scope' },
    })
  }
  const enterAs = (id: string) => {
    if (id === agent) return enter()
    throw new DaybookError('forbidden', `The token is ${agent}'s, and no one else's.`, {
      details: { path: 'as' },
    })
  }
  return {
    // A name of its own choice could be somebody else's.
    join: async ({ id, role }) => enterAs(id).join({ id, name: agent, role }),
    leave: async (id) => enterAs(id).leave(id),
    say: async (id, text) => enterAs(id).say(id, text),
    hear: (id, last, limit) => enterAs(id).hear(id, last, limit),
    look: (id, last, limit) => enterAs(id).look(id, last, limit),
    whoIsHere: () => enter().whoIsHere(),
    status: (id, last) => enterAs(id).status(id, last),
  }
}
