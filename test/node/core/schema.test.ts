// The error of a wrong value names its path and what it should be, also for a union.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { DaybookError } from '../../../src/core/errors.ts'
import { parseWith } from '../../../src/core/schema.ts'

const period = z.union([
  z.number().int(),
  z.string().refine((text) => /^\d+[hd]$/.test(text), 'is not a duration such as 6h'),
])
const schema = z.strictObject({
  every: period.optional(),
  mode: z.union([z.boolean(), z.literal('sealed')]).optional(),
  part: z.union([z.strictObject({ text: z.string() }), z.string()]).optional(),
})

function errorOf(value: unknown): DaybookError {
  try {
    parseWith(schema, value)
  } catch (error) {
    if (error instanceof DaybookError) return error
  }
  throw new Error('The value is valid.')
}

it.each([
  [{ every: 'x' }, 'every', '`every` is not a duration such as 6h.'],
  [{ every: true }, 'every', '`every`: Invalid input: expected number or string.'],
  [{ every: 1.5 }, 'every', '`every`: Invalid input: expected int or string.'],
  [{ mode: 'open' }, 'mode', '`mode`: Invalid input: expected boolean or sealed.'],
  [{ part: { text: 1 } }, 'part.text', '`part.text`: Invalid input: expected string, received number.'],
  [{ part: { text: 'a', n: 1 } }, 'part.n', '`part.n`: Unknown field.'],
])('%j', (value, path, message) => {
  const error = errorOf(value)
  expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
  expect(error.message).toContain(message)
})
