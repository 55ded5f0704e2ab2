// Where an export of the command line goes: a file is replaced whole, a link and a pipe stay what they are.
import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { writeWhole } from '../../../../../src/hosts/node/cli/output-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-output-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function* chunks() {
  for (const text of ['one ', 'two']) yield await Promise.resolve(new TextEncoder().encode(text))
}

it('replaces the file that a link leads to, and leaves the link', async () => {
  const [target, link] = [join(folder, 'target'), join(folder, 'link')]
  writeFileSync(target, 'before')
  symlinkSync(target, link)
  expect(await writeWhole(link, chunks())).toBe(7)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('one two')
})

it.skipIf(process.platform === 'win32')('writes into a pipe, and leaves it', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const [size, text] = await Promise.all([writeWhole(pipe, chunks()), readFile(pipe, 'utf8')])
  expect([size, text]).toEqual([7, 'one two'])
  expect(statSync(pipe).isFIFO()).toBe(true)
})
