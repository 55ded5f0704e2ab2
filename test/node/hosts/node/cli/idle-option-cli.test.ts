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
  [['erase', '--confirm', 'agent', '--book', 'tutor'], '--book goes with --edge'],
  [['send', 'kstar-memory', 'kstar:query_traces', '--book', 'tutor'], '--book goes with --url'],
  [['send', 'other', 'kstar:query_traces', '--socket', 'x', '--book', 'tutor'], '--book goes with --url'],
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
