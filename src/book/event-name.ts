// The names of a book's events. The compiler holds the list against `BookEvents`.
import type { BookEvents } from '../core/capability/event.ts'
import { wordOption } from '../core/option/option-check.ts'

const events: { readonly [Name in keyof BookEvents]: true } = {
  change: true,
  progress: true,
  task: true,
  activity: true,
  sync: true,
  inbox: true,
  proposal: true,
  status: true,
  room: true,
  pool: true,
  secret: true,
  consent: true,
  closed: true,
}
/** Throws `invalid-input` for a name that no event has. */
export const checkEventName = wordOption(...Object.keys(events))
