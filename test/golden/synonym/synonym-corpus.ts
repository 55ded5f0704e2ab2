// A book of Iris's life and work, and questions that share no word with their answers.
import type { Daybook } from '../../../src/book/daybook.ts'
import { traceOf } from '../corpus.ts'
import { type Marks, readTalk, storeTalk, withoutMarks } from '../judged-talk.ts'
import { ask, type GoldenQuestion } from '../question.ts'
import { homeTalk } from './home-talk.ts'
import { knownFacts, knownTraces } from './known-text.ts'
import { projectTalk } from './project-talk.ts'
import { synonymLines } from './synonym-question.ts'

/** By the word of a question: the records that answer it. */
export const synonymMarks: Marks = new Map()

const sessions = [homeTalk, projectTalk].flatMap((talk) => readTalk(talk, synonymMarks))
const traces = knownTraces
  .trim()
  .split('\n')
  .map((line) => traceOf(withoutMarks(line, line.slice(0, line.indexOf(' ')), synonymMarks)))
const facts = knownFacts
  .trim()
  .split('\n')
  .map((line) => {
    const [key = '', schema = '', fields = ''] = line.split(' | ')
    const pairs = withoutMarks(fields, key, synonymMarks).split('; ')
    const data = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
    return { id: `fact-${key}`, schema, data }
  })

/** By key, every text of a record, for a check that no answer shares a word with its question. */
export const synonymTexts: ReadonlyMap<string, string> = new Map([
  ...sessions.flatMap(({ lines }) =>
    lines.map(({ id, name, content }) => [id, `${name} ${content}`] as const),
  ),
  ...traces.map((trace) => [trace.id, JSON.stringify(trace)] as const),
  ...facts.map(
    ({ id, schema, data }) => [id.replace('fact-', ''), JSON.stringify({ schema, data })] as const,
  ),
])

export async function fillSynonym(book: Daybook): Promise<void> {
  await storeTalk(book, sessions)
  await book.traces.storeMany({ traces })
  for (const fact of facts) await book.facts.store(fact)
}

const numbered = synonymLines
  .trim()
  .split('\n')
  .map((line) => {
    const [number = '', word = '', ...text] = line.split(' ')
    const grades = [...(synonymMarks.get(word) ?? [])].map(([key, grade]) => `${key}=${grade}`).join(' ')
    const isOdd = Number(number) % 2 === 1
    return { isOdd, question: ask(word === '-' ? 'nothing' : 'turn', text.join(' '), grades) }
  })
const halfOf = (isOdd: boolean): readonly GoldenQuestion[] =>
  numbered.filter((one) => one.isOdd === isOdd).map(({ question }) => question)

export const synonymQuestions = halfOf(true)
export const synonymHeldOut = halfOf(false)
