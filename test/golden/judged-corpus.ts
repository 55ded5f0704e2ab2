// Every judged corpus of the project: how a book is filled with it, and how each of its sets is measured.
import type { Daybook } from '../../src/book/daybook.ts'
import { changeSets, fillChanges, measureChanges } from './change-corpus.ts'
import { keyOf } from './corpus.ts'
import { corpora, type Corpus, synonymCorpus } from './golden-set.ts'
import { type Ask, type Figures, measureSet, type Note } from './set-measure.ts'
import { fillWhole } from './whole/whole-corpus.ts'
import { measureWhole, wholeLimit, wholeSets } from './whole/whole-measure.ts'

export interface JudgedCorpus {
  readonly name: string
  readonly fill: (book: Daybook) => Promise<void>
  /** The figures of each set, by its name. `note` gets each question once. */
  readonly measure: (ask: Ask, note?: Note) => Promise<Readonly<Record<string, Figures>>>
}

/** Measures one set after the other: their questions use the same book. */
async function eachSet<Set extends { readonly name: string }>(
  sets: readonly Set[],
  measure: (set: Set) => Promise<Figures>,
): Promise<Readonly<Record<string, Figures>>> {
  const figures: Record<string, Figures> = {}
  for (const set of sets) figures[set.name] = await measure(set)
  return figures
}

const judged = ({ name, fill, sets }: Corpus): JudgedCorpus => ({
  name,
  fill,
  measure: (ask, note) => eachSet(sets, (set) => measureSet(ask, set, note)),
})

const wholeCorpus: JudgedCorpus = {
  name: 'whole',
  fill: fillWhole,
  measure: (ask, note) =>
    eachSet(wholeSets, async ({ questions }) => ({
      ...(await measureWhole(questions, async (text, limit) => {
        const found = (await ask({ text, limit })).hits.map(keyOf)
        if (limit === wholeLimit) note?.(text, found)
        return found
      })),
    })),
}

const changeCorpus: JudgedCorpus = {
  name: 'changes',
  fill: fillChanges,
  measure: (ask, note) => eachSet(changeSets, ({ questions }) => measureChanges(ask, questions, note)),
}

export const goldenCorpora: readonly JudgedCorpus[] = corpora.map(judged)
export const synonymCorpora: readonly JudgedCorpus[] = [judged(synonymCorpus)]
export const wholeCorpora: readonly JudgedCorpus[] = [wholeCorpus]
export const judgedCorpora: readonly JudgedCorpus[] = [
  ...goldenCorpora,
  ...synonymCorpora,
  ...wholeCorpora,
  changeCorpus,
]
