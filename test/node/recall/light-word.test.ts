// Words that fit any subject, and the rarest word of a question, which always answers.
import { expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { doQuestionOf, lightTermsOf } from '../../../src/recall/light-word.ts'
import { openTestEngine } from '../../support/test-engine.ts'

const open = async (contents: readonly string[]) => {
  const { engine } = openTestEngine()
  for (const content of contents) await engine.call('kstar:store_perception', { content })
  const ask = async (text: string, limit = 10) =>
    ((await engine.call('daybook:recall', { text, limit })) as RecallResult).hits.map(({ record }) =>
      String(record['content']),
    )
  return { engine, ask }
}

test.each([
  [
    'where did I see the son of the van driver',
    ['see', 'go', 'found', 'now'],
    ['son', 'van', 'driver', 'war'],
  ],
  ['wo habe ich das Nashorn gesehen', ['ich', 'gesehen', 'gefunden', 'hab'], ['nashorn', 'van']],
  ['où est-ce que tu as vu le dragon', ['vu', 'est'], ['dragon']],
  ['dónde dijo que está la llave', ['dijo'], ['llave']],
  ['o que foi dito sobre o lixo', ['dito'], ['lixo']],
  ['我们现在知道什么', ['现在', '知道'], ['东京']],
])('“%s” has the light words of its language', (question, light, others) => {
  const isLight = lightTermsOf(question)
  expect(light.filter((term) => !isLight(term))).toEqual([])
  expect(others.filter(isLight)).toEqual([])
})

test('one word of another language does not change the language of a question', () => {
  const isLight = lightTermsOf('beekeeper van price')
  expect([isLight('van'), isLight('went')]).toEqual([false, true])
})

test.each([
  ['what does a giraffe eat', { subject: 'giraff', verb: 'eat' }],
  ['When do kangaroos sleep?', { subject: 'kangaroo', verb: 'sleep' }],
  ['where does the old clerk live now', { subject: 'clerk', verb: 'live' }],
  ['which restaurant to eat at in the evening', undefined],
  ['where did we eat', { subject: 'we', verb: 'eat' }],
])('“%s” is about its subject', (question, wanted) => {
  expect(doQuestionOf(question)).toEqual(wanted)
})

const menu = (i: number) => `Seen on the menu of place ${i}: soup, bread and a big salad`

test('the rarest word of a question finds its record among many that share the other words', async () => {
  const others = Array.from({ length: 120 }, (_, i) => menu(i))
  const fish = 'They had turbot that evening, with lemon and too much butter for my taste'
  const { engine, ask } = await open([...others, fish])
  expect((await ask('where did I see turbot on the menu'))[0]).toBe(fish)
  const long = 'where did I see turbot on the menu with soup and bread and a big salad at the place'
  expect(await ask(long, 200)).toContain(fish)
  // Its other words are light or unknown.
  expect(await ask('where did they tell me to go for turbot on Guernsey')).toEqual([fish])
  expect(await ask('where did I see sturgeon')).toEqual([])
  await engine.close()
})

test('light words alone find no record, unless the question has no other words', async () => {
  const { engine, ask } = await open([
    'We went there to see what they say',
    'The penguins eat fish in the harbour',
  ])
  expect(await ask('where did I go to see the volcano')).toEqual([])
  expect(await ask('what does a giraffe eat')).toEqual([])
  expect(await ask('what do penguins eat')).toEqual(['The penguins eat fish in the harbour'])
  expect(await ask('what did they say, and who went to see')).toEqual(['We went there to see what they say'])
  await engine.close()
})

test('the only known word of a question answers if it is the last of three and a subject of the book', async () => {
  const races = ['Lisbon', 'Oslo', 'Bern'].map((city) => `I ran the marathon in ${city}`)
  const others = Array.from({ length: 160 }, (_, i) => menu(i))
  const { engine, ask } = await open([...others, ...races, 'The tax is due', 'A point was made'])
  expect((await ask('what shoes did I wear at the marathon')).toSorted()).toEqual(races.toSorted())
  expect((await ask('order number of the marathon')).length).toBe(3)
  // The subject is another one, a word by chance, or too many words are unknown.
  expect(await ask('marathon socks of the unicorn')).toEqual([])
  expect(await ask('return of the yacht tax')).toEqual([])
  expect(await ask('volcano insurance premium of the marathon')).toEqual([])
  expect(await ask('purple quantum soup')).toEqual([])
  await engine.close()
})

test('a name that is also a common word is searched', async () => {
  const { engine, ask } = await open([
    'Will is allergic to penicillin',
    'I had tea with Can',
    'The boat was sold',
    'Mia plays the oboe',
  ])
  expect(await ask('who is Will?')).toEqual(['Will is allergic to penicillin'])
  expect(await ask('who is Can?')).toEqual(['I had tea with Can'])
  expect(await ask('It rained. Will the zebra sleep?')).toEqual([])
  await engine.close()
})
