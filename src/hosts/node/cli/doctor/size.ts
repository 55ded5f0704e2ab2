// Sizes as people read them.
const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** `18.2 MB`; powers of 1,000, as disks are sold. */
export function sizeInWords(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toFixed(step === 0 ? 0 : 1)} ${units[step]}`
}
