// A record with the word of the question ranks above one with another word of the same stem.
import { expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { formFactor, isInflected, wordsByTerm } from '../../../src/recall/word-form.ts'
import { openTestEngine } from '../../support/test-engine.ts'

const open = async (contents: readonly string[]) => {
  const { engine } = openTestEngine()
  for (const content of contents) await engine.call('kstar:store_perception', { content })
  const ask = async (text: string) =>
    ((await engine.call('daybook:recall', { text })) as RecallResult).hits.map(({ record }) =>
      String(record['content']),
    )
  return { engine, ask }
}

test.each([
  ['university', ['The university elected a new president', 'The universe is large']],
  ['universe', ['The universe is large', 'The university elected a new president']],
  ['business', ['I was in the business district', 'We are busy']],
  ['generally', ['He is generally kind', 'The general retired']],
  ['general', ['The general retired', 'He is generally kind']],
])('“%s” finds the record with that word first', async (question, contents) => {
  for (const order of [contents, contents.toReversed()]) {
    const { engine, ask } = await open(order)
    expect(await ask(question)).toEqual(contents)
    await engine.close()
  }
})

test.each([
  ['fail', 'failed', true],
  ['city', 'cities', true],
  ['running', 'runs', true],
  ['plan', 'planned', true],
  ['busy', 'business', false],
  ['universe', 'university', false],
  ['general', 'generally', false],
])('%s and %s are forms of one word: %s', (one, other, wanted) => {
  expect([isInflected(one, other), isInflected(other, one)]).toEqual([wanted, wanted])
})

test('a word of another script, with a digit, or only of the date of a record has no other form', () => {
  const words = wordsByTerm(['café', '4711a', '東京', 'march', 'failed'])
  expect([...words.keys()]).toEqual(['march', 'fail'])
  expect(formFactor(['Nothing of it'], ['march'], words)).toBe(1)
  expect(formFactor(['It FAILED'], ['fail'], words)).toBe(1)
  expect(formFactor(['It failed', 'Failing'], ['fail', 'march'], words)).toBe(1)
  expect(formFactor(['It fails', 'prefailed'], ['fail'], words)).toBe(1)
  expect(formFactor(['the universe'], ['univers'], wordsByTerm(['university']))).toBe(0.6)
})

test('a beginning is completed by no common word, and by no stem of two letters', async () => {
  const { engine, ask } = await open([
    'Jonas gave me a fountain pen',
    'We can see it',
    'The configuration is new',
  ])
  expect(await ask('Wer ist mein Zahnarzt?')).toEqual([])
  expect(await ask('goin')).toEqual([])
  expect(await ask('config')).toEqual(['The configuration is new'])
  await engine.close()
})

test('wide letters and usual ones find each other', async () => {
  const { engine, ask } = await open(['ＦＵＬＬ width text', 'The parcel weighs 12 kilos', 'Other words'])
  expect(await ask('full')).toEqual(['ＦＵＬＬ width text'])
  expect(await ask('ＦＵＬＬ')).toEqual(['ＦＵＬＬ width text'])
  expect(await ask('Ｐａｒｃｅｌｓ')).toEqual(['The parcel weighs 12 kilos'])
  await engine.close()
})
