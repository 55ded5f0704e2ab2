// A file that is named on the command line and can't be read or written: the message says which and why, and nothing is
// changed.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-input-cli-'))
  await writeFile(join(folder, 'file'), 'text')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const missing = /nowhere\.txt can't be read: there is no such file/
const isFolder = /daybook-input-cli-\w+ can't be read: it is a folder/
const cases: readonly (readonly [args: readonly string[], reason: RegExp])[] = [
  [['store', 'perception', '{}', '--unlock-file', '<nowhere>'], missing],
  [['import-memory', '--from', '<nowhere>'], missing],
  [['import-memory', '--from', '<folder>'], isFolder],
  [['import-memory', '--from', 'x', '--passphrase-file', '<nowhere>'], missing],
  [['verify-bundle', '<nowhere>'], missing],
  [['import-keys', '--passphrase-file', '<folder>', 'x'], isFolder],
  [['import-memory', '--from', '<below a file>'], /can't be read: a part of its path is not a folder/],
  [['assets', '<below a file>'], /can't be made: a part of its path is not a folder/],
  [['assets', '/proc/x'], /^\/proc\/x can't be made: no folder can be made there\./],
  [
    ['store', 'perception', '{}', '--home', '<below a file>'],
    /can't be made: a part of its path is not a folder/,
  ],
  [['export-memory', '--output', ''], /^--output is empty; give it a file/],
  [['stats', '--home', ''], /^--home is empty; give it a folder/],
  [['export-keys', ''], /^export-keys takes one file/],
  [['serve', '--database-ca', '<nowhere>'], /--database-ca: .+nowhere\.txt can't be read/],
  [['serve', '--database-ca', '<folder>'], /--database-ca: .+ can't be read/],
]

it.each(cases)('%j', async (args, reason) => {
  const places: Readonly<Record<string, string>> = {
    '<nowhere>': join(folder, 'nowhere.txt'),
    '<folder>': folder,
    '<below a file>': join(folder, 'file', 'x'),
  }
  const [command = '', ...rest] = args.map((one) => places[one] ?? one)
  const given = [command, '--home', join(folder, 'home'), ...rest]
  const env = { ...process.env, DAYBOOK_DATABASE_URL: 'postgres://me:word@db.invalid/x' }
  const { code, stdout, stderr } = await ended(startDaybook(given, { env }))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(reason)
  expect(stderr).not.toMatch(/ENOENT|ENOTDIR|EISDIR|word@/)
  expect(await readdir(folder)).toEqual(['file'])
})

it.each([
  ['', /daybook-input-cli-\w+ can't be written: it is a folder/],
  ['file/x.kstar', /x\.kstar can't be written: a part of its path is not a folder/],
])('an export to %j', async (name, reason) => {
  const home = await mkdtemp(join(tmpdir(), 'daybook-output-cli-'))
  try {
    const stored = await ended(startDaybook(['store', 'perception', '{"content":"x"}', '--home', home]))
    expect(stored.code).toBe(0)
    const args = ['export-memory', '--output', join(folder, name), '--home', home]
    const { code, stdout, stderr } = await ended(startDaybook(args))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(reason)
    expect(await readdir(folder)).toEqual(['file'])
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})
