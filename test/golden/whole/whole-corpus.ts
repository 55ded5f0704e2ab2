// A book of seven months of Nell's talks, and questions whose answers lie in several of its sessions.
import type { Daybook } from '../../../src/book/daybook.ts'
import { type Marks, readTalk, storeTalk } from '../judged-talk.ts'
import { familyTalk } from './family-talk.ts'
import { houseTalk } from './house-talk.ts'
import { officeTalk } from './office-talk.ts'
import { selfTalk } from './self-talk.ts'
import { wholeLines } from './whole-question.ts'

export interface WholeQuestion {
  readonly sort: 'list' | 'order' | 'summary' | 'nothing'
  readonly text: string
  /** Ids of every message that belongs to the answer, earliest first; none if nothing answers. */
  readonly evidence: readonly string[]
}

const marks: Marks = new Map()
const sessions = [houseTalk, familyTalk, selfTalk, officeTalk].flatMap((talk) => readTalk(talk, marks))
const timeOf = new Map(
  sessions.flatMap(({ began, lines }) => lines.map(({ id }, i) => [id, began + i * 60_000] as const)),
)

export const fillWhole = (book: Daybook): Promise<void> => storeTalk(book, sessions)

const numbered = wholeLines
  .trim()
  .split('\n')
  .map((line) => {
    const [number = '', sort = '', word = '', ...text] = line.split(' ')
    const evidence = [...(marks.get(word)?.keys() ?? [])].sort(
      (a, b) => (timeOf.get(a) ?? 0) - (timeOf.get(b) ?? 0),
    )
    const question = { sort: sort as WholeQuestion['sort'], text: text.join(' '), evidence }
    return { isOdd: Number(number) % 2 === 1, question }
  })
const halfOf = (isOdd: boolean): readonly WholeQuestion[] =>
  numbered.filter((one) => one.isOdd === isOdd).map(({ question }) => question)

export const wholeQuestions = halfOf(true)
export const wholeHeldOut = halfOf(false)
