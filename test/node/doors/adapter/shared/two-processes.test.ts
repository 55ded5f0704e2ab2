// Two real processes at work on one session of each framework, of which the one that holds the book is killed in the middle.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { killAll, startProcess } from '../../../hosts/node/socket/process.ts'
import { prepare, works } from './session-work.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-both-'))
afterEach(killAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const module = new URL('./session-work.ts', import.meta.url).href
const count = 30

it.each(Object.entries(works))('%s: what each was told is written is there, once', async (name, work) => {
  const path = join(folder, `${Object.keys(works).indexOf(name)}`, 'both.daybook')
  const holder = await startProcess(path)
  await using book = await openDaybook({ name: 'shared', path })
  await prepare(book)
  const { write, read } = work(book)
  // It says each label that it was told is written, and is killed while there are more.
  const told: unknown[] = []
  const going = holder.run(`
    const { works } = await import(${JSON.stringify(module)})
    const { write } = works[${JSON.stringify(name)}](book)
    await Promise.all(Array.from({ length: ${count} }, (_, i) => write('there-' + i).then(() => say('there-' + i))))`)
  told.push(await going)
  const here = Array.from({ length: count }, (_, i) => `here-${i}`)
  const writing = here.map((label) => write(label))
  await writing[0]
  told.push(JSON.parse(await holder.line()))
  await holder.kill()
  await Promise.all(writing)
  expect((await book.status()).owner).toBe(true)
  const found = await read()
  expect(new Set(found).size).toBe(found.length)
  expect(found).toEqual(expect.arrayContaining([...here, ...told]))
})
