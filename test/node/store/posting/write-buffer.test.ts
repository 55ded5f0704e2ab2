import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WriteBuffer } from '../../../../src/store/posting/write-buffer.ts'

test('a drain of all terms gives the entries that drains of each term give', () => {
  const step = fc.record({ term: fc.nat(40), drains: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 3000 }), fc.nat(5), (steps, perDocument) => {
      const [whole, single] = [new WriteBuffer(), new WriteBuffer()]
      steps.forEach(({ term, drains }, i) => {
        for (const buffer of [whole, single]) {
          // Some terms are drained in between, as a question does.
          if (drains && i % 7 === 0) buffer.drain(term, () => undefined)
          buffer.add(term, Math.floor(i / (perDocument + 1)))
        }
      })
      const found = new Map<number, number[]>()
      whole.drainAll((term, entries) => void found.set(term, [...entries]))
      const expected = new Map<number, number[]>()
      for (let term = 0; term <= 40; term++)
        single.drain(term, (entries) => void expected.set(term, [...entries]))
      expect(found).toEqual(expected)

      whole.drainAll(() => expect.unreachable('The buffer is empty.'))
      whole.add(3, 9000)
      whole.drain(3, (entries) => expect(entries).toHaveLength(1))
    }),
    { numRuns: 60 },
  )
})
