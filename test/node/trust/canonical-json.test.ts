// Canonical JSON against the examples of RFC 8785 and against its own meaning.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import canonicalize from 'canonicalize'
import { canonicalText, strictCanonicalText } from '../../../src/core/text/canonical-json.ts'

describe('RFC 8785', () => {
  it('section 3.2.2: literals, numbers, texts', () => {
    const source = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false] }`
    expect(strictCanonicalText(JSON.parse(source))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    )
  })

  it('section 3.2.3: names are sorted by their UTF-16 units', () => {
    const source = String.raw`{ "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis" }`
    expect(Object.values(JSON.parse(strictCanonicalText(JSON.parse(source))) as object)).toEqual([
      // `1` comes first in both orders: JavaScript puts it there, and so does the RFC after `\r`.
      'One',
      'Carriage Return',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
    expect(strictCanonicalText(JSON.parse(source))).toMatch(/^\{"\\r":"Carriage Return","1":"One",/)
  })

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('appendix B: the double %s is %s', (bits, expected) => {
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, BigInt(`0x${bits}`))
    expect(strictCanonicalText(view.getFloat64(0))).toBe(expected)
  })
})

it('says the same value, whatever the order of its members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = strictCanonicalText(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(strictCanonicalText(reversed(value))).toBe(text)
    }),
  )
})

it.each([
  ['\ud800'],
  [Number.NaN],
  [Number.POSITIVE_INFINITY],
  [undefined],
  [{ a: '\udc00' }],
  [{ '\ud800': 1 }],
])('has no text for %j', (value) => {
  expect(() => strictCanonicalText(value)).toThrow(expect.objectContaining({ code: 'invalid-input' }))
})

describe('against another implementation', () => {
  const anything = fc.jsonValue({ noUnicodeString: false })

  it('writes the same text', () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(strictCanonicalText(value)).toBe(canonicalize(value))
        expect(canonicalText(value as never)).toBe(canonicalize(value))
      }),
    )
  })

  it('refuses what that refuses, and loses none of it where it must not', () => {
    const broken = fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', '"', '\\') })
    // Without a backslash: once V8 (13.6 to 14.6) has read a name that begins with one, it may read an escaped name as that.
    const name = fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', '"') })
    fc.assert(
      fc.property(fc.dictionary(name, fc.array(broken)), (value) => {
        const strict = () => strictCanonicalText(value)
        if (isWhole(value)) expect(strict()).toBe(canonicalize(value))
        else expect(strict).toThrow('It has no canonical form: Lone surrogate is not allowed.')
        expect(JSON.parse(canonicalText(value))).toEqual(value)
      }),
    )
  })
})

/** True when no text in it has half a character. */
function isWhole(value: Record<string, readonly string[]>): boolean {
  return [...Object.keys(value), ...Object.values(value).flat()].every((text) => text.isWellFormed())
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  )
}
