// Statements that differ in a word or a sign are no duplicates, in one book and over several.
import { describe, expect, it, test } from 'vitest'
import { recallAcross } from '../../../src/book/across/across.ts'
import { sayingOf } from '../../../src/core/text/saying.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const pairs = [
  ['Nadia is allergic to penicillin', 'Nadia is not allergic to penicillin'],
  ['The gas valve is closed', 'The gas valve isn’t closed'],
  ['I can eat peanuts', 'I cannot eat peanuts'],
  ['Payment to Wolfgang: 100 €', 'Payment to Wolfgang: -100 €'],
  ['Lunch was 10 €', 'Lunch was 10 $'],
  ['The cellar has 3 degrees', 'The cellar has −3 degrees'],
  ['✅ snapshot of the ledger', '❌ snapshot of the ledger'],
  ['Ada writes C', 'Ada writes C++'],
  ['The load is > 5', 'The load is < 5'],
  ['The contract was sent to Ruth', 'The contract was sent from Ruth'],
  ['Der Tresor ist offen', 'Der Tresor ist nicht offen'],
  ['Je suis végétarien', 'Je ne suis pas végétarien'],
  ['The parcel went to us', 'The parcel went to US'],
  ['Anna lent Bob the money', 'Bob lent Anna the money'],
  ['I dont eat nuts', 'I do eat nuts'],
  ['The left kidney has a stone', 'The right kidney has a stone'],
  ['The check is a == b', 'The check is a != b'],
  ['Prices ↑ this week', 'Prices ↓ this week'],
  ['薬を飲んでいます', '薬を飲んでいません'],
  ['可以吃花生', '不可以吃花生'],
  ['Она ест орехи', 'Она не ест орехи'],
  ['أنا آكل المكسرات', 'أنا لا آكل المكسرات'],
  ['Kahve içiyorum', 'Kahve içmiyorum'],
  ['Jag äter nötter', 'Jag äter inte nötter'],
  ['ฉันกินถั่ว', 'ฉันไม่กินถั่ว'],
  ['ฉันเห็นเสือในสวน', 'ฉันเห็นเสื้อในสวน'],
  ['return isAdmin;', 'return !isAdmin;'],
  ['if (ready) deploy()', 'if (!ready) deploy()'],
  ['enabled = true', '// enabled = true'],
  ['enabled: true', '# enabled: true'],
  ['DROP TABLE x', '-- DROP TABLE x'],
  ['The crate weighs 1.234 kg', 'The crate weighs 1,234 kg'],
  ['The sum is 2⁵', 'The sum is 25'],
  ['They won 3:1', 'They won 3.1'],
  ['The cup went to team A', 'The cup went to team'],
  ['Die Heizung ist an', 'Die Heizung ist'],
] as const

describe('what a text says', () => {
  it.each(pairs)('differs in %s and %s', (one, other) => {
    expect(sayingOf(one)).not.toBe(sayingOf(other))
  })

  it.each([
    ['It is well-known, pages 3-5.', 'It is well known, pages 3-5'],
    ["She can't come", 'She can’t come!'],
    ['NOT today', 'not today'],
    ['The valve is open', 'a valve is open…'],
  ])('is the same for %s and %s', (one, other) => {
    expect(sayingOf(one)).toBe(sayingOf(other))
  })
})

const open = (name: string) => openDaybook({ name, path: ':memory:', agent: 'ana', timeZone: 'UTC' })

test.each(pairs)('recall returns both: %s / %s', async (one, other) => {
  await using book = await open('opposite')
  await book.perceptions.store({ content: one })
  await book.perceptions.store({ content: other })
  for (const want of ['best', 'all'] as const) {
    const { hits } = await book.recall({ text: one, want })
    expect(hits.map(({ record }) => record['content']).toSorted()).toEqual([one, other].toSorted())
  }
})

test('a record of another book that says the opposite is a hit of its own', async () => {
  await using mine = await open('mine')
  await using team = await open('team')
  await mine.perceptions.store({ content: pairs[0][0] })
  await team.perceptions.store({ content: pairs[0][1] })
  const { hits } = await recallAcross([mine, team], { text: 'Is Nadia allergic to penicillin?' })
  expect(hits.map(({ record }) => record['content']).toSorted()).toEqual([...pairs[0]].toSorted())
})

test('what is said of two resources is said twice', async () => {
  await using mine = await open('mine')
  await using team = await open('team')
  const content = 'Passed the swimming exam'
  for (const resource of ['student:ann', 'student:bob']) await mine.perceptions.store({ content, resource })
  expect((await mine.recall({ text: 'swimming exam' })).hits.length).toBe(2)
  await team.perceptions.store({ content, resource: 'student:eve' })
  expect((await recallAcross([mine, team], { text: 'swimming exam' })).hits.length).toBe(3)
})

test('facts that differ only in a yes or no are both hits', async () => {
  await using book = await open('flags')
  for (const isAllergic of [true, false])
    await book.facts.store({ schema: 'allergy', data: { food: 'peanuts of the fair', isAllergic } })
  expect((await book.recall({ text: 'peanuts' })).hits.length).toBe(2)
})

test('messages with ids of two programs are twins, and perceptions that are not as sure', async () => {
  await using mine = await open('mine')
  await using team = await open('team')
  const message = {
    content: 'The regatta begins at noon',
    source: { type: 'User', id: 'ana', name: 'Ana' },
  } as const
  for (const [book, msgId, confidence] of [
    [mine, 'msg-101', 0.8],
    [team, 'msg-2077', 0.9],
  ] as const) {
    await book.conversation.store({ message: { id: msgId, ...message } })
    await book.perceptions.store({ content: 'The regatta needs two boats', confidence })
  }
  const { hits } = await recallAcross([mine, team], { text: 'regatta' })
  expect(hits.map(({ alsoIn }) => alsoIn?.length)).toEqual([1, 1])
})

test('a list of the few records with a rare word is complete, however many have a common word', async () => {
  await using book = await open('tickets')
  const goals = Array.from({ length: 300 }, (_, i) => `Ticket ${i} of customer ${i % 7}: printer`)
  goals.push('Ticket 300 of Vandermeer: no paper', 'Ticket 301 of Vandermeer: ink')
  await book.traces.storeMany({
    traces: goals.map((goal) => ({
      situation: { domain: 'desk' },
      task: { goal },
      action: { type: 'note' },
    })),
  })
  const { hits, complete } = await book.recall({ text: 'list every ticket of Vandermeer', limit: 200 })
  expect(hits.length).toBeGreaterThanOrEqual(2)
  expect(complete).toBeGreaterThan(0.9)
})

test('a long record with a passage that answers is above a short one with one word of the question', async () => {
  await using book = await open('long')
  const filler = Array.from(
    { length: 150 },
    (_, i) => `Item ${i}: the council spoke about benches and lamps.`,
  )
  const answer = 'The allergy test showed that Nadia must avoid cashews but may eat almonds.'
  const content = [...filler.slice(0, 70), answer, ...filler.slice(70)].join(' ')
  await book.conversation.store({ message: { content, source: { User: 'ann' } } })
  for (const short of ['Nadia phoned', 'nuts and bolts ordered', 'test drive tomorrow'])
    await book.conversation.store({ message: { content: short, source: { User: 'ann' } } })
  await expect.poll(async () => (await book.embedder.status()).behind, { timeout: 20_000 }).toBe(0)
  const { hits } = await book.recall({ text: 'Which nuts must Nadia avoid after the allergy test?' })
  expect(hits[0]?.record['content']).toBe(content)
})
