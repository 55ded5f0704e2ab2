// A damaged book that two processes open at once: one of them repairs it, and the other changes nothing meanwhile.
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'
import { makeTrace } from '../../../support/trace.ts'
import { breakPages, rootOf } from './broken-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-repair-race-'))
afterAll(() => rmSync(folder, { recursive: true }))
const entry = JSON.stringify(new URL('../../../../src/hosts/node/index.ts', import.meta.url).href)
const count = 100
const pattern = join(folder, 'pattern.daybook')

beforeAll(async () => {
  await using book = await openDaybook({ name: 'b', path: pattern, checkpoint: false })
  await book.traces.storeMany({ traces: Array.from({ length: count }, () => makeTrace()) })
})

/** A damaged copy of the book. */
function damaged(name: string): string {
  const path = join(folder, `${name}.daybook`)
  copyFileSync(pattern, path)
  breakPages(path, [rootOf(path, 'book')])
  return path
}

/** Opens the book in a process that stops before its `step`th renaming until it reads a line, and then stores a trace. */
function repairStoppedAt(path: string, step: number) {
  const source = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const real = fs.renameSync
    let steps = 0
    fs.renameSync = (from, to) => {
      if (String(from).startsWith(${JSON.stringify(path)}) && ++steps === ${step}) {
        fs.writeSync(1, 'stopped\\n')
        fs.readSync(0, new Uint8Array(10))
      }
      real(from, to)
    }
    syncBuiltinESMExports()
    const { openDaybook } = await import(${entry})
    const book = await openDaybook({ name: 'b', path: ${JSON.stringify(path)}, checkpoint: false })
    await book.traces.store(${JSON.stringify(makeTrace())})
    await book.close()
    process.stdout.write('stored\\n')
    process.exit(0)`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    line: async () => (await lines.next()).value as string | undefined,
    goOn: () => void child.stdin.end('go\n'),
    kill: () => new Promise((resolve) => child.once('exit', resolve).kill('SIGKILL')),
  }
}

// The first renaming moves the damaged file away, the second gives its path to the new file.
it.each([1, 2])(
  'a repair before renaming %i stays whole when another process opens the book',
  async (step) => {
    const path = damaged(`stopped-${step}`)
    const repair = repairStoppedAt(path, step)
    expect(await repair.line()).toBe('stopped')
    const files = readdirSync(folder)
    const error = await failure(openDaybook({ name: 'b', path, share: false }))
    expect([error.code, readdirSync(folder)]).toEqual(['open-elsewhere', files])
    repair.goOn()
    expect(await repair.line()).toBe('stored')
    await using book = await openDaybook({ name: 'b', path, share: false, checkpoint: false })
    expect((await book.traces.count()).total).toBe(count + 1)
    const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.`))
    expect(names.filter((name) => name.includes('.damaged-'))).toHaveLength(1)
    expect(names.filter((name) => name.includes('.mending'))).toEqual([])
  },
)

it.each([1, 2])('the next opening finishes a repair that was killed before renaming %i', async (step) => {
  const path = damaged(`killed-${step}`)
  const repair = repairStoppedAt(path, step)
  expect(await repair.line()).toBe('stopped')
  await repair.kill()
  expect(existsSync(`${path}.mending-lock`)).toBe(true)
  await using book = await openDaybook({ name: 'b', path, checkpoint: false })
  expect((await book.traces.count()).total).toBe(count)
  expect(readdirSync(folder).filter((name) => name.startsWith(`${basename(path)}.mending`))).toEqual([])
})

it('a book is not repaired through a link in the place of the lock', async () => {
  const path = damaged('link')
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'precious')
  symlinkSync(victim, `${path}.mending-lock`)
  const error = await failure(openDaybook({ name: 'b', path }))
  expect(error).toMatchObject({ code: 'storage-failed', details: { path: `${path}.mending-lock` } })
  rmSync(`${path}.mending-lock`)
  await using book = await openDaybook({ name: 'b', path })
  expect((await book.traces.count()).total).toBe(count)
})
