// A file that is named on the command line and can't be read: the message says which and why, and nothing is changed.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-input-cli-'))
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
]

it.each(cases)('%j', async (args, reason) => {
  const places: Readonly<Record<string, string>> = {
    '<nowhere>': join(folder, 'nowhere.txt'),
    '<folder>': folder,
  }
  const given = [...args.map((one) => places[one] ?? one), '--home', join(folder, 'home')]
  const { code, stdout, stderr } = await ended(startDaybook(given))
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(reason)
  expect(stderr).not.toContain('ENOENT')
  expect(await readdir(folder)).toEqual([])
})
