// The meeting room for this page: its people, its messages, and whether messages were missed.
import { effect, signal } from '@preact/signals'
import type { CapabilityOutput } from '../../src/index.ts'
import { asDaybookError } from '../wording/error-word.ts'
import { announce } from '../page/toast.ts'
import { address } from './address.ts'
import { book, onBook, openedBook } from './book.ts'

export type Message = CapabilityOutput<'room:say'>
export type Person = CapabilityOutput<'room:who_is_here'>['participants'][number]
export type RoomState = CapabilityOutput<'room:status'>

export interface Followed {
  readonly state: RoomState
  readonly people: readonly Person[]
  readonly messages: readonly Message[]
  /** This page missed messages. */
  readonly isLost: boolean
}

export const room = signal<Followed | undefined>(undefined)
export const roomFailure = signal<unknown>(undefined)
/** The message being written. */
export const draft = signal('')
/** The error of the last message. */
export const sayFailure = signal<unknown>(undefined)

/** Joins once for earlier messages and leaves again: an onlooker is not in the room. */
const onlooker = { as: 'inspector:onlooker' }
const mostShown = 1000

/** Reads the people and the state of the room. */
async function loadPeople(): Promise<void> {
  try {
    const opened = await openedBook()
    const [state, { participants }] = await Promise.all([
      opened.room.status(onlooker),
      opened.room.whoIsHere(),
    ])
    const people = participants.filter(({ id }) => id !== onlooker.as)
    const before = room.peek()
    // Messages are gone when the last person leaves.
    const isEmpty = people.length === 0
    const messages = isEmpty ? [] : (before?.messages ?? [])
    room.value = { state, people, messages, isLost: !isEmpty && before?.isLost === true }
    roomFailure.value = undefined
  } catch (error) {
    roomFailure.value = error
  }
}

/** Reads the messages after the last one on show. */
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

/** Sends the draft as the agent of this page. After an error it comes back, before the text typed since. */
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
