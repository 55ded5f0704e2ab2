// The questions of the golden corpus by set: those that constants were chosen by, and those written apart from them.
import type { Daybook } from '../../src/book/daybook.ts'
import { fillGolden } from './corpus.ts'
import { beliefHeldOut, beliefQuestions, fillBeliefs } from './belief.ts'
import { heldOut } from './held-out.ts'
import { hurried, hurriedHeldOut } from './hurried.ts'
import { fillLong } from './long-corpus.ts'
import { longHeldOut, longQuestions } from './long-question.ts'
import { type GoldenQuestion, questions } from './question.ts'
import { subjects, subjectsHeldOut } from './subject.ts'
import { fillSynonym, synonymHeldOut, synonymQuestions } from './synonym/synonym-corpus.ts'

export interface GoldenSet {
  readonly name: string
  readonly questions: readonly GoldenQuestion[]
  /** True: its answers are measured also as a sharp cut leaves them. */
  readonly isCut?: boolean
}

/** A corpus of the project: what fills a book with it, and what is asked of it. */
export interface Corpus {
  readonly name: string
  readonly fill: (book: Daybook) => Promise<void>
  readonly sets: readonly GoldenSet[]
}

export const corpora: readonly Corpus[] = [
  {
    name: 'golden',
    fill: fillGolden,
    sets: [
      { name: 'golden', questions },
      { name: 'golden, held out', questions: heldOut },
      { name: 'hurried', questions: hurried },
      { name: 'hurried, held out', questions: hurriedHeldOut },
      { name: 'subjects', questions: subjects },
      { name: 'subjects, held out', questions: subjectsHeldOut },
    ],
  },
  {
    name: 'long',
    fill: fillLong,
    sets: [
      { name: 'long', questions: longQuestions },
      { name: 'long, held out', questions: longHeldOut },
    ],
  },
  {
    name: 'beliefs',
    fill: fillBeliefs,
    sets: [
      { name: 'beliefs', questions: beliefQuestions, isCut: true },
      { name: 'beliefs, held out', questions: beliefHeldOut, isCut: true },
    ],
  },
]

/** Apart from the others, because its questions are about the one thing that words alone cannot do. */
export const synonymCorpus: Corpus = {
  name: 'synonym',
  fill: fillSynonym,
  sets: [
    { name: 'synonym', questions: synonymQuestions },
    { name: 'synonym, held out', questions: synonymHeldOut },
  ],
}
