// The command line at the ends of pipes and on full devices: a signal ends it, and one plain line says what is wrong.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli, ended, startDaybook } from '../command-line.ts'

let folder = ''
const at = (name: string) => join(folder, name)
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-pipe-cli-'))
  // More than any pipe holds.
  await writeFile(
    at('note.md'),
    Array.from({ length: 100 }, (_, i) => `# ${i}\n${'tea '.repeat(4000)}\n`).join(''),
  )
  const { code } = await ended(startDaybook(['import-memory', '--from', at('note.md'), '--home', at('home')]))
  expect(code).toBe(0)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function interrupted(child: ChildProcess, signal: 'SIGINT' | 'SIGTERM'): Promise<unknown> {
  child.kill(signal)
  const [code, killedBy] = (await once(child, 'exit')) as unknown[]
  return code ?? killedBy
}

describe.skipIf(process.platform === 'win32')('a pipe whose reader stays and reads no more', () => {
  it('lets an export into it be ended', async () => {
    execFileSync('mkfifo', [at('pipe')])
    const fd = openSync(at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK)
    const reader = new Socket({ fd, readable: true, writable: false })
    const child = startDaybook(['export-memory', '--output', at('pipe'), '--home', at('home')])
    await once(reader, 'data')
    reader.pause()
    expect(await interrupted(child, 'SIGTERM')).toBe(130)
    reader.destroy()
  })

  it('lets an export to stdout be ended', async () => {
    const child = startDaybook(['export-memory', '--output', '-', '--home', at('home')])
    await once(child.stdout, 'data')
    child.stdout.pause()
    expect(await interrupted(child, 'SIGINT')).toBe(130)
    child.stdout.destroy()
  })

  it('lets an answer that waits be ended', async () => {
    const child = startDaybook(['query', '--json', '--home', at('home')])
    await once(child.stdout, 'data')
    child.stdout.pause()
    expect(await interrupted(child, 'SIGINT')).toBe(130)
    child.stdout.destroy()
  })
})

describe.skipIf(!existsSync('/dev/full'))('a full device', () => {
  it.each([
    ['recall', 'tea'],
    ['stats', '--json'],
    ['export-memory', '--output', '-'],
    ['recall', '--help'],
  ])('as stdout: %s %s', async (...args) => {
    const full = openSync('/dev/full', 'w')
    const given = [cli, ...args, '--home', at('home')]
    const child = spawn(process.execPath, given, { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    const { code, stderr } = await ended(child)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "The output can't be written: its device is full.\n",
    })
  })

  it('as stderr is no fault', async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [cli, 'nonsense'], { stdio: ['ignore', 'pipe', full] })
    closeSync(full)
    expect((await ended(child)).code).toBe(2)
  })
})

it.skipIf(!existsSync('/dev/zero')).each([
  ['import-memory', '--from', '/dev/zero'],
  ['verify-bundle', '/dev/zero'],
  ['store', 'perception', '@/dev/zero'],
  ['import-memory', '--from', '<stdin>'],
  ['store', 'perception', '<stdin>'],
])('reads no more of an endless file than it takes: %s %s %s', async (...args) => {
  const zero = openSync('/dev/zero', 'r')
  const given = args.map((one) => (one === '<stdin>' ? '-' : one))
  const child = spawn(process.execPath, [cli, ...given, '--home', at('none')], {
    stdio: [zero, 'pipe', 'pipe'],
  })
  closeSync(zero)
  const { code, stderr } = await ended(child)
  expect(code).toBe(3)
  expect(stderr).toMatch(args[0] === 'verify-bundle' ? /^invalid-file: / : /^too-large: .+ characters/)
  expect(existsSync(at('none'))).toBe(false)
})
