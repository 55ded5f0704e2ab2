// Schedules: what happens in a simulated world, step by step. A seed names one schedule for good.
// Each schedule draws from some kinds of events only: bugs need a few of one sort together rather than some of each.
import { createNumbers } from '../contract/mirror/mirror-world.ts'
import type { Step } from './step.ts'
import {
  allSources,
  type Draw,
  firstSources,
  guardedSources,
  type Source,
  type SourceName,
} from './step-source.ts'
import { firstRecordCount, recordCount, skillCount } from './world/sim-kind.ts'

export type Schedule = readonly Step[]

/** What a seed draws from. */
interface Table {
  readonly sources: Partial<Record<SourceName, Source>>
  /** What belongs together; every other schedule draws from one of these, the rest from whatever chance brings together. */
  readonly themes: readonly (readonly SourceName[])[]
  readonly records: number
}

const firstThemes: Table['themes'] = [
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

/** Of the seeds below 1,000, which were drawn before there were marks, successions, skills and arrivals. */
const firstTable: Table = { sources: firstSources, themes: firstThemes, records: firstRecordCount }

const wholeTable: Table = {
  sources: allSources,
  themes: [
    ...firstThemes,
    ['mark', 'undoMark', 'forget'],
    ['mark', 'undoMark', 'seal', 'lock'],
    ['mark', 'undoMark', 'start', 'carry', 'lose'],
    ['mark', 'forget', 'start', 'carry', 'delay', 'age'],
    ['publish', 'leave', 'lock', 'decide'],
    ['publish', 'leave', 'forget', 'start', 'carry', 'crash', 'mark'],
    ['supersede', 'retract', 'decide', 'wait', 'skew'],
    ['supersede', 'retract', 'start', 'carry', 'lose', 'delay'],
    ['use', 'start', 'carry', 'lose', 'copy', 'delay'],
    ['use', 'seal', 'lock', 'mark'],
    ['use', 'spill', 'crash', 'crashSoon', 'forget'],
    ['use', 'pass', 'wake', 'age'],
    ['use', 'supersede', 'mark', 'seal'],
    ['use', 'supersede', 'mark', 'restore', 'fork', 'replace'],
    ['forget', 'seal', 'choose', 'decide'],
    ['forget', 'purge', 'wait', 'skew', 'age'],
    ['forget', 'purge', 'start', 'carry', 'lose', 'delay'],
    ['purge', 'restore', 'fork', 'seal', 'lock'],
    ['forget', 'purge', 'spill', 'crash', 'crashSoon', 'mark'],
    ['purge', 'replace', 'restoreMirror', 'setBack', 'age'],
  ],
  records: recordCount,
}

/** Of the seeds from `guardedFrom` on, which were drawn since facts are sealed. */
const guardedTable: Table = {
  sources: guardedSources,
  themes: [
    ['supersede', 'retract', 'sealFact', 'lock'],
    ['supersede', 'retract', 'sealFact', 'start', 'carry', 'delay'],
    ['supersede', 'sealFact', 'mark', 'crash', 'crashSoon', 'pass'],
  ],
  records: recordCount,
}
export const guardedFrom = 1_800_000_000

const tableOf = (seed: number): Table =>
  seed < 1000 ? firstTable : seed < guardedFrom ? wholeTable : guardedTable

function choose(draw: Draw, { sources, themes }: Table) {
  const theme = draw(2) === 0 ? themes[draw(themes.length)] : undefined
  const share = 2 + draw(6)
  const isChosen = (name: string) =>
    name === 'put' || name === 'sync' || (theme ? theme.some((one) => one === name) : draw(10) < share)
  const chosen = Object.entries(sources).filter(([name]) => isChosen(name))
  return { theme, chosen: chosen.map(([, source]) => source) }
}

/** The schedule of `seed`. */
export function makeSchedule(seed: number): Schedule {
  const next = createNumbers(seed)
  const draw: Draw = (below) => Math.floor((next() / 2 ** 32) * below)
  const table = tableOf(seed)
  const { theme, chosen } = choose(draw, table)
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0)
  const pick = () => {
    let left = draw(total)
    return chosen.find(({ weight }) => (left -= weight) < 0) ?? chosen[0]
  }
  const focus = focusOf(draw, table, theme)
  const turn = (step: Step): Step =>
    'record' in step ? { ...step, record: (step.record + focus.first) % table.records } : step
  return Array.from({ length: 4 + draw(28) }, () => pick()?.make(draw, focus)).flatMap((step) =>
    step ? [turn(step)] : [],
  )
}

/** Most schedules are about a few records. */
function focusOf(draw: Draw, { records: all }: Table, theme: readonly SourceName[] | undefined) {
  if (theme?.[0] === 'mark') return { records: 1, first: draw(all) }
  if (theme?.includes('use')) return { records: skillCount, first: firstRecordCount }
  const records = draw(3) === 0 ? all : 1 + draw(3)
  return { records, first: records === all ? 0 : draw(all) }
}
