// A path at which no book can be opened is refused with the path, the reason and a way out, in the package and on the
// command line.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'
import { cli, ended } from './command-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-path-fault-'))
const closed = join(folder, 'home/agents/agent')
const bookFile = join(closed, 'memory/book.daybook')
beforeAll(async () => {
  writeFileSync(join(folder, 'file'), 'text')
  symlinkSync(join(folder, 'circle'), join(folder, 'circle'))
  await (await openDaybook({ name: 'agent', path: bookFile })).close()
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'home'), 0o755)
  chmodSync(join(folder, 'home/agents'), 0o755)
  // Nobody may enter it; only the administrator still does.
  chmodSync(closed, 0)
})
afterAll(() => {
  chmodSync(closed, 0o700)
  rmSync(folder, { recursive: true, force: true })
})

const isPosix = process.platform !== 'win32'
/** Starts Node as a user for whom modes hold. */
const asUser = (args: readonly string[]) =>
  ended(
    spawn(process.execPath, ['--no-warnings', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}),
    }),
  )

const faults: Readonly<Record<string, string>> = {
  ENOTDIR: 'file/b.daybook',
  ELOOP: 'circle',
  ENAMETOOLONG: `${'n'.repeat(300)}.daybook`,
}

it.runIf(isPosix).each(Object.keys(faults))('%s', async (code) => {
  const path = join(folder, faults[code] ?? '')
  for (const share of [true, false]) {
    const error = await failure(openDaybook({ name: 'b', path, share }))
    expect(error).toMatchObject({ code: 'storage-failed', retry: false })
    expect(error.details).toEqual({ path, reason: 'cannot-open' })
    expect(error.message).toContain(`${path} can't be opened (${code}: `)
    expect(error.message).toMatch(/or give the book another path\.$/)
  }
})

it.runIf(process.platform === 'linux')('a folder that the system does not make', async () => {
  const path = '/proc/nowhere/b.daybook'
  expect(await failure(openDaybook({ name: 'b', path }))).toMatchObject({
    code: 'storage-failed',
    details: { path, reason: 'cannot-open' },
  })
})

it('a path with a character that no path has', async () => {
  const error = await failure(openDaybook({ name: 'b', path: join(folder, 'a\0b.daybook') }))
  expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'path' } })
})

it.runIf(isPosix)('a folder that this user may not enter, or make a folder in', async () => {
  const entry = new URL('../../../../src/hosts/node/index.ts', import.meta.url).href
  for (const path of [bookFile, join(closed, 'new/b.daybook')]) {
    const source = `
      const { openDaybook } = await import(${JSON.stringify(entry)})
      for (const share of [true, false])
        await openDaybook({ name: 'agent', path: ${JSON.stringify(path)}, share }).catch((error) =>
          console.log(JSON.stringify(error)))`
    const { stdout, stderr } = await asUser(['--input-type=module', '--eval', source])
    expect(stderr).toBe('')
    const errors = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(errors).toHaveLength(2)
    for (const error of errors)
      expect(error).toMatchObject({
        code: 'storage-failed',
        message: expect.stringContaining(`${path} can't be opened (EACCES: `) as string,
        details: { path, reason: 'cannot-open' },
      })
  }
})

it
  .runIf(isPosix)
  .each([
    ['stats'],
    ['recall', 'x'],
    ['export-memory'],
    ['erase', '--confirm', 'agent'],
    ['import-memory', '--from', join(folder, 'file')],
  ])('the command %s names the file that it may not read', async (...args) => {
  const { code, stdout, stderr } = await asUser([cli, ...args, '--home', join(folder, 'home')])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`${bookFile} can't be read: its permissions do not allow it.`)
})

it.runIf(isPosix)('doctor finds a book that this user may not read', async () => {
  const { code, stdout } = await asUser([cli, 'doctor', '--json', '--home', join(folder, 'home')])
  expect(code).toBe(1)
  const { findings } = JSON.parse(stdout) as { findings: readonly { subject: string }[] }
  expect(findings.find(({ subject }) => subject === 'book')).toEqual({
    subject: 'book',
    state: 'fault',
    message: `${bookFile} can't be read: its permissions do not allow it`,
    remedy: 'Run this as the user whose memory it is, or give --home and --agent.',
  })
})
