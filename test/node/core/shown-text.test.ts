// Stored text as it is shown to models and terminals: nothing in it that a person would not see.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shownJson, shownText, shownValue } from '../../../src/core/text/shown-text.ts'

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i))
const hidden = [
  ...range(0x00, 0x08),
  ...range(0x0e, 0x1b),
  '\u001f',
  ...range(0x7f, 0x84),
  ...range(0x86, 0x9f),
  '\u00ad',
  '\u061c',
  ...range(0x200b, 0x200f),
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x206f),
  '\ufeff',
  '\u3164',
  ...range(0xfff9, 0xfffb),
  ...range(0xe0000, 0xe007f),
  ...range(0xe0100, 0xe01ef),
]
const lineEnds = ['\r\n', '\r', '\v', '\f', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029']

it('leaves out every control, tag, bidi mark and zero width character, wherever it stands', () => {
  for (const one of hidden) {
    expect(shownText(`a${one}`).replace('a', ''), one.codePointAt(0)?.toString(16)).toBe('')
    expect(JSON.stringify(shownText(`${one}${one}b`))).toMatch(/^"b?"$/)
  }
})

it('takes whole escape sequences of terminals away', () => {
  const sequences = [
    ['a\u001b[31;1mb\u001b[0mc', 'abc'],
    ['a\u001b]0;title\u0007b', 'ab'],
    ['a\u001b]8;;https://evil.example\u001b\\b', 'ab'],
    ['a\u009b2Jb', 'ab'],
    ['a\u001b(Bb\u001bcd', 'abd'],
    ['a\u001bP1;2q text\u001b\\b', 'ab'],
  ] as const
  for (const [text, shown] of sequences) expect(shownText(text)).toBe(shown)
})

it('makes every end of a line the one that a quotation marks', () => {
  for (const end of lineEnds) {
    expect(shownText(`a${end}b`)).toBe('a\nb')
    expect(shownText(`a${end}b`, ' ')).toBe('a b')
  }
})

it('keeps what people write: tabs, accents, emoji, and the joiners of their scripts', () => {
  const said = [
    'tab\tand\nline',
    'é ü 日本 한국어',
    '👩\u200d👩\u200d👧 ❤️ 👍🏽',
    'می\u200cخواهم',
    'क्\u200dष',
    '葛\u{e0100}城',
  ]
  for (const text of said) expect(shownText(text)).toBe(text)
  expect(shownText('में\u200d\u200c\u200d\u200cक')).toBe('मेंक')
  expect(shownText('a\u200db')).toBe('ab')
})

it('is the same when it is done again, and shows nothing unseen of any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(...hidden, ...lineEnds, '\u001b[', '\u001b]', 'm', '\u0007'),
    fc.string({ unit: 'binary' }),
  )
  const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      const shown = shownText(text)
      expect(shownText(shown)).toBe(shown)
      expect(shown).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029]/,
      )
      expect(shown).not.toMatch(/[\u{e0000}-\u{e007f}]/u)
      const json = shownJson({ text })
      expect(JSON.parse(json)).toEqual({ text })
      expect(json).not.toMatch(
        /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029]/,
      )
      expect(json).not.toMatch(/[\u{e0000}-\u{e007f}]/u)
    }),
    { numRuns: 1000, seed: 11 },
  )
})

it('shows the texts and names of a value, and leaves the rest as it is', () => {
  const value = { 'na\u202eme': ['a\u200bb', 7, null, true, { deep: 'x\u{e0041}' }] }
  expect(shownValue(value)).toEqual({ name: ['ab', 7, null, true, { deep: 'x' }] })
})
