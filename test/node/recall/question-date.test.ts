// Dates of a question match as a whole: in the ranking and in the reasons.
import { expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { utcZone } from '../../../src/core/zone.ts'
import { searchedParts } from '../../../src/recall/question-date.ts'
import { openTestEngine } from '../../support/test-engine.ts'

// The clock of the test engine is at 2026-07-01.
const trace = (goal: string, timestamp: string, session?: string) => ({
  situation: { domain: 'work' },
  task: { goal },
  action: { type: 'do' },
  result: { success: true, outcome: {} },
  timestamp,
  ...(session === undefined ? {} : { session }),
})

const open = async (...traces: readonly (readonly [goal: string, timestamp: string, session?: string])[]) => {
  const { engine } = openTestEngine()
  for (const one of traces) await engine.call('kstar:store_trace', trace(...one))
  const ask = async (text: string) =>
    ((await engine.call('daybook:recall', { text })) as RecallResult).hits.map(({ record, because }) => ({
      goal: (record['task'] as { goal: string }).goal,
      because,
    }))
  const goals = async (text: string) => (await ask(text)).map(({ goal }) => goal)
  return { engine, ask, goals }
}

const moment = { nowMs: Date.UTC(2026, 6, 1), zone: utcZone }
const datesIn = (text: string) =>
  [...new Set(searchedParts(text, moment).flatMap(({ date }) => date ?? []))].map(({ day, month, year }) => [
    day,
    month,
    year,
  ])

test.each([
  ['what did I do yesterday?', [[30, 6, 2026]]],
  [
    'Today, or tomorrow',
    [
      [1, 7, 2026],
      [2, 7, 2026],
    ],
  ],
  ['the day before yesterday', [[29, 6, 2026]]],
  ['the day after tomorrow', [[3, 7, 2026]]],
  ['on 28 June', [[28, 6, undefined]]],
  [
    'the 4th of March 2026, then Mar 5 and March 6th, 1999',
    [
      [4, 3, 2026],
      [5, 3, undefined],
      [6, 3, 1999],
    ],
  ],
  ['in March of 1999', [[undefined, 3, 1999]]],
  ['2026-03-04', [[4, 3, 2026]]],
  [
    'on 28.06.2026, 3/28/2026 and 28/4/2026',
    [
      [28, 6, 2026],
      [28, 3, 2026],
      [28, 4, 2026],
    ],
  ],
  [
    '3 de agosto de 2026, le 1er août, am 5. März',
    [
      [3, 8, 2026],
      [1, 8, undefined],
      [5, 3, undefined],
    ],
  ],
  [
    '2026年6月28日に、7月1日',
    [
      [28, 6, 2026],
      [1, 7, undefined],
    ],
  ],
  ['3/4/2026, 2026-02-30, order 2026-4471', []],
  ['2026-13-04 in March, by 4 people on the 4th in 2026', []],
  ['32 March', []],
])('“%s” has its dates', (text, dates) => {
  expect(datesIn(text)).toEqual(dates)
})

const year = Array.from(
  { length: 30 },
  (_, i) => [`note ${i} of chores`, new Date(Date.UTC(2026, 1, 1 + i)).toISOString()] as const,
)

test('a date finds the records of that day only, and is their reason', async () => {
  const { engine, ask, goals } = await open(
    ['Watered the roses', '2026-06-30T10:00:00Z'],
    ['Mowed the lawn', '2026-06-29T10:00:00Z'],
    ['Sold the boat', '2026-06-28T10:00:00Z'],
    ['Painted the fence', '2024-07-01T10:00:00Z'],
    ['Called Ann', '2026-07-01T08:00:00Z'],
    ['Lost the key', '2026-03-04T10:00:00Z'],
    ['Cut the key', '2026-05-04T10:00:00Z'],
    ...year,
  )
  expect(await goals('what did I do yesterday?')).toEqual(['Watered the roses'])
  expect((await ask('what did I do yesterday?'))[0]?.because.date).toEqual({
    day: '2026-06-30',
    words: ['yesterday'],
  })
  expect(await goals('what did I do today?')).toEqual(['Called Ann'])
  expect(await goals('what happened on 28 June?')).toEqual(['Sold the boat'])
  expect((await ask('what happened on the 28th of June?'))[0]?.because.date).toEqual({
    day: '2026-06-28',
    words: ['28th', 'June'],
  })
  expect(await goals('what happened in March 1999?')).toEqual([])
  expect(await goals('what happened on 2026-06-29')).toEqual(['Mowed the lawn'])
  const keys = await ask('key on 4 March 2026')
  expect(keys.map(({ goal, because }) => [goal, because.date?.words])).toEqual([
    ['Lost the key', ['4', 'March', '2026']],
    ['Cut the key', undefined],
  ])
  await engine.close()
})

test('a date in the text of a record matches too, in the year of the record or with its own', async () => {
  const { engine, ask, goals } = await open(
    ['The tax is due on 28 November', '2026-02-10T10:00:00Z'],
    ['The rent was due on 28 November 2024', '2025-02-28T10:00:00Z'],
    ...year,
  )
  expect(await goals('what is due on 28 November 2026?')).toEqual([
    'The tax is due on 28 November',
    'The rent was due on 28 November 2024',
  ])
  const [tax, rent] = await ask('what is on 28 November 2026?')
  expect([tax?.goal, tax?.because.text?.words, tax?.because.date, rent]).toEqual([
    'The tax is due on 28 November',
    ['28', 'November'],
    undefined,
    undefined,
  ])
  expect(await goals('what was on November 28, 2024')).toEqual(['The rent was due on 28 November 2024'])
  await engine.close()
})

test.each([
  ['Grandpa was born on June 28th, 1931', 'June 28th, 1931'],
  ['Grandpa was born on June 28th, 1931', '28 June 1931'],
  ['Grandpa was born 1931-06-28', 'on 28 June 1931'],
  ['The lease ends on 3 August', '2026-08-03'],
  ['Der Vertrag endet am 03.08.2026', 'the 3rd of August'],
  ['deploy alpha at 2026-08-03T10:00:00Z', 'on 3 August 2026'],
  ['[2026/08/03 10:00] the job ran', '3 August'],
  ['The lease ends on 23-08-2026', '23 August'],
  ['El contrato acaba el 3 de agosto', 'am 3. August 2026'],
  ['契約は8月3日まで', 'on 3 August'],
])('“%s” has the date of “%s”', async (goal, text) => {
  const { engine, goals } = await open(
    [goal, '2026-02-10T10:00:00Z'],
    ['Call Ann by 4 May', '2026-02-11T10:00:00Z'],
    ...year,
  )
  expect(await goals(text)).toEqual([goal])
  await engine.close()
})

test('a number within a code is no year', async () => {
  const { engine, goals } = await open(...year)
  expect(await goals('invoice 2026-4471')).toEqual([])
  await engine.close()
})

test('a number that is no date does not match the date of a record', async () => {
  const { engine, ask } = await open(
    ['Bought 5 lamps', '2026-02-10T10:00:00Z'],
    ['Bought the lamp shade', '2026-02-05T10:00:00Z'],
    ...year,
  )
  const hits = await ask('the 5 lamps')
  expect(hits.map(({ goal, because }) => [goal, because.text?.words, because.date])).toEqual([
    ['Bought 5 lamps', ['5', 'lamps'], undefined],
    ['Bought the lamp shade', ['lamps'], undefined],
    ['note 5 of chores', ['5'], undefined],
  ])
  await engine.close()
})

test('the day of a record says nothing about the records beside it', async () => {
  const { engine, goals } = await open(
    ['Watered the roses', '2026-06-30T23:00:00Z', 'evening'],
    ['Went to bed', '2026-07-01T00:30:00Z', 'evening'],
  )
  expect(await goals('what did I do yesterday?')).toEqual(['Watered the roses'])
  await engine.close()
})
