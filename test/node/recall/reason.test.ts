// The words of the reasons of a hit, as they are written: in long records, other scripts, and for guests.
import { expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { utcZone } from '../../../src/core/zone.ts'
import { questionParts } from '../../../src/recall/reason.ts'
import { openTestEngine } from '../../support/test-engine.ts'

const open = async (...contents: string[]) => {
  const { engine } = openTestEngine()
  for (const content of contents) await engine.call('kstar:store_perception', { content })
  const because = async (text: string) =>
    ((await engine.call('daybook:recall', { text })) as RecallResult).hits[0]?.because
  return { engine, because }
}

test('a question has its words as written, with the terms that were searched for them', () => {
  const respelled = new Map([
    ['turbot', { word: 'turbott', isMisspelt: true }],
    ['configur', { word: 'config', isMisspelt: false }],
  ])
  const moment = { nowMs: Date.UTC(2026, 10, 29), zone: utcZone }
  expect(questionParts('Turbott, config Today? 7 Zoë’s 東京都', moment, respelled)).toEqual([
    { written: 'Turbott', terms: ['turbott', 'turbot'] },
    { written: 'config', terms: ['config', 'configur'] },
    {
      written: 'Today',
      terms: ['29', 'novemb'],
      date: { day: 29, month: 11, year: 2026, terms: ['29', 'novemb'], yearTerms: [] },
    },
    { written: '7', terms: ['7'], date: null },
    { written: 'Zoë', terms: ['zoe'] },
    { written: 's', terms: ['s'] },
    { written: '東京都', terms: ['東京', '京都'] },
  ])
})

test('a match is the first word of the passage that answers, else of the record', async () => {
  const filler = 'Plan the work, write who does what, and look at the numbers every week. '
  const { engine, because } = await open(
    `A gateway opened. ${filler.repeat(12)}The GATEWAYS have certificates that expire in May. ${filler.repeat(12)}`,
  )
  expect((await because('gateway certificate'))?.text?.matches).toEqual([
    { question: 'gateway', record: 'GATEWAYS' },
    { question: 'certificate', record: 'certificates' },
  ])
  await engine.close()
})

test.each([
  // The stems: `cafe`, pairs of Hangul, of Han letters and of Thai letters.
  ['CAFÉ prices', 'Prices at the Café', ['CAFÉ', 'Café'], ['prices', 'Prices']],
  ['전시회는 어디에서', '전시회에 갑니다', ['전시회', '전시회']],
  ['花岗岩的颜色', '颜色必须和花岗岩一样', ['花岗岩', '花岗岩'], ['颜色', '颜色']],
  ['see東京 tower', 'The Tower of 東京', ['tower', 'Tower'], ['東京', '東京']],
])('“%s” finds “%s” with its words', async (question, content, ...pairs) => {
  const { engine, because } = await open(content)
  expect((await because(question))?.text?.matches).toEqual(
    pairs.map(([asked, record]) => ({ question: asked, record })),
  )
  await engine.close()
})

test('finds a word by any stem: a stem begins like its word, but for its last letters', async () => {
  const words =
    'filing happiness possibilities creation sensitivity dying skies babies hopping sized relational valencies used ' +
    'Bs generalizations troubled agreed conflated 4 abilities'
  const { engine, because } = await open(words)
  const matched = (await because(words))?.text?.matches.map(({ record }) => record)
  expect(matched?.toSorted()).toEqual(words.split(' ').toSorted())
  await engine.close()
})

test('a word that only the date of a record has is no word of its text', async () => {
  const { engine } = openTestEngine()
  const trace = {
    situation: { domain: 'work' },
    task: { goal: 'Cleaned the gutter' },
    action: { type: 'do' },
    result: { success: true, outcome: {} },
    timestamp: '2026-03-04T10:00:00Z',
  }
  await engine.call('kstar:store_trace', trace)
  const ask = async (text: string) => (await engine.call('daybook:recall', { text })) as RecallResult
  const [hit] = (await ask('what happened on 4 March 2026')).hits
  expect([hit?.because.text?.words, hit?.because.text?.matches]).toEqual([[], []])
  expect(hit?.because.date).toEqual({ day: '2026-03-04', words: ['4', 'March', '2026'] })
  await engine.close()
})
