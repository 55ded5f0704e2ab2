// Numbers and sizes as people read them.
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

/** `34%`; a small share that is not nothing stays visible. */
export function shareWord(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 1) return '<1%'
  return `${Math.round(percent)}%`
}
