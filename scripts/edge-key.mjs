// Checks the keys that `npm start` passes to the edge in DAYBOOK_KEY.

/** Fewest characters of a key. The edge has `minKeyLength` in src/core/address.ts; a test compares both. */
export const minKeyLength = 16

/** Whether a key in `text`, separated by blanks or commas, is too short. @param {string} [text] */
export function hasShortKey(text = '') {
  return text.split(/[\s,]+/).some((key) => key !== '' && key.length < minKeyLength)
}
