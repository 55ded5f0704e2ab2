// `daybook erase` with nobody at the terminal: it asks for the name of the book, and takes nothing without it.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { ended, startDaybook } from '../command-line.ts'

const home = mkdtempSync(join(tmpdir(), 'cli-erase-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const path = join(home, 'agents', 'scout', 'memory', 'book.daybook')
const daybook = (...args: string[]) => ended(startDaybook([...args, '--home', home, '--agent', 'scout']))

it('erases a memory whose name is given, and asks for it before anything else', async () => {
  expect(await daybook('erase', '--confirm', 'scout')).toMatchObject({ code: 1 })
  rmSync(join(home, 'agents'), { recursive: true, force: true })
  mkdirSync(join(path, '..'), { recursive: true })
  const book = await openDaybook({ name: 'scout', path })
  await book.traces.store(makeTrace())
  await book.close()
  const unasked = await daybook('erase', '--yes')
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--confirm <name>')])
  const wrong = await daybook('erase', '--confirm', 'agent')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('name is wrong')])
  const away = await ended(
    startDaybook(
      ['erase', '--confirm', 'scout', '--home', home, '--agent', 'scout', '--edge', 'http://127.0.0.1:9'],
      { env: { ...process.env, DAYBOOK_KEY: 'a-key-of-this-edge' } },
    ),
  )
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('offline')])
  expect(existsSync(path)).toBe(true)
  const done = await daybook('erase', '--confirm', 'scout', '--json')
  expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { erased: true, name: 'scout', mirror: false }])
  expect(existsSync(path)).toBe(false)
})
