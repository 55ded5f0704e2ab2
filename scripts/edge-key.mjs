// The keys that `npm start` hands to the edge in DAYBOOK_KEY, looked at before anything starts.

/** Fewest characters of a key. What the edge itself holds is `shortestKey` in src/core/address.ts, which a test compares. */
export const shortestKey = 16

/** True when one of the keys in `text`, apart by blanks or commas, can be guessed. @param {string} [text] */
export function hasShortKey(text = '') {
  return text.split(/[\s,]+/).some((key) => key !== '' && key.length < shortestKey)
}
