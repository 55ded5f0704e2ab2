// Figures for questions that several records answer together: is everything found, and in the order of time.
import { coverage, mean, orderOfPairs } from '../measure.ts'
import { type WholeQuestion, wholeHeldOut, wholeQuestions } from './whole-corpus.ts'

export interface WholeFigures {
  /** Of all questions, the share whose whole evidence is among the first 40. */
  readonly 'all@40': number
  /** Of the evidence of a list, and of a summary, the share among the first 40. */
  readonly 'list@40': number
  readonly 'summary@40': number
  /** Of the questions of order, the share whose whole evidence is among the first 10, and earlier before later. */
  readonly 'all in order@10': number
  /** Of the pairs of their evidence, the share of which both are among the first 10, and earlier before later. */
  readonly 'order@10': number
  /** Of the questions that nothing answers, the share that got nothing. */
  readonly silent: number
  readonly questions: number
}

/** As many as recall is asked for. */
export const wholeLimit = 40

export const wholeSets: readonly { readonly name: string; readonly questions: readonly WholeQuestion[] }[] = [
  { name: 'whole', questions: wholeQuestions },
  { name: 'whole, held out', questions: wholeHeldOut },
]

/** As many as a question of order is asked for, when the order is judged. */
const orderLimit = 10

/** `find` answers with at most `limit` keys: best first, or by time if the question asks for an order. */
export async function measureWhole(
  questions: readonly WholeQuestion[],
  find: (text: string, limit: number) => Promise<readonly string[]>,
): Promise<WholeFigures> {
  const answers: (WholeQuestion & { readonly found: readonly string[] })[] = []
  const pairs: number[] = []
  for (const question of questions) {
    const { text, sort, evidence } = question
    answers.push({ ...question, found: await find(text, wholeLimit) })
    if (sort === 'order') pairs.push(orderOfPairs(evidence, await find(text, orderLimit), orderLimit))
  }
  const of = (sort: WholeQuestion['sort']) => answers.filter((one) => one.sort === sort)
  const covered = (some: typeof answers) => some.map((one) => coverage(one.evidence, one.found, wholeLimit))
  const answered = answers.filter(({ sort }) => sort !== 'nothing')
  return {
    'all@40': mean(covered(answered).map((share) => (share === 1 ? 1 : 0))),
    'list@40': mean(covered(of('list'))),
    'summary@40': mean(covered(of('summary'))),
    'all in order@10': mean(pairs.map((share) => (share === 1 ? 1 : 0))),
    'order@10': mean(pairs),
    silent: mean(of('nothing').map(({ found }) => (found.length === 0 ? 1 : 0))),
    questions: answered.length,
  }
}
