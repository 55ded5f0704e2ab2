// Where the steps of a schedule are drawn from: each kind of step, how often it comes, and what it is about.
import { markNames } from '../../src/core/mark.ts'
import { deviceCount, type Step, type Weather } from './step.ts'
import { familyCount, skillCount } from './world/sim-kind.ts'

const year = 365 * 86_400_000

export type Draw = (below: number) => number
const firstWeathers: readonly Weather[] = [
  'fair',
  'lose-request',
  'lose-answer',
  'twice',
  'behead',
  'edit-meanwhile',
  'others-meanwhile',
]
const weathers: readonly Weather[] = [...firstWeathers, 'ask-again']

export interface Source {
  readonly weight: number
  make(draw: Draw, focus: { readonly records: number }): Step
}

const device = (draw: Draw) => draw(deviceCount)
const site = (draw: Draw) => draw(deviceCount + 1)
const source = (weight: number, make: Source['make']): Source => ({ weight, make })
const syncSource = (under: readonly Weather[]) =>
  source(9, (draw, { records }) => ({
    do: 'sync',
    at: device(draw),
    record: draw(records),
    weather: Array.from({ length: draw(4) }, () => under[draw(under.length)] ?? 'fair'),
  }))

/** The first table: seeds that draw from it mean what they always meant, so nothing in it ever changes. */
export const firstSources = {
  put: source(12, (draw, { records }) => ({ do: 'put', at: site(draw), record: draw(records) })),
  sync: syncSource(firstWeathers),
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

/** The whole table. */
export const allSources = {
  ...firstSources,
  sync: syncSource(weathers),
  decide: source(2, (draw) => ({
    do: 'decide',
    at: site(draw),
    nth: draw(3),
    side: draw(3) === 0 ? 'winner' : 'loser',
  })),
  mark: source(10, (draw, { records }) => ({
    do: 'mark',
    at: site(draw),
    record: draw(records),
    mark: draw(markNames.length),
    back: draw(3) === 0,
  })),
  undoMark: source(2, (draw) => ({ do: 'undo-mark', at: site(draw) })),
  publish: source(3, (draw) => ({ do: 'publish', at: device(draw) })),
  leave: source(6, (draw, { records }) => ({ do: 'leave', record: draw(records) })),
  supersede: source(10, (draw) => ({ do: 'supersede', at: site(draw), family: draw(familyCount) })),
  retract: source(2, (draw) => ({ do: 'retract', at: site(draw), family: draw(familyCount) })),
  use: source(12, (draw) => ({
    do: 'use',
    at: device(draw),
    skill: draw(skillCount),
    good: draw(3) > 0,
  })),
  purge: source(4, (draw, { records }) => ({ do: 'purge', at: site(draw), record: draw(records) })),
} as const satisfies Record<string, Source>

/** The whole table, and facts that are sealed. */
export const guardedSources = {
  ...allSources,
  sealFact: source(6, (draw) => ({ do: 'seal-fact', at: device(draw), family: draw(familyCount) })),
} as const satisfies Record<string, Source>

export type SourceName = keyof typeof guardedSources
