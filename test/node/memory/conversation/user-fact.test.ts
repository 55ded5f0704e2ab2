import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  addStatements,
  type DatedStatement,
} from '../../../../src/memory/conversation/profile/learned-fact.ts'
import {
  type Facts,
  profileText,
  splitFacts,
} from '../../../../src/memory/conversation/profile/profile-fact.ts'
import { profileLimits } from '../../../../src/memory/conversation/profile/profile-schema.ts'
import { learned, profileFigures } from '../../../golden/profile-measure.ts'
import { fitted } from '../../../golden/profile-sentence.ts'
import { findStatements, findInSentence } from '../../../../src/memory/conversation/profile/user-fact.ts'

const said: [string, string[]][] = [
  ['My name is Alice Smith and I live in Berlin.', ['name=Alice Smith', 'home=Berlin']],
  ["I'm called Ann-Marie O'Neill", ["name=Ann-Marie O'Neill"]],
  ['I moved to New York last year', ['home=New York']],
  ['i live in Rio de Janeiro now', ['home=Rio de Janeiro']],
  ['I no longer live in Berlin', ['!home=Berlin']],
  ["I'm from Canada", ['origin=Canada']],
  ["I'm a senior software engineer at Acme", ['job=senior software engineer']],
  ['I work as a nurse in a hospital', ['job=nurse']],
  ['I work for Acme Corp and love hiking', ['employer=Acme Corp']],
  ["I don't work at Acme anymore", ['!employer=Acme']],
  ["I really don't like olives", ['dislikes=olives']],
  ['I love rock climbing, but not bouldering', ['likes=rock climbing']],
  ['My favourite colour is dark green', ['favourite colour=dark green']],
  ['I am allergic to peanuts, by the way', ['allergic to=peanuts']],
  ['My wife is called Eva', ['name of wife=Eva']],
  ['I adopted a dog named Pixel', ['name of dog=Pixel']],
  ['I speak fluent French and German', ['speaks=French', 'speaks=German']],
  ["I'm 34 years old", ['age=34']],
  ['My birthday is March 5, 1990', ['birthday=March 5, 1990']],
  ["I'm vegan now", ['diet=vegan']],
  ["I'm not vegan anymore", ['!diet=vegan']],
  ['Please remember that the deploy runs on Tuesdays.', ['note=the deploy runs on Tuesdays']],
  ['Ich heiße Jürgen und wohne in München', ['name=Jürgen', 'home=München']],
  ['Ich bin gerade nach Hamburg gezogen', ['home=Hamburg']],
  ['Ich bin Lehrerin', ['job=Lehrerin']],
  ['Meine Lieblingsfarbe ist blau', ['favourite farbe=blau']],
  ["Je m'appelle Chloé et j'habite à Lyon", ['name=Chloé', 'home=Lyon']],
  ["Je n'aime pas les olives", ['dislikes=olives']],
  ['Me llamo Juan y vivo en Madrid', ['name=Juan', 'home=Madrid']],
  ['No me gustan las aceitunas', ['dislikes=aceitunas']],
  ['我叫李明，我住在北京', ['name=李明', 'home=北京']],
  ['私の名前は田中です', ['name=田中']],
  ['東京に住んでいます', ['home=東京']],
]

it.each(said)('finds in %j: %j', (sentence, facts) => {
  expect(
    findInSentence(sentence).map(
      ({ attribute, value, denied }) => `${denied ? '!' : ''}${attribute}=${value}`,
    ),
  ).toEqual(facts)
})

it.each([
  'Do I live in Paris?',
  'If I live in Rome, what then.',
  'I love you',
  'I like it',
  "I'd like to book a table",
  "I'm tired of this",
  'He lives in Berlin',
  'Your name is Bob',
  'I am in Rome',
  'She said my code is fine',
  '',
])('finds nothing in %j', (sentence) => {
  expect(findInSentence(sentence)).toEqual([])
})

it.each(fitted)('learns from %j what it says', (sentence, ...facts) => {
  expect(learned(sentence).toSorted()).toEqual(facts.toSorted())
})

it('is right, and finds most of what people state, in sentences that it was not fitted to', () => {
  const figures = profileFigures()['profile, held out']
  expect(figures?.['precision']).toBeGreaterThanOrEqual(0.97)
  expect(figures?.['recall']).toBeGreaterThanOrEqual(0.95)
})

it('replaces what it knew of the same person only', () => {
  const facts = addStatements({}, [
    heard('home (sister)', 'Porto', 1),
    heard('home', 'Rome', 1),
    heard('home (sister)', 'Lima', 2),
  ])
  expect(values(facts)).toEqual(['home (sister)=Lima', 'home=Rome'])
})

