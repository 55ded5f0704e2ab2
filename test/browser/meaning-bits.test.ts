// Vectors of `daybook/meaning` in Chromium have the same bits as on every host.
import { expect, test } from 'vitest'
import { meaningBits, rightMeaningBits } from '../support/meaning-bits.ts'

test('this host computes the bits of all hosts', () => {
  expect(meaningBits()).toEqual(rightMeaningBits)
})
