// The time of a run: a bar for each step, and the stalls in which nothing ran.
// Invariant: bars and stalls are within the line, 0 to 1. A long stall is drawn short, so that it leaves the bars their space.

export interface TimedEntry {
  readonly endMs: number
  /** The measured duration; undefined if it is unknown. */
  readonly ms: number | undefined
}

interface Span {
  readonly from: number
  readonly length: number
}

export interface StepBar extends Span {
  /** Undefined: unknown. */
  readonly ms: number | undefined
  /** False: `ms` is the time since the entry before, so the most that it can be. */
  readonly isMeasured: boolean
  /** The stall that this entry ended. */
  readonly stall: (Span & { readonly ms: number }) | undefined
}

export interface TimeLine {
  readonly bars: readonly StepBar[]
  readonly idleMs: number
  readonly stalls: number
  /** Some stall is drawn shorter than it was. */
  readonly isCut: boolean
}

interface Stretch {
  readonly entry: number
  readonly startMs: number
  readonly endMs: number
}

const leastStallMs = 2000
/** A stall is this many times longer than half of the steps. */
const stallFactor = 5
/** The longest stall in the drawing, as a share of the time in which something ran. */
const stallShare = 1 / 8

/** `hasTimes`: false for files without times, where only measured durations count. Entries are in the order of time. */
export function timeLineOf(entries: readonly TimedEntry[], hasTimes: boolean): TimeLine {
  const lengths = entries.map(({ endMs, ms }, i) => {
    const before = entries[i - 1]
    return ms !== undefined || !hasTimes || !before ? ms : Math.max(0, endMs - before.endMs)
  })
  const startMs = entries.reduce(
    (least, { endMs }, i) => Math.min(least, endMs - (lengths[i] ?? 0)),
    Infinity,
  )
  const endMs = entries.reduce((most, one) => Math.max(most, one.endMs), -Infinity)
  const stalls = hasTimes ? stallsOf(entries, lengths) : []
  const axis = new Axis(startMs, endMs, stalls)
  const byEntry = new Map(stalls.map((stall) => [stall.entry, stall]))
  const bars = entries.map((entry, i): StepBar => {
    const ms = lengths[i]
    const from = axis.at(entry.endMs - (ms ?? 0))
    const stall = byEntry.get(i)
    const stallFrom = stall ? axis.at(stall.startMs) : 0
    return {
      from,
      length: axis.at(entry.endMs) - from,
      ms,
      isMeasured: entry.ms !== undefined,
      stall: stall && {
        from: stallFrom,
        length: axis.at(stall.endMs) - stallFrom,
        ms: stall.endMs - stall.startMs,
      },
    }
  })
  const idleMs = stalls.reduce((sum, one) => sum + one.endMs - one.startMs, 0)
  return { bars, idleMs, stalls: stalls.length, isCut: axis.isCut }
}

/** The shortest time without work that counts as a stall. */
function leastStall(lengths: readonly (number | undefined)[]): number {
  const sorted = lengths.filter((ms) => ms !== undefined && ms > 0).toSorted((a = 0, b = 0) => a - b)
  return Math.max(leastStallMs, stallFactor * (sorted[Math.floor((sorted.length - 1) / 2)] ?? 0))
}

/** Stretches in which no step ran, each with the entry that ended it. */
function stallsOf(entries: readonly TimedEntry[], lengths: readonly (number | undefined)[]): Stretch[] {
  const least = leastStall(lengths)
  const stretches = entries
    .map(({ endMs, ms }, entry): Stretch => {
      const length = lengths[entry] ?? 0
      // An unmeasured step that took so long waited for something.
      const isWork = ms !== undefined || length < least
      return { entry, startMs: isWork ? endMs - length : endMs, endMs }
    })
    .toSorted((a, b) => a.startMs - b.startMs || a.entry - b.entry)
  const stalls: Stretch[] = []
  let coveredMs = stretches[0]?.endMs ?? 0
  for (const { entry, startMs, endMs } of stretches) {
    if (startMs - coveredMs >= least) stalls.push({ entry, startMs: coveredMs, endMs: startMs })
    coveredMs = Math.max(coveredMs, endMs)
  }
  return stalls
}

/** Times to places on the line. */
class Axis {
  readonly isCut: boolean
  readonly #startMs: number
  readonly #whole: number
  readonly #stalls: readonly (Stretch & { readonly before: number; readonly drawn: number })[]

  constructor(startMs: number, endMs: number, stalls: readonly Stretch[]) {
    const idleMs = stalls.reduce((sum, one) => sum + one.endMs - one.startMs, 0)
    const most = Math.max(1, (endMs - startMs - idleMs) * stallShare)
    let cutMs = 0
    this.#startMs = startMs
    this.#stalls = stalls.map((stall) => {
      const length = stall.endMs - stall.startMs
      const drawn = Math.min(length, most)
      const before = stall.startMs - startMs - cutMs
      cutMs += length - drawn
      return { ...stall, before, drawn }
    })
    this.isCut = cutMs > 0
    this.#whole = Math.max(1, endMs - startMs - cutMs)
  }

  at(ms: number): number {
    let low = 0
    let high = this.#stalls.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#stalls[middle]?.startMs ?? 0) <= ms) low = middle + 1
      else high = middle
    }
    const stall = this.#stalls[low - 1]
    if (!stall) return (ms - this.#startMs) / this.#whole
    const within = Math.min(1, (ms - stall.startMs) / (stall.endMs - stall.startMs)) * stall.drawn
    return (stall.before + within + Math.max(0, ms - stall.endMs)) / this.#whole
  }
}
