// The chapter of the meeting room: its verbs, and the rights of guests. The engine owns the room, because every tab
// has a copy.
// Invariant: no message becomes a record; a guest enters only with a token whose scope has the room, and speaks,
// listens and leaves only in its own name.
import { z } from 'zod'
import { defineChapter } from '../../core/capability/chapter.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import { roomName as participantName, roomRole } from './room-wire.ts'
import type { Caller } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import { isInRoom, meetingRoom } from '../../core/access/reach.ts'
import type { Room } from '../../core/capability/port/room-port.ts'
import { readVerb } from '../../shape/record-verbs.ts'
import { limit } from '../../shape/page.ts'

/** The speaker or listener. Default: the calling agent. Only the owner may name another one. */
const as = participantName.optional()
const lastNumber = z.number().int().min(0).default(0)
const message = z.object({
  /** Ascending, from 1 in the life of a room. Some numbers stay unused. */
  number: z.number(),
  /** Its earlier number, if it was sent without a connection to the mirror. */
  was: z.number().optional(),
  from: z.string(),
  name: z.string(),
  text: z.string(),
  at: z.string(),
})
const participant = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  joinedAt: z.string(),
})

export const roomCapabilities = [
  defineCapability({
    id: 'room:join',
    permission: 'write',
    methods: ['room.join'],
    summary: 'Joins the meeting room, or changes name and role there.',
    input: z
      .strictObject({
        as,
        name: participantName.optional(),
        role: roomRole.default('participant'),
      })
      .prefault({}),
    output: participant,
    effect: 'task',
    repeatable: true,
    uses: ['room'],
    run: ({ as: requestedId, name, role }, at) => {
      const participantId = requestedId ?? at.call.scope.agent
      return at.room.join({ id: participantId, name: name ?? participantId, role })
    },
  }),
  defineCapability({
    id: 'room:leave',
    permission: 'write',
    methods: ['room.leave'],
    summary: 'Leaves the meeting room. Its messages are gone when the last participant leaves.',
    input: z.strictObject({ as }).prefault({}),
    output: z.object({ left: z.boolean() }),
    effect: 'task',
    repeatable: true,
    uses: ['room'],
    run: async ({ as: id }, at) => ({ left: await at.room.leave(id ?? at.call.scope.agent) }),
  }),
  defineCapability({
    id: 'room:say',
    permission: 'write',
    methods: ['room.say'],
    summary: 'Sends a message to everyone in the meeting room, and joins it first if needed.',
    input: z.strictObject({ text: z.string().min(1), as }),
    output: message,
    effect: 'task',
    // The room knows a repeated message by the requestId of the call.
    repeatable: true,
    uses: ['room'],
    run: ({ text, as: id }, at) => at.room.say(id ?? at.call.scope.agent, text),
  }),
  readVerb({
    id: 'room:hear',
    impact: 'consumes',
    method: 'room.hear',
    summary: 'The next message of another participant after number `last`, or null.',
    input: z.strictObject({ last: lastNumber, as }).prefault({}),
    output: z.object({ message: message.nullable(), messagesLost: z.boolean() }),
    uses: ['room'],
    run: ({ last: lastHeard, as: id }, at) => {
      const { messages, lost } = at.room.hear(id ?? at.call.scope.agent, lastHeard, 1)
      return { message: messages[0] ?? null, messagesLost: lost }
    },
  }),
  readVerb({
    id: 'room:hear_all',
    method: 'room.hearAll',
    summary: 'All messages of other participants after number `last`, oldest first.',
    input: z.strictObject({ last: lastNumber, as, limit: limit() }).prefault({}),
    output: z.object({ messages: z.array(message), messagesLost: z.boolean(), moreAvailable: z.boolean() }),
    uses: ['room'],
    run: ({ last: lastHeard, as: id, limit }, at) => {
      // One more than `limit` shows whether there are more.
      const { messages, lost } = at.room.hear(id ?? at.call.scope.agent, lastHeard, limit + 1)
      return {
        messages: messages.slice(0, limit),
        messagesLost: lost,
        moreAvailable: messages.length > limit,
      }
    },
  }),
  readVerb({
    id: 'room:who_is_here',
    method: 'room.whoIsHere',
    summary: 'The participants of the meeting room, in order of arrival.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ participants: z.array(participant) }),
    uses: ['room'],
    run: (_input, at) => ({ participants: at.room.whoIsHere() }),
  }),
  readVerb({
    id: 'room:status',
    method: 'room.status',
    summary: 'The number of participants in the meeting room, of messages, and of unread messages.',
    input: z.strictObject({ last: lastNumber, as }).prefault({}),
    output: z.object({
      participants: z.number(),
      /** Numbers of the oldest and newest message; 0 before the first message. */
      oldest: z.number(),
      latest: z.number(),
      unread: z.number(),
      /** Most messages in memory, and most bytes of one. */
      slots: z.number(),
      messageBytes: z.number(),
      /** The copy that numbers the next message. */
      at: z.enum(['device', 'mirror']),
      /** Most bytes of all messages. */
      sizeBytes: z.number(),
    }),
    uses: ['room'],
    run: ({ last: lastHeard, as: id }, at) => at.room.status(id ?? at.call.scope.agent, lastHeard),
  }),
] as const

/**
 * The room with the rights of `caller`. A guest's call throws `forbidden` if its scope does not have the room, or
 * in another agent's name.
 */
function roomForCaller(caller: Caller, room: Room): Room {
  if (caller.role === 'owner') return room
  const { agent, reach } = caller
  const checkedRoom = () => {
    if (isInRoom(reach)) return room
    throw new DaybookError('forbidden', `The scope of the token does not have \`${meetingRoom}\`.`, {
      details: { path: 'scope' },
    })
  }
  const checkedRoomAs = (id: string) => {
    if (id === agent) return checkedRoom()
    throw new DaybookError('forbidden', `The token is ${agent}'s, and no one else's.`, {
      details: { path: 'as' },
    })
  }
  return {
    // A guest can't choose a name: the name could be another agent's.
    join: async ({ id, role }) => checkedRoomAs(id).join({ id, name: agent, role }),
    leave: async (id) => checkedRoomAs(id).leave(id),
    say: async (id, text) => checkedRoomAs(id).say(id, text),
    hear: (id, last, limit) => checkedRoomAs(id).hear(id, last, limit),
    look: (id, last, limit) => checkedRoomAs(id).look(id, last, limit),
    whoIsHere: () => checkedRoom().whoIsHere(),
    status: (id, last) => checkedRoomAs(id).status(id, last),
  }
}

export const room = defineChapter({
  name: 'room',
  capabilities: roomCapabilities,
  kinds: [],
  // A port of reads, because the room never writes a record.
  ports: { read: { room: ({ caller, room }) => roomForCaller(caller, room()) } },
})
