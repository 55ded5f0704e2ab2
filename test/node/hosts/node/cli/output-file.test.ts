// Where an export of the command line goes: a file is replaced whole, a link and a pipe stay what they are, and a signal ends
// the wait for whoever is at the other end of a pipe.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { openInput, readInput } from '../../../../../src/hosts/node/cli/input-file.ts'
import { placeFault, unwritable, writeAtomically } from '../../../../../src/hosts/node/cli/output-file.ts'
import { UsageError } from '../../../../../src/hosts/node/cli/command.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-output-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* chunks() {
  for (const text of ['one ', 'two']) yield await Promise.resolve(new TextEncoder().encode(text))
}
const never = new AbortController().signal

function makePipe(name: string): string {
  const pipe = join(folder, name)
  execFileSync('mkfifo', [pipe])
  return pipe
}

it('replaces the file that a link leads to, and leaves the link', async () => {
  const [target, link] = [join(folder, 'target'), join(folder, 'link')]
  writeFileSync(target, 'before')
  symlinkSync(target, link)
  expect(await writeAtomically(link, chunks(), never)).toBe(7)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('one two')
})

it.skipIf(process.platform === 'win32')('writes into a pipe, and leaves it', async () => {
  const pipe = makePipe('pipe')
  const [size, text] = await Promise.all([writeAtomically(pipe, chunks(), never), readFile(pipe, 'utf8')])
  expect([size, text]).toEqual([7, 'one two'])
  expect(statSync(pipe).isFIFO()).toBe(true)
})

it.skipIf(process.platform === 'win32')('waits for the end of a pipe no longer than it should', async () => {
  const pipe = makePipe('lonely')
  const waits = [
    (signal: AbortSignal) => writeAtomically(pipe, chunks(), signal),
    (signal: AbortSignal) => readInput(pipe, signal),
  ]
  for (const wait of waits) {
    const stop = new AbortController()
    await Promise.all([
      expect(wait(stop.signal)).rejects.toThrow(/aborted|ABORT_ERR/),
      setImmediate().then(() => stop.abort()),
    ])
  }
  // An abort before anybody reads is no fault of its own.
  const stop = new AbortController()
  await openInput(pipe, stop.signal)
  stop.abort()
  await setImmediate()
})

it.skipIf(!existsSync('/dev/full'))('says that a device is full, of what name', async () => {
  await expect(writeAtomically('/dev/full', chunks(), never)).rejects.toThrow(
    new UsageError("/dev/full can't be written: its device is full"),
  )
})

it('says why a place can not be written, without the words of the system', () => {
  const fault = (code: string, syscall: string) =>
    Object.assign(new Error(`${code}: raw, ${syscall} '/a/b.part'`), { code, syscall, path: '/a' })
  const words = (error: unknown) => (error instanceof UsageError ? error.message : undefined)
  expect(words(unwritable('x', fault('EROFS', 'open')))).toBe(
    "x can't be written: its file system is read-only",
  )
  expect(words(unwritable('x', fault('EWHAT', 'open')))).toBe("x can't be written: EWHAT")
  expect(words(placeFault(fault('EROFS', 'mkdir')))).toBe("/a can't be made: its file system is read-only")
  expect(words(placeFault(fault('EACCES', 'open')))).toBe(
    "/a can't be written: its permissions do not allow it",
  )
  expect(words(placeFault(fault('ENOENT', 'open')))).toBe('There is no /a')
})
