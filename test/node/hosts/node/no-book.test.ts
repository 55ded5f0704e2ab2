// What is no book at a book's path is refused with its path, as it was, and with a way out that works.
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-no-book-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const open = (path: string) => openDaybook({ name: 'b', path })
const bytesAt = (path: string) => (statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined)
const text = 'Another program wrote this.\n'.repeat(2000)

const strangers: Readonly<Record<string, readonly [put: (path: string) => void, says: RegExp]>> = {
  'a text': [(path) => writeFileSync(path, text), /is not a book \(file is not a database\)/],
  'a short text': [(path) => writeFileSync(path, 'hello'), /is not a book \(file is not a database\)/],
  'a letter': [(path) => writeFileSync(path, 'x'), /is not a book \(the file has one byte\)/],
  'an empty line': [(path) => writeFileSync(path, '\n'), /is not a book \(the file has one byte\)/],
  'a folder': [(path) => mkdirSync(path), /is a folder and not a book/],
  'a pipe': [(path) => execFileSync('mkfifo', [path]), /is no regular file and not a book/],
}

it.each(Object.keys(strangers))('%s is refused, and moved away makes place for a book', async (stranger) => {
  const [put, says] = strangers[stranger] ?? expect.unreachable()
  const path = join(folder, `${stranger.replaceAll(' ', '-')}.daybook`)
  put(path)
  const before = bytesAt(path)
  for (let i = 0; i < 2; i++) {
    const error = await failure(open(path))
    expect(error).toMatchObject({
      code: 'storage-failed',
      retry: false,
      details: { path, reason: 'not-a-book' },
    })
    expect(error.message).toContain(`${path} is`)
    expect(error.message).toMatch(says)
    expect(error.message).toMatch(/Move it away .*, or give the book another path\.$/)
  }
  expect(bytesAt(path)).toEqual(before)
  renameSync(path, `${path}-away`)
  await using book = await open(path)
  await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
  expect((await book.status()).degraded).toEqual([])
})

it('a path that cannot be opened is named', async () => {
  const [path, link] = [join(folder, 'nowhere/target.daybook'), join(folder, 'ahead.daybook')]
  symlinkSync(path, link)
  const error = await failure(open(link))
  expect(error).toMatchObject({ code: 'storage-failed', retry: false, details: { path } })
  expect(error.message).toMatch(
    `${path} can't be opened (unable to open database file). Check that this user may read and write it`,
  )
})
