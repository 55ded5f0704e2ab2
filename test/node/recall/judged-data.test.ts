// The judged questions are what they claim to be: no synonym shares a word with its answer, every whole answer has its records.
import { expect, it } from 'vitest'
import { stopWords } from '../../../src/recall/question-words.ts'
import { tokenize } from '../../../src/store/word/tokenize.ts'
import { gradesOf } from '../../golden/measure.ts'
import {
  synonymHeldOut,
  synonymMarks,
  synonymQuestions,
  synonymTexts,
} from '../../golden/synonym/synonym-corpus.ts'
import { wholeHeldOut, wholeQuestions } from '../../golden/whole/whole-corpus.ts'

/** Stems, without stop words and the rest of `mother's`. */
const contentOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])
      .filter((word) => !stopWords.has(word))
      .flatMap((word) => tokenize(word)),
  )

it('has synonym questions that share no word with a record that answers', () => {
  const questions = [...synonymQuestions, ...synonymHeldOut]
  const answered = questions.filter(({ of }) => of !== 'nothing')
  expect([answered.length, questions.length]).toEqual([60, 72])
  for (const { text, grades } of answered) {
    const words = contentOf(text)
    const keys = [...gradesOf(grades)].filter(([, grade]) => grade === 3).map(([key]) => key)
    expect([text, keys.length]).not.toEqual([text, 0])
    for (const key of keys) {
      const shared = [...contentOf(synonymTexts.get(key) ?? text)].filter((word) => words.has(word))
      expect([text, key, shared]).toEqual([text, key, []])
    }
  }
  expect(answered.flatMap(({ grades }) => [...gradesOf(grades).keys()]).length).toBeGreaterThanOrEqual(
    synonymMarks.size,
  )
})

it('has a text of its own for each key of the synonym corpus', () => {
  expect(synonymTexts.size).toBeGreaterThanOrEqual(300)
})

it('has 20 lists, 20 orders and 20 summaries with 3 to 12 records of several sessions, half of each held out', () => {
  for (const half of [wholeQuestions, wholeHeldOut]) {
    const counts = Object.groupBy(half, ({ sort }) => sort)
    expect(Object.entries(counts).map(([sort, some]) => [sort, some.length])).toEqual([
      ['list', 10],
      ['order', 10],
      ['summary', 10],
      ['nothing', 6],
    ])
    for (const { text, sort, evidence } of half) {
      const sessions = new Set(evidence.map((id) => id.split(':')[0]))
      if (sort === 'nothing') expect([text, evidence]).toEqual([text, []])
      else {
        expect([text, evidence.length]).toEqual([text, expect.toSatisfy((n: number) => n >= 3 && n <= 12)])
        expect([text, sessions.size]).toEqual([text, expect.toSatisfy((n: number) => n >= 3)])
      }
    }
  }
})

it('has no record that answers questions of both halves of the lists, orders and summaries', () => {
  const fitted = new Set(wholeQuestions.flatMap(({ evidence }) => evidence))
  const both = wholeHeldOut.flatMap(({ evidence }) => evidence).filter((id) => fitted.has(id))
  expect(both).toEqual([])
})
