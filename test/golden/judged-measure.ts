// Asks a book the synonym questions and those of whole answers, and notes how it ranks.
import type { Daybook } from '../../src/book/daybook.ts'
import { keyOf } from './corpus.ts'
import { synonymCorpus } from './golden-set.ts'
import { gradesOf, mean, recallAt } from './measure.ts'
import { fillWhole } from './whole/whole-corpus.ts'
import { measureWhole, wholeLimit, wholeSets } from './whole/whole-measure.ts'

type FiguresBySet = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Fills an empty book and asks; `ranked` gets a line for each question, with its first five. */
export async function measureSynonyms(book: Daybook, ranked: string[]): Promise<FiguresBySet> {
  await synonymCorpus.fill(book)
  const figures: Record<string, Record<string, number>> = {}
  for (const { name, questions } of synonymCorpus.sets) {
    const silent: number[] = []
    const recalled: number[] = []
    for (const { text, grades, of } of questions) {
      const found = (await book.recall({ text })).hits.map(keyOf)
      if (of === 'nothing') silent.push(found.length === 0 ? 1 : 0)
      else recalled.push(recallAt({ found, grades: gradesOf(grades) }, 10))
      ranked.push(lineOf(text, found))
    }
    figures[name] = { 'recall@10': mean(recalled), silent: mean(silent) }
  }
  return figures
}

/** The same for whole answers. */
export async function measureWholes(book: Daybook, ranked: string[]): Promise<FiguresBySet> {
  await fillWhole(book)
  const figures: Record<string, Record<string, number>> = {}
  for (const { name, questions } of wholeSets)
    figures[name] = {
      ...(await measureWhole(questions, async (text, limit) => {
        const found = (await book.recall({ text, limit })).hits.map(keyOf)
        if (limit === wholeLimit) ranked.push(lineOf(text, found))
        return found
      })),
    }
  return figures
}

const lineOf = (text: string, found: readonly string[]) => `${text} => ${found.slice(0, 5).join(' ')}`.trim()
