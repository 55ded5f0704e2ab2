// The oracle is FTS5 itself: what its vocabulary table says it indexed.
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tokenize } from '../../../../src/store/word/tokenize.ts'

function createOracle(): (texts: readonly string[]) => string[][] {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE terms USING fts5vocab (texts, instance)`)
  const insert = db.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
  const select = db.prepare('SELECT doc, term, offset FROM terms')
  return (texts) => {
    db.exec('BEGIN')
    texts.forEach((text, i) => insert.run(i + 1, text))
    db.exec('COMMIT')
    const found: string[][] = texts.map(() => [])
    for (const { doc, term, offset } of select.iterate()) {
      const terms = found[Number(doc) - 1]
      if (terms) terms[Number(offset)] = String(term)
    }
    db.exec('DELETE FROM texts')
    return found
  }
}

const indexed = createOracle()

/** FTS5 is asked about many texts at a time; of a batch that differs, the first text that does is shown. */
function same(texts: readonly string[]): void {
  const expected = indexed(texts)
  texts.forEach((text, i) => {
    const terms = tokenize(text)
    if (terms.join(' ') !== expected[i]?.join(' '))
      expect({ text, terms }).toEqual({ text, terms: expected[i] })
  })
}

function check(text: fc.Arbitrary<string>, runs = 30): void {
  fc.assert(
    fc.property(fc.array(text, { minLength: 10, maxLength: 100 }), (texts) => same(texts)),
    { numRuns: runs },
  )
}

const suffixes = (
  'ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti ' +
  'iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ' +
  'ous ive ize eed ed ing s es sses ies ss y e ll at bl iz tt ly ities'
).split(' ')

const stem = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'aeiouybcdlmnrstwxz'), maxLength: 7 }),
  fc.constantFrom(
    'relat',
    'condit',
    'ration',
    'hop',
    'hopp',
    'fall',
    'fil',
    'control',
    'cry',
    'sky',
    'agr',
    'pl',
    'motor',
    'oscill',
    'tro',
  ),
  fc.string({
    unit: fc.constantFrom('a', 'y', 'p', 'é', 'д', 'ж', '丸', '\u{1f986}', 'ø', '9'),
    maxLength: 6,
  }),
)
const word = fc
  .tuple(stem, fc.array(fc.constantFrom(...suffixes), { maxLength: 3 }), fc.boolean())
  .map(([head, tail, loud]) => (loud ? (head + tail.join('')).toUpperCase() : head + tail.join('')))

test('every code point parts words, joins them and folds as in FTS5', () => {
  // All of the assigned planes; of the empty ones and those for private use, a row of each block of 4,096.
  const isProbed = (code: number) =>
    code < 0x33500 || (code >= 0xe0000 && code < 0xe0200) || code % 0x1000 < 64
  const texts: string[] = []
  for (let code = 0; code <= 0x10ffff; code += 64) {
    const chars = Array.from({ length: 64 }, (_, i) => String.fromCodePoint(code + i))
    if (isProbed(code)) texts.push(chars.map((char) => `${char} q${char}q`).join(' . '))
  }
  same(texts)
})

test('English suffixes are taken off as in FTS5', () => {
  const letters = [...'aeylswtb']
  let stems = ['']
  const all: string[] = ['']
  for (let length = 1; length <= 4; length++) {
    stems = stems.flatMap((head) => letters.map((letter) => head + letter))
    all.push(...stems)
  }
  same(all.map((head) => suffixes.map((suffix) => head + suffix).join(' ')))
})

test('heaped suffixes are taken off as in FTS5', () => {
  check(fc.array(word, { minLength: 20, maxLength: 20 }).map((words) => words.join(' ')))
})

test('words around the limits of the stemmer are the same', () => {
  check(
    fc
      .tuple(fc.integer({ min: 0, max: 68 }), fc.constantFrom('b', 'é', '丸', '\u{1f600}', '\u{1f9a4}'), word)
      .map(([n, char, tail]) => char.repeat(n) + tail),
  )
  check(
    fc.constantFrom('a', 'é', 's', 'ing', 'nesses', '丸').map((char) => char.repeat(33_000)),
    3,
  )
})

test('a stem cut inside a character is shown as SQLite shows it', () => {
  expect(tokenize('a丸ed')).toEqual(['a\ufffd'])
  same(['a丸ed', 'o\u{1f986}ing', 'a丸丸ed', '丸ed'])
})

test('any text of any script gives the same terms', () => {
  check(fc.string({ unit: 'binary', maxLength: 40 }))
  check(fc.string({ unit: 'grapheme', maxLength: 40 }))
  const letter = fc.oneof(
    ...[
      [0, 0x24f],
      [0x300, 0x34f],
      [0x370, 0x52f],
      [0x1e00, 0x1fff],
      [0x900, 0xdff],
      [0x3040, 0x30ff],
      [0xac00, 0xd7a3],
    ].map(([min = 0, max = 0]) => fc.integer({ min, max }).map((code) => String.fromCodePoint(code))),
  )
  check(fc.string({ unit: letter, maxLength: 60 }), 60)
})

test('lone surrogates part words', () => {
  same(['a\ud800b', '\udc00running', 'walks\udbff', '\udc00\ud800'])
  check(fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a', 'é', ' ', '\ufffd'), maxLength: 12 }))
})

test('sentences give the same terms', () => {
  const part = fc.oneof(
    { weight: 5, arbitrary: word },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
  )
  const gap = fc.constantFrom(
    ' ',
    ', ',
    '-',
    '_',
    "'",
    '’',
    '. ',
    '\n',
    '\0',
    '/',
    '…',
    ' — ',
    '\u0301',
    '\u200d',
  )
  check(fc.array(fc.tuple(part, gap), { maxLength: 20 }).map((parts) => parts.flat().join('')))
  same([
    'Çağrı’s naïve façade: the Ελληνικός ΣΊΣΥΦΟΣ relationally organized 42.5% of Москва’s connections (Übermäßig!)',
    'İstanbul’da ŁÓDŹ, Ǡ ǡ ﬁnally Ⅷ ½ x² ℌello हिन्दी 日本語 한국어 \u{1f600} \u{1f986} \u{10400}',
  ])
})

test('words are known again after more of them than are remembered, and by no others', () => {
  const words = Array.from({ length: 70_000 }, (_, i) => `${(i * 2_654_435_761).toString(36)}running`)
  const stems = words.map((word) => word.slice(0, -4))
  for (let from = 0; from < words.length; from += 1000) {
    const some = words.slice(from, from + 1000)
    expect(tokenize(some.join(' '))).toEqual(stems.slice(from, from + 1000))
    expect(tokenize(some.join('-').toUpperCase())).toEqual(stems.slice(from, from + 1000))
  }
})
