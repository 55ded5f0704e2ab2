// A book in Node without the option `embedder`, when the table of the package can't be read: words answer, and the status
// says what to do.
import type * as fs from 'node:fs/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { nodeTableHost } from '../../../../src/hosts/node/model/table-file.ts'

const reads = vi.hoisted(() => ({ count: 0, answer: (bytes: Uint8Array): Uint8Array => bytes }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs>()
  const readFile = async (...call: Parameters<typeof fs.readFile>) => {
    const bytes = await real.readFile(...call)
    if (!String(call[0]).endsWith('meaning.bin')) return bytes
    reads.count += 1
    return reads.answer(bytes as Uint8Array)
  }
  return { ...real, readFile }
})

const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
  reads.count = 0
})
async function open(): Promise<Daybook> {
  const book = await openDaybook({ name: 'b', path: ':memory:' })
  books.push(book)
  return book
}

const missing = () => {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
}
test.each([
  ['missing', missing, 'leave `daybook` out of the bundle'],
  [
    'damaged',
    (bytes: Uint8Array) => bytes.map((byte, at) => (at < 9000 ? byte : 0)),
    'is damaged: its checksum is wrong',
  ],
  ['cut short', (bytes: Uint8Array) => bytes.subarray(1000, 2000), 'is no table of daybook/meaning'],
])('one that is %s', async (_how, answer, message) => {
  reads.answer = answer
  const book = await open()
  // Nothing is read before the first text.
  expect([(await book.embedder.status()).state, reads.count]).toEqual(['ready', 0])
  await book.perceptions.store({ content: 'fix my car' })
  await expect.poll(async () => (await book.embedder.status()).state, { timeout: 5000 }).toBe('failing')
  const { lastError } = await book.embedder.status()
  expect(lastError).toMatchObject({
    code: 'embedder-failed',
    message: expect.stringContaining(message) as string,
  })
  const { hits, degraded } = await book.recall({ text: 'which car?' })
  expect([hits.length, degraded]).toEqual([1, [`vectors: ${lastError?.message}`]])
  expect((await book.status()).degraded).toEqual([`vectors: ${lastError?.message}`])
})

test('one whose path is a device without an end: an error, not a hang', async () => {
  const check = () => new Uint8Array()
  const reading = nodeTableHost.readTable({
    path: '/dev/zero',
    url: undefined,
    check,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  await expect(reading).rejects.toMatchObject({
    code: 'embedder-failed',
    message: expect.stringContaining('(no file): /dev/zero. Put `dist/meaning.bin`') as string,
  })
})
