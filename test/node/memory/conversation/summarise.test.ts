import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentWords, sentencesOf } from '../../../../src/core/text/content-word.ts'
import {
  maxKeywords,
  extractKeywords,
  summarise,
  summaryLimits,
} from '../../../../src/memory/conversation/episode/summarise.ts'

const line = (name: string, content: string) => ({
  content,
  source: { type: name === 'bot' ? 'Agent' : 'User', name },
})

const talk = [
  line('Alice', 'Hi! We need to decide how to ship the new billing service before the audit in March.'),
  line('bot', 'Sure. The billing service currently writes invoices to Postgres and to S3. What worries you?'),
  line(
    'Alice',
    'The invoices in S3 are not encrypted. The audit will fail if invoices stay unencrypted. Thanks!',
  ),
  line('bot', 'We can re-encrypt old invoices with a batch job.'),
  line('Alice', 'OK, run the batch job on Saturday night and tell Dana when it is done.'),
  line('bot', 'Have a nice evening.'),
]

it('parts sentences in any script, and not at abbreviations that go on in lower case', () => {
  expect(sentencesOf('One. Two! "Three?" Four\nfive e.g. six. …')).toEqual([
    'One.',
    'Two!',
    '"Three?"',
    'Four',
    'five e.g. six.',
  ])
  expect(sentencesOf('会議があります。資料を準備します！はい')).toEqual([
    '会議があります。',
    '資料を準備します！',
    'はい',
  ])
  expect(sentencesOf('  \n … !!! ')).toEqual([])
})

it('leaves out the words that every text has, in seven languages', () => {
  expect(contentWords("I don't think that Pixel's vet is open; it's Sunday")).toEqual([
    'pixel',
    'vet',
    'open',
    'sunday',
  ])
  expect(contentWords('Ich möchte über die Übergabe sprechen')).toEqual(['mochte', 'ubergabe', 'sprechen'])
  expect(contentWords('Nous avons décidé de déménager à Lyon')).toEqual([
    'avons',
    'decide',
    'demenager',
    'lyon',
  ])
  expect(contentWords('東京の会議')).toEqual(['東京', '京の', 'の会', '会議'])
})

it('keeps the sentences that say most of what the whole says, in their order, with their speakers', () => {
  const summary = summarise(talk).split('\n')
  expect(summary).toHaveLength(summaryLimits.sentences)
  expect(summary[0]).toMatch(/^(?:Alice: We need|bot: The billing service)/)
  expect(summary).toContain('Alice: The invoices in S3 are not encrypted.')
  expect(summary.join(' ')).toMatch(/batch job/)
  expect(summary.join(' ')).not.toMatch(/Thanks|nice evening|Hi!/)
})

it('says a thing once, however often it was said', () => {
  const again = Array.from({ length: 30 }, () => line('Alice', 'The tests are red again.'))
  const summary = summarise([...again, line('bot', 'A missing fixture breaks the parser tests.')])
  expect(summary.split('\n')).toEqual([
    'Alice: The tests are red again.',
    'bot: A missing fixture breaks the parser tests.',
  ])
})

it('prefers what is new to what is said again in other words', () => {
  const variants = [
    'today',
    'again',
    'since noon',
    'on main',
    'for everyone',
    'in staging',
    'somehow',
    'as feared',
  ]
  const lines = variants.map((how) => line('Alice', `The nightly build of the parser is broken ${how}.`))
  const summary = summarise([...lines, line('bot', 'Dana will restore the missing fixture tomorrow.')])
  expect(summary).toMatch(/Dana/)
})

it('finds the words to find a talk by: what it repeats before what is only long', () => {
  const keywords = extractKeywords(talk)
  expect(keywords.slice(0, 2)).toEqual(['invoices', 'batch job'])
  expect(keywords).toContain('audit')
  expect(
    extractKeywords([line('a', '新しい請求システムの設計を決めます。請求システムは来週です。')]),
  ).toEqual(expect.arrayContaining(['請求', 'システム', '設計']))
  expect(extractKeywords([line('a', 'the and of it is')])).toEqual([])
})

const lines = fc.array(
  fc.record({
    content: fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.lorem({ maxCount: 30 })),
    source: fc.constant({}),
  }),
  { maxLength: 12 },
)

it('is made of nothing but what was said, within its bounds, whatever was said', () => {
  fc.assert(
    fc.property(lines, (given) => {
      const summary = summarise(given)
      const whole = given.map(({ content }) => content.trim()).join('\n')
      for (const one of summary === '' ? [] : summary.split('\nSomeone: ')) {
        const text = one.replace(/^Someone: /, '').replace(/…$/, '')
        expect(whole.toWellFormed()).toContain(text.toWellFormed().replace(/\ufffd$/, ''))
      }
      expect(summary.length).toBeLessThanOrEqual(summaryLimits.characters + 20 * summaryLimits.sentences)
      expect(summarise(given)).toBe(summary)
      const keywords = extractKeywords(given)
      expect(keywords.length).toBeLessThanOrEqual(maxKeywords)
      expect(new Set(keywords).size).toBe(keywords.length)
    }),
  )
})

it('takes no more than moments for the longest history', () => {
  const hostile = ['"'.repeat(100_000), ' '.repeat(100_000), 'a. '.repeat(30_000), '。”'.repeat(50_000)]
  const long = Array.from({ length: 400 }, (_, i) =>
    line('a', `Sentence ${i} about topic ${i % 17} and item ${i * 7}.`),
  )
  const began = process.cpuUsage()
  for (const text of hostile) summarise([line('a', text)])
  for (const text of hostile) extractKeywords([line('a', text)])
  summarise(long)
  expect(process.cpuUsage(began).user).toBeLessThan(5_000_000)
})
