// Tells whether the connection of a session is gone: its persona is no longer in the meeting room of its device.
import type { ReadContext } from '../../../core/capability/context.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { Persona } from './persona.ts'

/** room: its participants. status: the name of this device. */
export type PresenceContext = ReadContext<'room' | 'status'>

/** Name of this copy of the book; empty if it never synced. */
export async function deviceName({ status }: Pick<PresenceContext, 'status'>): Promise<string> {
  return (await status.book()).sync.device ?? ''
}

/** True if the persona is in the room, or the room is unavailable: that is no reason to end a session. */
async function isInRoom({ room }: Pick<PresenceContext, 'room'>, { agents }: Persona): Promise<boolean> {
  try {
    return (await room.whoIsHere()).some(({ id }) => agents.includes(id))
  } catch (error) {
    if (isDaybookError(error)) return true
    throw error
  }
}

/** True if the session joined the room and its persona has left it. Only the session's own device can tell. */
export async function hasLeft(at: PresenceContext, persona: Persona, session: object): Promise<boolean> {
  const { in_room, device } = session as { readonly in_room?: unknown; readonly device?: unknown }
  return in_room === true && device === (await deviceName(at)) && !(await isInRoom(at, persona))
}
