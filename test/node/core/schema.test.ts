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
  list: z.array(z.string().min(2).max(3)).min(1).max(2).optional(),
  count: z.int().min(1).lt(9).optional(),
  by: z.record(z.string(), z.number().multipleOf(5)).optional(),
  sort: z.enum(['a', 'b', 'c']).optional(),
  code: z
    .string()
    .regex(/^[a-f]+$/)
    .optional(),
  bytes: z.base64().optional(),
  one: z
    .discriminatedUnion('t', [
      z.object({ t: z.literal('x'), n: z.number() }),
      z.object({ t: z.literal('y') }),
    ])
    .optional(),
  name: z
    .string()
    .refine((name) => name !== 'a', 'has an empty part')
    .optional(),
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
  [{ every: true }, 'every', '`every`: Must be a number or a text, not true.'],
  [{ every: 1.5 }, 'every', '`every`: Must be a whole number or a text, not 1.5.'],
  [{ mode: 'open' }, 'mode', '`mode`: Must be true or false or `sealed`.'],
  [{ part: { text: 1 } }, 'part.text', '`part.text`: Must be a text, not 1.'],
  [[], '', 'The input: Must be an object, not a list.'],
  [undefined, '', 'The input is missing.'],
  [{ list: [] }, 'list', '`list`: Must have at least 1 item.'],
  [{ list: ['ab', 'ab', 'ab'] }, 'list', '`list`: Must have at most 2 items.'],
  [{ list: ['a'] }, 'list.0', '`list.0`: Must have at least 2 characters.'],
  [{ list: ['abcd'] }, 'list.0', '`list.0`: Must have at most 3 characters.'],
  [{ count: 1.5 }, 'count', '`count`: Must be a whole number, not 1.5.'],
  [{ count: null }, 'count', '`count`: Must be a number, not null.'],
  [{ count: 0 }, 'count', '`count`: Must be at least 1.'],
  [{ count: 9 }, 'count', '`count`: Must be less than 9.'],
  [{ by: [] }, 'by', '`by`: Must be an object, not a list.'],
  [{ by: { a: 7 } }, 'by.a', '`by.a`: Must be a multiple of 5.'],
  [{ sort: 'd' }, 'sort', '`sort`: Must be `a`, `b` or `c`.'],
  [{ code: 'x' }, 'code', '`code`: Must match /^[a-f]+$/.'],
  [{ bytes: '?' }, 'bytes', '`bytes` is not valid base64.'],
  [{ one: { t: 'z' } }, 'one.t', '`one.t`: Must be `x` or `y`.'],
  [{ one: { t: 'x' } }, 'one.n', '`one.n` is missing.'],
  [{ name: 'a' }, 'name', '`name` has an empty part.'],
  [{ part: { text: 'a', n: 1 } }, 'part.n', '`part.n`: Unknown field.'],
])('%j', (value, path, message) => {
  const error = errorOf(value)
  expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
  expect(error.message).toContain(message)
})
