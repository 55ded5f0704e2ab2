// Small talk and output of machines answer only questions about their own words.
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { noiseOf } from '../../../src/recall/noise.ts'

it.each([
  'Send it.',
  'ok thanks',
  "You're welcome! Anything else?",
  'Hello! How can I help you today?',
  'Great, sounds good 👍',
  'Thanks a lot!!!',
  'Danke schön!',
  'Alles klar, vielen Dank.',
  "Merci beaucoup, c'est parfait",
  'Muchas gracias. Hasta luego',
  '👍🏽',
])('is small talk: %s', (text) => {
  expect(noiseOf(text)).toBe('small-talk')
})

it.each([
  '{"status":"ok","items":[{"id":"a1"}]}',
  '[1, 2, 3]',
  'Error: ENOENT: no such file\n    at Object.openSync (node:fs:573:18)\n    at main (/app/index.js:3:1)',
  'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: x',
  'Installing dependencies... 45%',
  'Downloading model 12% of 90 MB',
  'Step 3/10: building image',
  '[3/10] COPY . .',
  '██████████████',
])('is output: %s', (text) => {
  expect(noiseOf(text)).toBe('output')
})

it.each([
  '',
  'yes',
  'No.',
  'yes please',
  'No, that is all for today.',
  'On Friday.',
  'Good morning! The flight is at 9.',
  'Thank you so much for the tour of Lyon',
  'Something is not right',
  'goodwill',
  'Revenue grew by 45%',
  'Battery: 45%',
  'We paid 3/10 of it.',
  'See line 12 of the contract (page 3:1).',
  '{ not JSON }',
  'Meet me at the station at 8:30 (platform 4).',
])('says something: %s', (text) => {
  expect(noiseOf(text)).toBeUndefined()
})

test('a text with a number, or with a word of no phrase, is no small talk', () => {
  const phrase = fc.constantFrom('ok', 'thanks', 'sounds good', 'hello', 'danke', 'merci', 'gracias')
  const word = fc.constantFrom('Lyon', '9', 'Maya', 'invoice', 'zq', '2026')
  fc.assert(
    fc.property(fc.array(phrase), word, fc.array(phrase), (before, own, after) => {
      expect(noiseOf([...before, own, ...after].join(', '))).not.toBe('small-talk')
    }),
  )
})

test('a long text takes no more time than its length', () => {
  const long = [
    'thank you '.repeat(11),
    'at a:1\n'.repeat(100_000),
    '1 % '.repeat(100_000),
    `{${'a'.repeat(1e6)}}`,
  ]
  const startedMs = performance.now()
  for (const text of long) noiseOf(`${text}q`)
  expect(performance.now() - startedMs).toBeLessThan(1000)
})

const talk = [
  'Can you draft the mail to Maya about dinner on Friday?',
  'Send it.',
  'ok thanks',
  '{"status":"done","items":[{"name":"eat","value":12}]}',
  'Error: ENOENT: no such file\n    at Object.openSync (node:fs:573:18)\n    at eat (/app/like.js:12:5)',
  'Maya likes aubergines.',
  'The deployment of Harbor failed: its certificate had expired.',
]

async function openTalk() {
  const book = await openDaybook({ name: 'noise', path: ':memory:', agent: 'ana', timeZone: 'UTC' })
  await book.conversation.storeMany({
    session: 's',
    messages: talk.map((content, i) => ({
      id: `m-${i}`,
      content,
      source: { User: 'ann' },
      timestamp: new Date(Date.UTC(2026, 0, 1, 9, i)).toISOString(),
    })),
  })
  return book
}

test('an acknowledgement is no answer, however near it is', async () => {
  await using book = await openTalk()
  const textsOf = async (text: string) =>
    (await book.recall({ text })).hits.map(({ record }) => String(record['content']))
  expect((await textsOf('What does Maya like to eat?'))[0]).toBe('Maya likes aubergines.')
  for (const text of ['What does Maya like to eat?', 'What did I say about dinner?', 'What did Maya answer?'])
    expect(await textsOf(text)).not.toContain('Send it.')
})

test('output and small talk answer a question about their own words', async () => {
  await using book = await openTalk()
  const first = async (text: string) => (await book.recall({ text })).hits[0]?.record['content']
  expect(await first('ENOENT openSync')).toBe(talk[4])
  expect(await first('thanks')).toBe('ok thanks')
})

test('explain says that a record says too little', async () => {
  await using book = await openTalk()
  const { records } = await book.conversation.list({ session: 's' })
  const id = records.find(({ content }) => content === 'Send it.')?.id ?? ''
  expect(await book.recall.explain({ text: 'What did I say about dinner?', id })).toMatchObject({
    outcome: 'missed',
    reasons: [{ code: 'says-little', sort: 'small-talk' }],
  })
})
