// The message of an error is made of whole sentences, whatever words another program had for the first.
import { expect, it } from 'vitest'
import { DaybookError, errorTable, toDaybookError } from '../../../src/core/errors.ts'

const { recovery } = errorTable['storage-failed']

it.each([
  ['file is not a database', 'file is not a database.'],
  ['no such table: main.x', 'no such table: main.x.'],
  ['It is gone.', 'It is gone.'],
  ['Is it gone?', 'Is it gone?'],
  ['It says "It is gone."', 'It says "It is gone."'],
  ['It is gone (for good)', 'It is gone (for good).'],
])('%s', (message, first) => {
  const error = new DaybookError('storage-failed', message)
  expect(error.message).toBe(`${first} ${recovery}`)
  // The recovery is not said twice.
  expect(new DaybookError('storage-failed', error.message).message).toBe(error.message)
})

it('an error that is not ours ends as a sentence, too', () => {
  expect(toDaybookError(new TypeError('x is not a function')).message).toBe(
    `TypeError: x is not a function. ${errorTable.internal.recovery}`,
  )
})
