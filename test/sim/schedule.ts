// Schedules: what happens in a simulated world, step by step. A seed names one schedule for good.
// Each schedule draws from some kinds of events only: bugs need a few of one sort together rather than some of each.
import { createNumbers } from '../contract/mirror-world.ts'
import { recordCount } from './sim-kind.ts'

/** What the network does with one request of a sync that is carried through; `behead`: it loses the first op. */
export type Weather =
  'fair' | 'lose-request' | 'lose-answer' | 'twice' | 'behead' | 'edit-meanwhile' | 'others-meanwhile'

export type Step =
  | { readonly do: 'put' | 'forget'; readonly at: number; readonly record: number }
  /** A sync of which every request has the next weather, and fair weather in the end. */
  | {
      readonly do: 'sync'
      readonly at: number
      readonly weather: readonly Weather[]
      readonly record: number
    }
  /** A sync begins; its letters move by steps of their own. */
  | { readonly do: 'start'; readonly at: number }
  /** One letter moves on by a hop, is lost, is copied, or is given up by its sender while it travels on. */
  | { readonly do: 'carry' | 'lose' | 'copy' | 'delay'; readonly letter: number }
  /** The process dies now, or at the end of a transaction to come. */
  | { readonly do: 'crash'; readonly at: number }
  | { readonly do: 'crash-soon'; readonly at: number; readonly after: number; readonly committed: boolean }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'skew'; readonly at: number; readonly ms: number }
  /** Longer than tombstones are kept, and they are collected; or only the latter. */
  | { readonly do: 'age' | 'tidy' }
  /** A synced record vanishes from a disk. */
  | { readonly do: 'harm'; readonly at: number; readonly record: number }
  /** Another, empty mirror; a copy of the mirror is kept, or comes back. */
  | { readonly do: 'replace-mirror' | 'backup-mirror' | 'restore-mirror' }
  /** A copy of a device's disk is kept, comes back to it, or starts to live beside it. */
  | { readonly do: 'backup' | 'restore' | 'fork'; readonly at: number }
  /** Only some kinds are sent, or fetched. */
  | { readonly do: 'select'; readonly at: number; readonly push: number; readonly pull: number }
  /** Starts anew as an older or a newer Daybook. */
  | { readonly do: 'install'; readonly at: number; readonly old: boolean }
  /** A person decides the newest conflict for what lost. */
  | { readonly do: 'choose'; readonly at: number }

export type Schedule = readonly Step[]

/** Devices there are from the beginning; forks come after them, and the mirror is one place more. */
export const deviceCount = 3
const year = 365 * 86_400_000

type Draw = (below: number) => number
const weathers: readonly Weather[] = [
  'fair',
  'lose-request',
  'lose-answer',
  'twice',
  'behead',
  'edit-meanwhile',
  'others-meanwhile',
]

interface Source {
  readonly weight: number
  /** Never left out. */
  readonly always?: true
  make(draw: Draw, focus: { readonly records: number }): Step
}

const device = (draw: Draw) => draw(deviceCount)
const site = (draw: Draw) => draw(deviceCount + 1)
const sources: readonly Source[] = [
  {
    weight: 12,
    always: true,
    make: (draw, { records }) => ({ do: 'put', at: site(draw), record: draw(records) }),
  },
  {
    weight: 9,
    always: true,
    make: (draw, { records }) => ({
      ...{ do: 'sync', at: device(draw), record: draw(records) },
      weather: Array.from({ length: draw(4) }, () => weathers[draw(weathers.length)] ?? 'fair'),
    }),
  },
  { weight: 5, make: (draw, { records }) => ({ do: 'forget', at: site(draw), record: draw(records) }) },
  { weight: 6, make: (draw) => ({ do: 'start', at: device(draw) }) },
  { weight: 12, make: (draw) => ({ do: 'carry', letter: draw(6) }) },
  { weight: 2, make: (draw) => ({ do: 'lose', letter: draw(6) }) },
  { weight: 2, make: (draw) => ({ do: 'copy', letter: draw(6) }) },
  { weight: 3, make: (draw) => ({ do: 'delay', letter: draw(6) }) },
  { weight: 2, make: (draw) => ({ do: 'crash', at: site(draw) }) },
  {
    weight: 4,
    make: (draw) => ({ do: 'crash-soon', at: site(draw), after: 1 + draw(4), committed: draw(2) === 0 }),
  },
  { weight: 4, make: (draw) => ({ do: 'wait', ms: [1, 1000, 100_000][draw(3)] ?? 1 }) },
  { weight: 2, make: (draw) => ({ do: 'skew', at: device(draw), ms: (draw(19) - 9) * year }) },
  { weight: 2, make: () => ({ do: 'age' }) },
  { weight: 1, make: () => ({ do: 'tidy' }) },
  { weight: 2, make: (draw, { records }) => ({ do: 'harm', at: device(draw), record: draw(records) }) },
  { weight: 1, make: () => ({ do: 'replace-mirror' }) },
  {
    weight: 3,
    make: (draw) => ({ do: draw(2) === 0 ? 'backup-mirror' : 'restore-mirror' }),
  },
  { weight: 3, make: (draw) => ({ do: draw(2) === 0 ? 'backup' : 'restore', at: device(draw) }) },
  { weight: 1, make: (draw) => ({ do: 'fork', at: device(draw) }) },
  { weight: 3, make: (draw) => ({ do: 'select', at: device(draw), push: draw(4), pull: draw(4) }) },
  { weight: 3, make: (draw) => ({ do: 'install', at: site(draw), old: draw(3) > 0 }) },
  { weight: 1, make: (draw) => ({ do: 'choose', at: site(draw) }) },
]

/** The schedule of `seed`. */
export function makeSchedule(seed: number): Schedule {
  const next = createNumbers(seed)
  const draw: Draw = (below) => Math.floor((next() / 2 ** 32) * below)
  const share = 2 + draw(6)
  const chosen = sources.filter(({ always }) => always || draw(10) < share)
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0)
  const pick = () => {
    let left = draw(total)
    return chosen.find(({ weight }) => (left -= weight) < 0) ?? chosen[0]
  }
  const focus = { records: draw(3) === 0 ? recordCount : 1 + draw(3) }
  const first = focus.records === recordCount ? 0 : draw(recordCount)
  const turn = (step: Step): Step =>
    'record' in step ? { ...step, record: (step.record + first) % recordCount } : step
  return Array.from({ length: 4 + draw(28) }, () => pick()?.make(draw, focus)).flatMap((step) =>
    step ? [turn(step)] : [],
  )
}
