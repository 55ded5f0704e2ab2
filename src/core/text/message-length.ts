// How long one message may be: on every host and door the same, counted in bytes of UTF-8, because the rows of a
// database and the bodies of a protocol are limited in bytes.
import { utf8Length } from './utf8.ts'

/** Most bytes of a message in UTF-8. */
export const maxMessageBytes = 1_000_000
/** A UTF-16 unit takes at most three bytes, so a shorter text is never counted. */
export const maxUncounted = Math.floor(maxMessageBytes / 3)

/** True if `text` is short enough for one message. */
export const isMessageLength = (text: string): boolean =>
  text.length <= maxUncounted || (text.length <= maxMessageBytes && utf8Length(text) <= maxMessageBytes)
