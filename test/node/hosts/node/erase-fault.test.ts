// An erasure in Node that fails midway: the error names the file, the lock is free, and the next opening finishes it.
import fs, { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'
import { killAll, startProcess } from './socket/process.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-erase-fault-'))
const real = { rmSync: fs.rmSync, fsyncSync: fs.fsyncSync }
const restore = () => {
  Object.assign(fs, real)
  syncBuiltinESMExports()
}
afterEach(async () => {
  restore()
  await killAll()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const refusal = (path: string) =>
  Object.assign(new Error(`EPERM: operation not permitted, unlink '${path}'`), {
    code: 'EPERM',
    syscall: 'unlink',
    path,
  })

/** From now on the system refuses to delete the file at `path`. */
function refuseToDelete(path: string): void {
  fs.rmSync = (target, options) => {
    if (target === path) throw refusal(path)
    real.rmSync(target, options)
  }
  syncBuiltinESMExports()
}

const newPath = () => join(mkdtempSync(join(root, 'book-')), 'garden.daybook')
const open = (path: string, options: object = {}) => openDaybook({ name: 'garden', path, ...options })

async function write(path: string): Promise<void> {
  await using book = await open(path)
  await book.perceptions.store({ content: 'Likes fog' })
  await book.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })
}

const files = ['', '.vault', '.vault-key', '.erasing']
it.each(files.flatMap((suffix) => [true, false].map((share) => [suffix, share] as const)))(
  'an erasure that can not delete `<book>%s` says so, and the next opening finishes it (shared: %s)',
  async (suffix, share) => {
    const path = newPath()
    const stuck = path + suffix
    await write(path)
    const book = await open(path, { share })
    const ended: unknown[] = []
    book.on('closed', ({ code }) => ended.push(code))
    refuseToDelete(stuck)
    const error = await failure(book.erase({ confirm: 'garden' }))
    expect(error).toMatchObject({ code: 'storage-failed', details: { path: stuck, reason: 'erasing' } })
    expect(error.message).toMatch(/is not finished: .*EPERM.*then open the book again/s)
    expect(ended).toEqual(['book-erased'])
    // The handle gives the reason too, and so does an opening as long as the cause is there.
    for (let i = 0; i < 2; i++) expect(await failure(book.stats())).toMatchObject(error.toJSON())
    for (const options of [{ share }, { share: false }, {}])
      expect((await failure(open(path, options))).toJSON()).toEqual(error.toJSON())
    restore()
    const again = await open(path, { share })
    expect((await again.stats()).total).toBe(0)
    expect(readdirSync(join(path, '..')).filter((name) => /vault|erasing/.test(name))).toEqual([])
    await book.close()
    await again.erase({ confirm: 'garden' })
    expect(readdirSync(join(path, '..'))).toEqual([])
  },
)

it('an erasure that fails midway ends the book in every process, and none creates it again', async () => {
  const path = newPath()
  await write(path)
  const books = [await open(path), await open(path), await open(path)]
  const ended: unknown[] = []
  for (const book of books) book.on('closed', ({ code }) => ended.push(code))
  refuseToDelete(`${path}.vault`)
  const [owner, caller, third] = books
  expect((await failure(caller?.erase({ confirm: 'garden' }) ?? expect.unreachable())).message).toContain(
    'is not finished',
  )
  restore()
  await expect.poll(() => ended).toEqual(['book-erased', 'book-erased', 'book-erased'])
  for (const one of [caller, third])
    expect((await failure(one?.stats() ?? expect.unreachable())).code).toBe('book-erased')
  expect((await failure(owner?.stats() ?? expect.unreachable())).code).toBe('storage-failed')
  expect(existsSync(`${path}.erasing`)).toBe(true)
  for (const book of books) await book.close()
  await using again = await open(path)
  expect((await again.stats()).total).toBe(0)
})

it('a process that was served by an owner killed in its erasure does not begin the book anew', async () => {
  const path = newPath()
  const owner = await startProcess(path)
  await using book = await openDaybook({ name: 'shared', path })
  await book.perceptions.store({ content: 'Likes fog' })
  owner.child.stdin?.write(
    `${JSON.stringify(`
      const fs = process.getBuiltinModule('node:fs')
      const { rmSync } = fs
      fs.rmSync = (file, ...more) => (String(file).endsWith('.socket') ? process.kill(process.pid, 'SIGKILL') : rmSync(file, ...more))
      process.getBuiltinModule('node:module').syncBuiltinESMExports()
      return book.erase({ confirm: 'shared' })`)}\n`,
  )
  await new Promise((resolve) => owner.child.once('exit', resolve))
  expect([existsSync(path), existsSync(`${path}.erasing`)]).toEqual([true, true])
  expect((await failure(book.perceptions.store({ content: 'Likes rain' }))).code).toBe('book-erased')
  await using again = await openDaybook({ name: 'shared', path })
  expect((await again.stats()).total).toBe(0)
})

it('an erasure that can not begin leaves no mark that would erase the book later', async () => {
  const path = newPath()
  await write(path)
  const book = await open(path)
  fs.fsyncSync = () => {
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', syscall: 'fsync' })
  }
  syncBuiltinESMExports()
  const error = await failure(book.erase({ confirm: 'garden' }))
  restore()
  expect([error.code, existsSync(`${path}.erasing`)]).toEqual(['storage-failed', false])
  expect((await book.stats()).total).toBe(2)
  await book.close()
  await using again = await open(path)
  expect((await again.stats()).total).toBe(2)
})
