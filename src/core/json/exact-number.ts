// Whether the numbers in a JSON text are the same after it was parsed: a double has no more than 17 digits.

const strings = /"(?:[^"\\]|\\.)*"/g
const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** False where parsing the JSON text gives other numbers than it says. */
export function hasExactNumbers(json: string): boolean {
  return [...json.replaceAll(strings, '').matchAll(numbers)].every(([said]) => isExact(said))
}

function isExact(said: string): boolean {
  const value = Number(said)
  if (!Number.isFinite(value)) return false
  if (/^-?\d+$/.test(said)) return BigInt(said) === BigInt(value)
  const digits = said
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '')
    .replace(/0+$/, '')
  return digits.length <= 15 && (value !== 0 || digits === '')
}
