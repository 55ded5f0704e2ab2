// The agreement of a question and a text, word by word, by the table of the package.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMeaningModel } from '../../../../src/recall/embed/meaning/meaning-model.ts'
import { readMeaningTable } from '../../../../src/recall/embed/meaning/meaning-table.ts'

const model = createMeaningModel(
  readMeaningTable(new Uint8Array(readFileSync(new URL('../../../../assets/meaning.bin', import.meta.url)))),
)
const agreement = (question: string, text: string) => model.agreement(question, text)

test('is high only if each content word has a word that means nearly the same', () => {
  expect(agreement('repair the automobile', 'I must fix my car')).toBeGreaterThan(0.3)
  expect(agreement('where is the kitten', 'The cat sleeps on the sofa')).toBeGreaterThan(0.3)
  // One word is there, the subject is not.
  expect(agreement('where do penguins sleep', 'Jonas snores, I sleep with earplugs')).toBeLessThan(0.25)
  expect(agreement('what does a giraffe eat', 'I have stopped eating meat')).toBeLessThan(0.25)
})

test('common words decide nothing', () => {
  const text = 'Booked a table for two'
  expect(agreement('what did I have for the table', text)).toBe(agreement('table', text))
})

test('is 1 for the same words, and 0 without words or with a word that the table has only in parts', () => {
  expect(agreement('dentist', 'my dentist')).toBeCloseTo(1)
  expect(agreement('', 'my dentist')).toBe(0)
  expect(agreement('dentist', '')).toBe(0)
  expect(agreement('!?', 'my dentist')).toBe(0)
  expect(agreement('wo ist mein Elefantenhaus', 'mein Haus')).toBe(0)
})

test('compares the beginning of a long text', () => {
  const far = `${'lorem '.repeat(400)} dentist`
  expect(agreement('dentist', far)).toBeLessThan(0.5)
  expect(agreement('dentist', `dentist ${far}`)).toBeCloseTo(1)
})

test('knows a question by its content words, not by light ones', () => {
  for (const question of ['dentist', 'where is the kitten', 'asdkjh kitten'])
    expect([question, model.knows(question)]).toEqual([question, true])
  for (const question of ['zmxncb', 'asdkjh qwoeiu zmxncb', 'where is the zmxncb', '', '?!'])
    expect([question, model.knows(question)]).toEqual([question, false])
})
