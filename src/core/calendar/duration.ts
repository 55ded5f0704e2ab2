// How long something takes, as people write it: `90s`, `15m`, `6h`, `1d`, `2w`. A day is 24 hours, a week seven of them.

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Milliseconds of a duration, or undefined for what is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})([smhdw])$/.exec(text)
  const [, count = '', unit = ''] = match ?? []
  return match ? Number(count) * (units[unit] ?? 0) : undefined
}