it('listens to users only', () => {
  const content = 'I live in Berlin.'
  const of = (source: { type?: string }) => findStatements([{ content, source }]).length
  expect([of({ type: 'User' }), of({}), of({ type: 'Agent' }), of({ type: 'System' })]).toEqual([1, 1, 0, 0])
})

it('takes no more than moments for hostile text', () => {
  const began = process.cpuUsage()
  for (const text of [
    'I live in ' + 'A '.repeat(5000),
    'i really also '.repeat(5000),
    'my name is ' + 'A-'.repeat(9000),
    'I like ' + 'a'.repeat(9000),
  ])
    findStatements([{ content: text, source: {} }])
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000)
})

const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
const heard = (attribute: string, value: string, day: number, denied = false): DatedStatement => ({
  attribute,
  value,
  denied,
  at: at(day),
})
const values = (facts: Facts) =>
  splitFacts(facts).current.map(({ attribute, value }) => `${attribute}=${value}`)

it('holds the last of an attribute with one value, and says what became of the others', () => {
  const facts = addStatements({}, [
    heard('home', 'Munich', 3),
    heard('home', 'Berlin', 1),
    heard('likes', 'tea', 1),
    heard('likes', 'rain', 2),
  ])
  expect(values(facts)).toEqual(['home=Munich', 'likes=rain', 'likes=tea'])
  expect(splitFacts(facts).earlier).toMatchObject([
    { value: 'Berlin', superseded_at: at(3), superseded_by: 'Munich' },
  ])
  const back = addStatements(facts, [heard('home', 'berlin', 5)])
  expect(values(back)[0]).toBe('home=berlin')
  expect(splitFacts(back).earlier).toMatchObject([{ value: 'Munich', superseded_by: 'berlin' }])
})

it('lets a denial end a fact, and a dislike a like', () => {
  const facts = addStatements({}, [heard('home', 'Berlin', 1), heard('likes', 'Olives', 1)])
  const now = addStatements(facts, [heard('home', 'Berlin', 2, true), heard('dislikes', 'olives', 2)])
  expect(values(now)).toEqual(['dislikes=olives'])
  expect(splitFacts(now).earlier).toMatchObject([
    { value: 'Berlin', superseded_at: at(2) },
    { value: 'Olives', superseded_by: 'dislikes: olives' },
  ])
  expect(values(addStatements(now, [heard('home', 'Berlin', 3)]))).toEqual(['home=Berlin', 'dislikes=olives'])
})

const anyHeard = fc.record({
  attribute: fc.constantFrom('name', 'home', 'likes', 'dislikes', 'favourite colour', 'note'),
  value: fc.constantFrom('Berlin', 'berlin', 'Tea', 'tea', 'x'),
  denied: fc.boolean(),
  at: fc.integer({ min: 1, max: 9 }).map(at),
  message: fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined }),
})

it('learns the same in whatever order, however often, and loses nothing', () => {
  fc.assert(
    fc.property(
      fc.array(anyHeard, { maxLength: 12 }),
      fc.array(anyHeard, { maxLength: 12 }),
      fc.nat(12),
      (one, other, cut) => {
        const facts = addStatements(addStatements({}, one), other)
        expect(addStatements(addStatements({}, other), one)).toEqual(facts)
        expect(addStatements({}, [...one, ...other].toReversed())).toEqual(facts)
        expect(addStatements(facts, [...one, ...other].slice(cut))).toEqual(facts)
        const { current, earlier } = splitFacts(facts)
        const told = new Set(
          [...current, ...earlier].map(({ attribute, value }) => `${attribute}: ${value.toLowerCase()}`),
        )
        expect(told.size).toBe(current.length + earlier.length)
        for (const { attribute, value } of [...one, ...other])
          expect(told).toContain(`${attribute}: ${value.toLowerCase()}`)
        for (const name of ['name', 'home', 'favourite colour'])
          expect(current.filter(({ attribute }) => attribute === name).length).toBeLessThanOrEqual(1)
      },
    ),
  )
})

it('writes what holds within its bound, and counts what finds no room', () => {
  const many = Array.from({ length: 100 }, (_, i) =>
    heard(`topic ${i}`, `${'x'.repeat(40)} ${i}`, 1 + (i % 9)),
  )
  const text = profileText(addStatements({}, [...many, heard('name', 'Alice', 1)]))
  expect(text.split('\n')[0]).toBe('name: Alice')
  expect(text.length).toBeLessThanOrEqual(profileLimits.characters)
  expect(text).toMatch(/\nand \d+ more$/)
  expect(profileText({})).toBe('')
})
