// A value of JSON as it stands in a line of text. Total: a text that anybody may have written must stop nothing.
import type { Json } from '../json/path.ts'

/** Texts as they are, numbers, true and false as they are written; nothing for all else, which has no words of its own. */
export function plainText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
