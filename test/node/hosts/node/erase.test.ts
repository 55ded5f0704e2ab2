// A book that is erased in Node: which files go, and what is left when the process is killed in the middle of it.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'
import { makeTrace } from '../../../support/trace.ts'
import { breakPages, rootOf } from '../../store/repair/broken-file.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-erase-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let serial = 0
const newFolder = () => mkdtempSync(join(root, `${++serial}-`))
const entry = JSON.stringify(new URL('../../../../src/hosts/node/index.ts', import.meta.url).href)

/** A book with all that a book may leave beside it. */
async function write(folder: string): Promise<string> {
  const path = join(folder, 'garden.daybook')
  const book = await openDaybook({ name: 'garden', path, passphrase: 'correct horse battery' })
  for (let i = 0; i < 20; i++) await book.traces.store(makeTrace())
  await book.tokens.grant({ scope: '**', permissions: ['read'], granted_to: 'x', expires_at: '2099-01-01' })
  await book.close()
  for (const more of [
    '.checkpoint',
    '.damaged-2026-01-01T00-00-00.000Z',
    '.damaged-2026-01-01T00-00-00.000Z-wal',
  ])
    if (!existsSync(path + more)) writeFileSync(path + more, 'left behind')
  return path
}

it('takes every file of the book, and none that is another’s', async () => {
  const folder = newFolder()
  const path = await write(folder)
  const others = ['garden.daybook2', 'garden.daybook.txt', 'garden.daybook.bak', 'other.daybook.key']
  for (const name of others) writeFileSync(join(folder, name), 'not of this book')
  const book = await openDaybook({ name: 'garden', path })
  const shown = book.live({ method: 'traces.query' })
  await new Promise<void>((resolve) => shown.subscribe(() => shown.getSnapshot().data && resolve()))
  const ended: unknown[] = []
  book.on('closed', ({ code }) => ended.push(code))
  await book.erase({ confirm: 'garden' })
  expect([ended, shown.getSnapshot().data]).toEqual([['book-erased'], undefined])
  expect(readdirSync(folder).toSorted()).toEqual(others.toSorted())
  expect((await failure(book.traces.count())).code).toBe('book-closed')
  await book.close()
  expect(readdirSync(folder).toSorted()).toEqual(others.toSorted())
})

/** A book on another disk, with a link to it in `folder`, and a book of another name beside each. */
async function writeLinked(folder: string): Promise<{ path: string; disk: string; real: string }> {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const path = await write(disk)
  const link = join(folder, 'garden.daybook')
  symlinkSync(path, link)
  for (const place of [disk, folder]) writeFileSync(join(place, 'garden.daybook2'), 'not of this book')
  return { path: link, disk, real: path }
}
const left = (folder: string, disk: string) => [readdirSync(folder).toSorted(), readdirSync(disk)]
const leftByErase = [['disk', 'garden.daybook2'], ['garden.daybook2']]

it('takes a book that is reached by a link, and every file beside both', async () => {
  const folder = newFolder()
  const { path, disk, real } = await writeLinked(folder)
  for (const suffix of ['.vault', '.vault-key', '.key'])
    if (existsSync(real + suffix)) renameSync(real + suffix, path + suffix)
  const book = await openDaybook({ name: 'garden', path, passphrase: 'correct horse battery' })
  expect((await book.traces.count()).total).toBe(20)
  await book.erase({ confirm: 'garden' })
  await book.close()
  expect(left(folder, disk)).toEqual(leftByErase)
})

it('finishes an erasure that was cut after the file went that the link leads to', async () => {
  const folder = newFolder()
  const { path, disk, real } = await writeLinked(folder)
  for (const name of readdirSync(disk)) if (name.startsWith('garden.daybook.')) rmSync(join(disk, name))
  rmSync(real)
  writeFileSync(`${path}.erasing`, '')
  const book = await openDaybook({ name: 'garden', path })
  expect((await book.traces.count()).total).toBe(0)
  await book.erase({ confirm: 'garden' })
  await book.close()
  expect(left(folder, disk)).toEqual(leftByErase)
})

