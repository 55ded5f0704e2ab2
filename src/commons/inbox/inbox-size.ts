// How much data a message may carry.
import { utf8Length } from '../../core/text/utf8.ts'

const dataBytes = 65_536

/** True when `data` as JSON is small enough. */
export function isWithin(data: object): boolean {
  return utf8Length(JSON.stringify(data)) <= dataBytes
}
