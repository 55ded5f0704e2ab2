// Scripts without spaces, and beginnings of words, in an index of words and stems.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { expandPrefix } from '../../../../src/store/word/porter.ts'
import { segmentQuery, segmentText } from '../../../../src/store/word/unspaced-script.ts'
import { matchesWords, queryWords } from '../../../../src/store/word/text-query.ts'
import { tokenize } from '../../../../src/store/word/tokenize.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

let store: TestStore | undefined
afterEach(() => store?.db.close())

/** Ids of the records whose text the search finds. */
function search(texts: Readonly<Record<string, string>>, text: string, how: object = {}): string[] {
  store?.db.close()
  store = openTestStore([makeKind({ text: ['text'] })])
  for (const [id, one] of Object.entries(texts)) store.put({ text: one }, { id })
  return store.queries
    .search({ text, kind: 'thing', ...how })
    .map(({ record }) => record.id)
    .sort()
}

describe('scripts without spaces', () => {
  test('stand in the index as pairs, and Han characters by themselves too', () => {
    expect(segmentText('plain text')).toBe('plain text')
    expect(tokenize(segmentText('我们去东京'))).toEqual('我们 们去 去东 东京 我 们 去 东 京'.split(' '))
    expect(tokenize(segmentText('see 東京タワー!'))).toEqual('see 東京 京タ タワ ワー 東 京'.split(' '))
    expect(queryWords('see東京')).toEqual(['see', '東京'])
    expect(queryWords('東京タワー')).toEqual(['東京 京タ タワ ワー'])
    expect(segmentQuery('猫')).toBe(' 猫 ')
  })

  test('are found by any word in a sentence, and by no other', () => {
    const texts = {
      tokyo: '我们昨天去了东京塔,天气很好',
      cat: '我的猫叫小白。',
      bangkok: 'พรุ่งนี้จะไปกรุงเทพ',
      seoul: '다음 회의에서 예산을 논의합니다',
      kana: 'タワーの近くでラーメンを食べました',
    }
    expect(search(texts, '东京')).toEqual(['tokyo'])
    expect(search(texts, '天气')).toEqual(['tokyo'])
    expect(search(texts, '猫')).toEqual(['cat'])
    expect(search(texts, '京天')).toEqual([])
    expect(search(texts, 'กรุงเทพ')).toEqual(['bangkok'])
    expect(search(texts, '회의')).toEqual(['seoul'])
    expect(search(texts, 'ラーメン')).toEqual(['kana'])
    expect(search(texts, '小白 天气', { match: 'all' })).toEqual([])
    expect(search(texts, '东京', { fields: ['text'] })).toEqual(['tokyo'])
  })

  test('hold every part of two letters or more of themselves', () => {
    const letter = fc.constantFrom(...'東京都猫犬のはタワーラ회의ก็กร𠮷。 a')
    const sentence = fc.array(letter, { minLength: 2, maxLength: 20 })
    fc.assert(
      fc.property(sentence, fc.nat(20), fc.integer({ min: 2, max: 6 }), (all, from, length) => {
        const part = all.slice(from, from + length).join('')
        const words = queryWords(part).filter((word) => /[^ -~]/.test(word) && [...word].length > 1)
        expect(matchesWords([segmentText(all.join(''))], words, { match: 'all' })).toBe(true)
      }),
    )
  })
})

describe('the beginning of a word', () => {
  const texts = {
    relational: 'a relational model',
    sensibility: 'sense and sensibility',
    studied: 'she studied law',
    hopping: 'a hopping frog',
    relevant: 'relevant',
  }
  test('finds it from the first letters to the last', () => {
    for (const [id, word] of [
      ['relational', 'relational'],
      ['sensibility', 'sensibility'],
      ['studied', 'studied'],
      ['hopping', 'hopping'],
    ] as const)
      for (let length = 2; length <= word.length; length++) {
        const start = word.slice(0, length)
        expect([start, search(texts, start, { prefix: true })]).toEqual([start, expect.arrayContaining([id])])
        expect([start, search(texts, start, { prefix: true, fields: ['text'] })]).toEqual([
          start,
          expect.arrayContaining([id]),
        ])
      }
  })

  test('does not find what it does not begin', () => {
    expect(search(texts, 'relati', { prefix: true })).toEqual(['relational'])
    expect(search(texts, 'studz', { prefix: true })).toEqual([])
    expect(expandPrefix('日本')).toEqual([])
    expect(expandPrefix('x"y')).toEqual([])
  })
})
