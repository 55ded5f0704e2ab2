// Vectors of `daybook/meaning` in Chromium have the same bits as on every host.
import { expect, test } from 'vitest'
import { wasmOf } from '../../src/web/web-wasm.ts'
import { meaningBits, rightMeaningBits } from '../support/meaning-bits.ts'

test('this host computes the bits of all hosts', () => {
  expect(meaningBits()).toEqual(rightMeaningBits)
  expect(meaningBits(wasmOf(globalThis))).toEqual(rightMeaningBits)
})
