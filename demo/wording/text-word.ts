// Text of records cut to what a line can hold. Cuts by code points, so that no character is halved.

/** One line: runs of white space become one space, and what is too long ends in `…`. */
export function oneLine(text: string, max: number): string {
  const flat = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  const points = Array.from(flat)
  return points.length > max
    ? `${points
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
    : flat
}

/** Any value of a record in one line. */
export function valueLine(value: unknown, max: number): string {
  if (typeof value === 'string') return oneLine(value, max)
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null))
    return oneLine(value.join(', '), max)
  return oneLine(JSON.stringify(value) ?? '', max)
}

/** A word as it begins a sentence or names a place. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
