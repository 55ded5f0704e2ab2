// Schedules: what happens in a simulated world, step by step. A seed names one schedule for good.
// Each schedule draws from some kinds of events only: bugs need a few of one sort together rather than some of each.
import { createNumbers } from '../contract/mirror/mirror-world.ts'
import { recordCount } from './world/sim-kind.ts'

/** What the network does with one request of a sync that is carried through; `behead`: it loses the first op. */
export type Weather =
  'fair' | 'lose-request' | 'lose-answer' | 'twice' | 'behead' | 'edit-meanwhile' | 'others-meanwhile'

export type Step =
  | { readonly do: 'put' | 'forget'; readonly at: number; readonly record: number }
  /** A device writes a record that is sealed before it leaves; it has its key no more, or again. */
  | { readonly do: 'seal'; readonly at: number; readonly record: number }
  | { readonly do: 'lock' | 'unlock'; readonly at: number }
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
  /** Another, empty mirror; a copy of the mirror is kept, or comes back: as another epoch, or as if nothing had been. */
  | { readonly do: 'replace-mirror' | 'backup-mirror' | 'restore-mirror' | 'set-back-mirror' }
  /** A copy of a device's disk is kept, comes back to it, or starts to live beside it. */
  | { readonly do: 'backup' | 'restore' | 'fork'; readonly at: number }
  /** Only some kinds are sent, or fetched. */
  | { readonly do: 'select'; readonly at: number; readonly push: number; readonly pull: number }
  /** Starts anew as an older or a newer Daybook. */
  | { readonly do: 'install'; readonly at: number; readonly old: boolean }
  /** Its final bytes are handed over for somebody else to send; the answers that came to those are taken over. */
  | { readonly do: 'spill' | 'take-late'; readonly at: number }
  /** Time passes, and what is due in it happens; in fair weather what is under way arrives meanwhile. */
  | { readonly do: 'pass'; readonly ms: number; readonly weather: 'fair' | 'still' }
  /** The network or the page is there again; the line to the mirror breaks. */
  | { readonly do: 'wake' | 'cut'; readonly at: number }
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
  make(draw: Draw, focus: { readonly records: number }): Step
}

const device = (draw: Draw) => draw(deviceCount)
const site = (draw: Draw) => draw(deviceCount + 1)
const source = (weight: number, make: Source['make']): Source => ({ weight, make })
const sources = {
  put: source(12, (draw, { records }) => ({ do: 'put', at: site(draw), record: draw(records) })),
  sync: source(9, (draw, { records }) => ({
    do: 'sync',
    at: device(draw),
    record: draw(records),
    weather: Array.from({ length: draw(4) }, () => weathers[draw(weathers.length)] ?? 'fair'),
  })),
  forget: source(5, (draw, { records }) => ({ do: 'forget', at: site(draw), record: draw(records) })),
  start: source(6, (draw) => ({ do: 'start', at: device(draw) })),
  carry: source(12, (draw) => ({ do: 'carry', letter: draw(6) })),
  lose: source(2, (draw) => ({ do: 'lose', letter: draw(6) })),
  copy: source(2, (draw) => ({ do: 'copy', letter: draw(6) })),
  delay: source(3, (draw) => ({ do: 'delay', letter: draw(6) })),
  spill: source(3, (draw) => ({ do: draw(3) === 0 ? 'spill' : 'take-late', at: device(draw) })),
  crash: source(2, (draw) => ({ do: 'crash', at: site(draw) })),
  crashSoon: source(4, (draw) => ({
    do: 'crash-soon',
    at: site(draw),
    after: 1 + draw(4),
    committed: draw(2) === 0,
  })),
  wait: source(4, (draw) => ({ do: 'wait', ms: [1, 1000, 100_000][draw(3)] ?? 1 })),
  skew: source(2, (draw) => ({ do: 'skew', at: device(draw), ms: (draw(19) - 9) * year })),
  age: source(2, () => ({ do: 'age' })),
  tidy: source(1, () => ({ do: 'tidy' })),
  harm: source(2, (draw, { records }) => ({ do: 'harm', at: device(draw), record: draw(records) })),
  replace: source(1, () => ({ do: 'replace-mirror' })),
  restoreMirror: source(3, (draw) => ({ do: draw(2) === 0 ? 'backup-mirror' : 'restore-mirror' })),
  setBack: source(4, (draw) => ({ do: draw(2) === 0 ? 'backup-mirror' : 'set-back-mirror' })),
  restore: source(3, (draw) => ({ do: draw(2) === 0 ? 'backup' : 'restore', at: device(draw) })),
  fork: source(1, (draw) => ({ do: 'fork', at: device(draw) })),
  select: source(3, (draw) => ({ do: 'select', at: device(draw), push: draw(4), pull: draw(4) })),
  install: source(3, (draw) => ({ do: 'install', at: site(draw), old: draw(3) > 0 })),
  pass: source(6, (draw) => ({
    do: 'pass',
    ms: [500, 5e3, 7e4, 4e5][draw(4)] ?? 1,
    weather: draw(3) === 0 ? 'still' : 'fair',
  })),
  wake: source(1, (draw) => ({ do: 'wake', at: device(draw) })),
  seal: source(8, (draw, { records }) => ({ do: 'seal', at: device(draw), record: draw(records) })),
  lock: source(3, (draw) => ({ do: draw(2) === 0 ? 'lock' : 'unlock', at: device(draw) })),
  cut: source(2, (draw) => ({ do: 'cut', at: device(draw) })),
  choose: source(1, (draw) => ({ do: 'choose', at: site(draw) })),
} as const satisfies Record<string, Source>
type SourceName = keyof typeof sources
const names = Object.keys(sources) as SourceName[]

/** What belongs together; every other schedule draws from one of these, the rest from whatever chance brings together. */
const themes: readonly (readonly SourceName[])[] = [
  ['forget', 'age', 'wait', 'skew'],
  ['forget', 'start', 'carry', 'lose', 'copy', 'delay'],
  ['start', 'carry', 'spill', 'crash'],
  ['start', 'carry', 'crash', 'crashSoon'],
  ['forget', 'restore', 'fork'],
  ['forget', 'replace', 'restoreMirror'],
  ['forget', 'setBack', 'start', 'carry'],
  ['forget', 'pass', 'wake', 'cut'],
  ['forget', 'seal', 'lock', 'start', 'carry'],
  ['pass', 'wake', 'cut', 'lose', 'crash', 'crashSoon'],
  ['forget', 'select', 'install', 'choose'],
]

function choose(draw: Draw): Source[] {
  const theme = draw(2) === 0 ? themes[draw(themes.length)] : undefined
  const share = 2 + draw(6)
  const isChosen = (name: SourceName) =>
    name === 'put' || name === 'sync' || (theme ? theme.includes(name) : draw(10) < share)
  return names.filter(isChosen).map((name) => sources[name])
}

/** The schedule of `seed`. */
export function makeSchedule(seed: number): Schedule {
  const next = createNumbers(seed)
  const draw: Draw = (below) => Math.floor((next() / 2 ** 32) * below)
  const chosen = choose(draw)
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
