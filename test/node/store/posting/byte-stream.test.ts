// Numbers and texts as bytes: what is written is read again, and what can't be written or read is refused.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteReader, ByteWriter } from '../../../../src/store/posting/byte-stream.ts'

const limit = 2 ** 52
it('reads what was written', () => {
  const values = fc.record({
    number: fc.maxSafeNat(),
    signed: fc.maxSafeInteger().filter((value) => value >= -limit && value < limit),
    text: fc.string({ unit: 'grapheme' }),
  })
  fc.assert(
    fc.property(values, ({ number, signed, text }) => {
      const writer = new ByteWriter()
      for (const each of [number, Number.MAX_SAFE_INTEGER]) writer.number(each)
      for (const each of [signed, -limit, limit - 1]) writer.signed(each)
      writer.text(text)
      const reader = new ByteReader(writer.bytes())
      expect([reader.number(), reader.number()]).toEqual([number, Number.MAX_SAFE_INTEGER])
      expect([reader.signed(), reader.signed(), reader.signed()]).toEqual([signed || 0, -limit, limit - 1])
      expect(reader.text()).toBe(text)
    }),
  )
})

it('writes a replacement for a lone surrogate', () => {
  const writer = new ByteWriter()
  writer.text('a\ud800b')
  expect(new ByteReader(writer.bytes()).text()).toBe('a\ufffdb')
})

it.each([-1, 1.5, Number.NaN, Infinity, 2 ** 53])('does not write %s', (value) => {
  const writer = new ByteWriter()
  expect(() => writer.number(value)).toThrow(RangeError)
  expect(writer.bytes()).toHaveLength(0)
})

it.each([limit, -limit - 1, 0.5])('does not write %s with its sign', (value) => {
  expect(() => new ByteWriter().signed(value)).toThrow(RangeError)
})

it('does not read a number of more than 8 bytes, nor past the end', () => {
  for (const bytes of [Array.from({ length: 400 }, () => 255), [255, 255]])
    for (const read of ['number', 'signed', 'text'] as const)
      expect(() => new ByteReader(Uint8Array.from(bytes))[read]()).toThrow(RangeError)
})