it('takes the damaged file of a repair by a link, and the one to which an older repair left a link', async () => {
  const folder = newFolder()
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const path = join(folder, 'garden.daybook')
  const real = join(disk, 'real.daybook')
  symlinkSync(real, path)
  {
    await using book = await openDaybook({ name: 'garden', path })
    await book.traces.store(makeTrace())
  }
  breakPages(real, [rootOf(real, 'book')])
  const book = await openDaybook({ name: 'garden', path })
  expect((await book.traces.count()).total).toBe(1)
  expect(readdirSync(folder).toSorted()).toEqual(['disk', 'garden.daybook'])
  expect(readdirSync(disk)).toContainEqual(expect.stringMatching(/^real\.daybook\.damaged-/))
  const older = join(disk, 'older.daybook')
  writeFileSync(older, 'damaged')
  symlinkSync(older, `${path}.damaged-2026-01-01T00-00-00.000Z`)
  // A link of the same form that leads to a folder is not of a repair.
  symlinkSync(root, `${path}.damaged-folder`)
  await book.erase({ confirm: 'garden' })
  await book.close()
  expect(left(folder, disk)).toEqual([['disk', 'garden.daybook.damaged-folder'], []])
})

it('takes what an import left that was killed before the book had its name', async () => {
  const folder = newFolder()
  const path = await write(folder)
  const staged = await write(newFolder())
  for (const suffix of ['', '.vault', '.vault-key', '.checkpoint'])
    if (existsSync(staged + suffix)) renameSync(staged + suffix, `${path}.new-0a1b2c3d${suffix}`)
  writeFileSync(`${path}.new-0a1b2c3d-wal`, 'left behind')
  const others = ['garden.daybook.new-0a1b2c3', 'garden.daybook.new-0a1b2c3d.txt']
  for (const name of others) writeFileSync(join(folder, name), 'not of this book')
  const book = await openDaybook({ name: 'garden', path })
  await book.erase({ confirm: 'garden' })
  await book.close()
  expect(readdirSync(folder).toSorted()).toEqual(others)
})

it('ends an export that is being read with `book-closed`', async () => {
  const book = await openDaybook({ name: 'garden', path: await write(newFolder()) })
  for (let i = 0; i < 3; i++)
    await book.traces.storeMany({ traces: Array.from({ length: 1000 }, () => makeTrace()) })
  const codes = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const reader = (await book.export({})).getReader()
      await reader.read()
      return async () => {
        for (;;) if ((await reader.read()).done) return 'done'
      }
    }),
  )
  const ends = Promise.all(codes.map((rest) => failure(rest())))
  await book.erase({ confirm: 'garden' })
  expect(new Set((await ends).map(({ code }) => code))).toEqual(new Set(['book-closed']))
})

it('is refused while another process has the book, which notices nothing', async () => {
  const folder = newFolder()
  const path = await write(folder)
  const held = await openDaybook({ name: 'garden', path })
  expect((await failure(openDaybook({ name: 'garden', path, share: false }))).code).toBe('open-elsewhere')
  expect((await held.traces.count()).total).toBe(20)
  // One that was begun elsewhere and goes on is not finished for it.
  writeFileSync(`${path}.erasing`, '')
  expect((await failure(openDaybook({ name: 'garden', path, share: false }))).code).toBe('open-elsewhere')
  expect((await held.traces.count()).total).toBe(20)
  await held.erase({ confirm: 'garden' })
  expect(readdirSync(folder)).toEqual([])
})

/** Erases in a process that ends itself just after it has taken its nth step in the file system. */
async function killedAfter(path: string, step: number): Promise<boolean> {
  const source = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let isErasing = false
    let steps = 0
    for (const name of ['openSync', 'rmSync', 'fsyncSync', 'unlinkSync']) {
      const real = fs[name]
      fs[name] = (...args) => {
        const isMine = isErasing && ++steps === ${step}
        const result = real(...args)
        if (isMine) process.kill(process.pid, 'SIGKILL')
        return result
      }
    }
    syncBuiltinESMExports()
    const { openDaybook } = await import(${entry})
    const book = await openDaybook({ name: 'garden', path: ${JSON.stringify(path)} })
    isErasing = true
    await book.erase({ confirm: 'garden' })
    process.exit(0)`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal === 'SIGKILL')))
}

it(
  'a process killed after any step of it leaves nothing that the next opening would find',
  { timeout: 170_000 },
  async () => {
    const counts: number[] = []
    for (let step = 1, wasKilled = true; wasKilled; step++) {
      const folder = newFolder()
      const path = await write(folder)
      wasKilled = await killedAfter(path, step)
      const book = await openDaybook({ name: 'garden', path })
      counts.push((await book.traces.count()).total)
      await book.close()
      expect(readdirSync(folder).filter((name) => /erasing|damaged/.test(name))).toEqual([])
    }
    // The mark is the first step: from then on the next opening finds an empty place.
    expect(new Set(counts)).toEqual(new Set([0]))
    expect(counts.length).toBeGreaterThan(12)
  },
)
