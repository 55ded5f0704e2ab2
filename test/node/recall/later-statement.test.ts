// A statement that a later one of the same person contradicts is below it, and says so.
import { expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { contradicts } from '../../../src/recall/later-statement.ts'
import { lightTermsOf } from '../../../src/recall/light-word.ts'
import { stopWords } from '../../../src/recall/question-words.ts'
import { segmentQuery } from '../../../src/store/word/unspaced-script.ts'
import { tokenize } from '../../../src/store/word/tokenize.ts'
import { openTestEngine } from '../../support/test-engine.ts'
import { changes, changesHeldOut, type StatementPair } from '../../golden/change.ts'

const judge = ({ question, earlier, later }: StatementPair) => {
  const isLight = lightTermsOf(question)
  const terms = tokenize(segmentQuery(question)).filter((term) => !stopWords.has(term) && !isLight(term))
  return contradicts(earlier, later, new Set(terms))
}

test.each(changes)('$earlier – $later', (pair) => {
  expect(judge(pair)).toBe(pair.isChange)
})

test('held-out pairs: no other pair counts as a change, and most changes are found', () => {
  const wrong = changesHeldOut.filter((pair) => !pair.isChange && judge(pair))
  const found = changesHeldOut.filter((pair) => pair.isChange && judge(pair))
  expect(wrong).toEqual([])
  expect(found.length).toBeGreaterThanOrEqual(7)
})

const say = (content: string, day: number, name = 'Mara') => ({
  id: `${name}-${day}`,
  content,
  source: { type: 'User', name },
  timestamp: `2026-03-0${day}T10:00:00Z`,
})

test('the later statement is above the earlier one, which names it', async () => {
  const { engine } = openTestEngine()
  const talk = async (session: string, ...messages: object[]) =>
    await engine.call('ks:store_messages', { messages, session })
  await talk('early', say('My dentist is Dr Alvarez on Mill Road, a good dentist.', 1), say('I like him.', 2))
  await talk('late', say('I changed my dentist to Dr Brandt, because Dr Alvarez retired.', 3))
  await talk('other', say('My dentist is Dr Alvarez.', 4, 'Tom'), say('Nice weather today.', 5, 'Tom'))
  const ask = async (text: string, more: object = {}) =>
    ((await engine.call('daybook:recall', { text, ...more })) as RecallResult).hits.map(
      ({ record, because }) => [record['msg_id'], because.later],
    )
  const hits = await ask('who is my dentist', { distinct: false })
  const ids = hits.map(([id]) => id)
  expect(ids.indexOf('Mara-3')).toBeLessThan(ids.indexOf('Mara-1'))
  const later = hits.filter(([, id]) => id !== undefined)
  expect(later.map(([id]) => id)).toEqual(['Mara-1'])
  expect(String(later[0]?.[1])).toMatch(/^message::/)
  // Before the change, nothing contradicts.
  expect((await ask('who is my dentist', { at: '2026-03-02' })).every(([, id]) => id === undefined)).toBe(
    true,
  )
  await engine.close()
})
