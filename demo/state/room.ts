// The meeting room as this page follows it: who is here, what was said since it looked, and whether it missed something.
import { effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../src/index.ts'
import { asDaybookError } from '../wording/error-word.ts'
import { announce } from '../page/announce.ts'
import { address } from './address.ts'
import { book, onBook, openedBook } from './book.ts'

export type Message = CapabilityOutput<'room:say'>
export type Person = CapabilityOutput<'room:who_is_here'>['participants'][number]
export type RoomState = CapabilityOutput<'room:status'>

export interface Followed {
  readonly state: RoomState
  readonly people: readonly Person[]
  readonly messages: readonly Message[]
  /** Messages were said that this page did not get to see. */
  readonly isLost: boolean
}

export const room = signal<Followed | undefined>(undefined)
export const roomFailure = signal<unknown>(undefined)
/** What is being written. */
export const draft = signal('')
/** Why it was not said. */
export const sayFailure = signal<unknown>(undefined)

/** Looks in once for what was said before, and leaves again: who only watches is not in the room. */
const onlooker = { as: 'inspector:onlooker' }
const mostShown = 1000

/** Who is here, and how the room is. */
async function loadPeople(): Promise<void> {
  try {
    const opened = await openedBook()
    const [state, { participants }] = await Promise.all([
      opened.room.status(onlooker),
      opened.room.whoIsHere(),
    ])
    const people = participants.filter(({ id }) => id !== onlooker.as)
    const before = room.peek()
    // What was said is gone with the last who leaves.
    const isEmpty = people.length === 0
    const messages = isEmpty ? [] : (before?.messages ?? [])
    room.value = { state, people, messages, isLost: !isEmpty && before?.isLost === true }
    roomFailure.value = undefined
  } catch (error) {
    roomFailure.value = error
  }
}

/** Everything that is still there, from what was shown last. */
export async function loadRoom(): Promise<void> {
  await loadPeople()
  const before = room.peek()
  if (!before || before.people.length === 0) return
  try {
    const opened = await openedBook()
    const last = before.messages.at(-1)?.number ?? 0
    const { messages, messagesLost: isLost } = await opened.room.hearAll({
      ...onlooker,
      last,
      limit: mostShown,
    })
    await opened.room.leave(onlooker)
    for (const message of messages) append(message)
    if (isLost && room.peek()) room.value = { ...(room.peek() as Followed), isLost }
  } catch (error) {
    roomFailure.value = error
  }
}

function append(message: Message): void {
  const now = room.peek()
  if (!now || (now.messages.at(-1)?.number ?? 0) >= message.number) return
  room.value = { ...now, messages: [...now.messages, message].slice(-mostShown) }
}

/** Says what was written, as the agent of this page. Meanwhile the next can be written; what was not said comes back before it. */
export async function say(): Promise<void> {
  const written = draft.peek()
  const text = written.trim()
  if (text === '') return
  draft.value = ''
  try {
    const opened = await openedBook()
    await opened.room.say({ text })
    sayFailure.value = undefined
    announce('Message sent.')
  } catch (error) {
    draft.value = draft.peek() === '' ? written : `${text} ${draft.peek()}`
    sayFailure.value = asDaybookError(error)
  }
}

export async function leave(): Promise<void> {
  await (await openedBook()).room.leave()
  announce('You left the room.')
}

effect(() => {
  if (address.value.view === 'room' && book.value) void loadRoom()
})
onBook('room', (event) => {
  if (address.peek().view !== 'room') return
  if (event.type === 'said') append(event.message)
  else if (event.type === 'place' || event.type === 'numbered') void loadRoom()
  else void loadPeople()
})
