// `--book <file>`: a memory in a file, as an editor's host makes it, is one for every command; and plain words for what is wrong.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { placeFault } from '../../../../../src/hosts/node/cli/output-file.ts'
import { cli, ended, startDaybook } from '../command-line.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-file-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: readonly string[]) => ended(startDaybook([...args, '--home', join(folder, 'home')]))

it('a book that a host made in a file is recalled, counted, exported, checked and changed there', async () => {
  const book = ['--book', join(folder, 'workspace.daybook')]
  const remembered = await run('mcp', 'call', 'remember', '--arg', 'text=Ann likes tea', ...book, '--json')
  const { ref } = JSON.parse(remembered.stdout) as { ref: string }
  expect((await run('recall', 'tea', '--words', ...book)).stdout).toContain(ref)
  expect((await run('query', ...book)).stdout).toContain(ref)
  expect((await run('stats', ...book)).stdout).toContain('perception  1')
  const checked = await run('doctor', ...book, '--json')
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('workspace.daybook')])
  const bundle = join(folder, 'workspace.kstar')
  expect(await run('export-memory', '--output', bundle, ...book)).toMatchObject({ code: 0 })
  const copy = ['--book', join(folder, 'copy.daybook')]
  expect(await run('import-memory', '--from', bundle, ...copy)).toMatchObject({ code: 0 })
  expect((await run('query', ...copy)).stdout).toContain(ref)
  expect(await run('forget', ref, '--yes', ...book)).toMatchObject({ code: 0, stderr: '' })
  expect(await run('forget', 'unknown', '--yes', ...book)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There is no unknown here.\n',
  })
  expect(await run('stats', '--book', join(folder, 'none.daybook'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^There is no memory there: .*none\.daybook\n$/),
  })
})

it('doctor asks for the key of a book at an edge, which it could not ask about', async () => {
  const asked = startDaybook(['doctor', '--url', 'http://127.0.0.1:9', '--book', 'tutor'], {
    env: { ...process.env, DAYBOOK_KEY: '' },
  })
  expect(await ended(asked)).toMatchObject({ code: 2, stderr: expect.stringContaining('set DAYBOOK_KEY') })
})

it('a memory that does not open is reported once to a host', async () => {
  const host = spawn(process.execPath, [cli, 'mcp', '--book', folder], { stdio: ['pipe', 'pipe', 'pipe'] })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  host.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const { code, stderr } = await ended(host)
  expect([code, stderr.match(/is a folder/g)?.length, stderr.trim().split('\n').length]).toEqual([1, 1, 1])
})

it('explains a port in use and a missing file in plain words', () => {
  const fault = (fields: object) => (placeFault(Object.assign(new Error('raw'), fields)) as Error).message
  expect(fault({ code: 'EADDRINUSE', port: 8788 })).toBe(
    'Port 8788 is in use by another program; give another by --port',
  )
  expect(fault({ code: 'ENOENT', path: '/none/file', syscall: 'open' })).toBe('There is no /none/file')
})
