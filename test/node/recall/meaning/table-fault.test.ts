// Why the table of `meaning` does not come: each cause has its own sentence and remedy.
import { expect, test } from 'vitest'
import {
  forbiddenTableError,
  tableStatusError,
  unreachedText,
} from '../../../../src/recall/embed/meaning/table-fault.ts'

const url = 'https://example.org/meaning.bin'

test.each([
  [404, 'is not at https://example.org/meaning.bin (status 404). Copy it.'],
  [403, 'refuses the file'],
  [500, 'it answered with status 500'],
  [429, 'it answered with status 429'],
])('status %i', (status, says) => {
  const { message, retry, details } = tableStatusError(url, status, 'Copy it.')
  expect([message.includes(says), message.includes('Copy it.'), retry]).toEqual([true, status === 404, true])
  // The status of a text that an embedder refuses is `status`.
  expect(details).toEqual({ url, tableStatus: status })
})

test('without a connection, without a server, and from another origin', () => {
  const origin = 'https://example.org'
  expect(unreachedText({ url, origin, isOnline: false })).toContain('there is no connection')
  const own = unreachedText({ url, origin, isOnline: true })
  expect([own.includes('can not be reached'), own.includes('access-control')]).toEqual([true, false])
  const other = unreachedText({ url, origin: 'https://example.com', isOnline: true })
  expect(other).toContain('does not allow https://example.com (header `access-control-allow-origin`)')
})

test('a policy of the page that forbids it', () => {
  expect(forbiddenTableError(url)).toMatchObject({
    retry: false,
    message: expect.stringContaining('connect-src') as string,
  })
})
