// Options that would do nothing in a combination are refused, before anything else happens.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-idle-option-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const home = join(root, 'home')

const cases: readonly (readonly [args: readonly string[], refusal: string])[] = [
  [['erase', '--confirm', 'agent', '--at', 'tutor'], '--at goes with --edge'],
  [['send', 'kstar-memory', 'kstar:query_traces', '--at', 'tutor'], '--at goes with --url'],
  [['send', 'other', 'kstar:query_traces', '--socket', 'x', '--at', 'tutor'], '--at goes with --url'],
  [['send', 'other', 'kstar:query_traces', '--socket', 'x', '--book', 'a.daybook'], '--book is a file'],
  [['send', 'other', 'x:y', '--url', 'http://127.0.0.1:9', '--book', './a'], '--book is a file'],
  [['sync', '--edge', 'http://127.0.0.1:9', '--book', 'none', '--at', 'tutor'], 'There is no file none'],
  [['doctor', '--at', 'tutor'], '--at goes with --url'],
  [['kafka', '--brokers', '127.0.0.1:9', '--book', 'a.daybook'], '--book needs --consumer-group'],
  [['mcp', '--arg', 'text=x'], '--arg goes with mcp call'],
  [['mcp', '--args', '{}'], '--args goes with mcp call'],
  [['archive', 'list', '--passphrase-file', 'x'], '--passphrase-file goes with archive put or verify'],
  [['archive', 'list', '--keep', '3'], '--keep goes with archive put'],
]

it.each(cases)('%j', async (args, refusal) => {
  const result = await ended(startDaybook([...args, '--home', home]))
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(refusal) as string })
  expect(existsSync(home)).toBe(false)
})
