// Texts, ids, kinds, numbers and sizes as the inspector writes them. Texts are cut by code points, so no character is halved.

/** One line: white space becomes one space, and a long text ends in `…`. */
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

/** A word with a capital first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** The last eight characters of a long id, which differ most; a short id whole. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `…${id.slice(-8)}`
}

/** `memory`, `access request`. */
export const kindWord = (kind: string): string => kind.replaceAll('_', ' ')

/** `memories`, `access requests`. */
export function kindsWord(kind: string): string {
  return kindWord(kind)
    .replace(/(?<=[^aeiou])y$/, 'ie')
    .concat('s')
}

const whole = new Intl.NumberFormat(undefined)
const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** `12,410`. */
export function countWord(count: number): string {
  return whole.format(count)
}

/** `1 trace`, `12,410 traces`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${whole.format(count)} ${count === 1 ? one : many}`
}

/** `18 MB`, `2.1 GB`; powers of 1,000, as disks are sold. */
export function sizeWord(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`
}

/** `34%`; `<1%` for a small share. */
export function shareWord(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 1) return '<1%'
  return `${Math.round(percent)}%`
}
