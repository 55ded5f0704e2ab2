// `daybook doctor` over real files, sockets and servers: what it finds, and that it changes nothing.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'
import { killAll, startProcess } from '../socket/process.ts'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'daybook-doctor-'))
})
afterAll(async () => {
  await killAll()
  await rm(home, { recursive: true, force: true })
})

interface Finding {
  readonly subject: string
  readonly state: string
  readonly message: string
  readonly remedy?: string
}

async function doctor(args: readonly string[] = [], env: Record<string, string> = {}) {
  const { DAYBOOK_KEY: _key, DAYBOOK_EMBED_URL: _url, ...own } = process.env
  const child = startDaybook(['doctor', '--home', home, '--json', ...args], { env: { ...own, ...env } })
  const { stdout, code, stderr } = await ended(child)
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  return { code, stderr, stdout, of: (what: string) => findings.find((one) => one.subject === what) }
}

const folder = () => join(home, 'agents/agent/memory')
const book = () => join(folder(), 'book.daybook')

/** Every file of the home with what is in it. */
async function everything(): Promise<unknown> {
  const names = await readdir(home, { recursive: true })
  const files = names.toSorted().map(async (name) => {
    const { mode, size, mtimeMs } = await stat(join(home, name))
    return [name, mode, size, mtimeMs]
  })
  return Promise.all(files)
}

async function listen(
  answer: (path: string, headers: object) => readonly [status: number, body: object, location?: string],
): Promise<Server & AsyncDisposable> {
  const server = createServer(({ url = '', headers }, response) => {
    const [status, body, location] = answer(url, headers)
    const fields = { 'content-type': 'application/json', ...(location !== undefined && { location }) }
    response.writeHead(status, fields).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server as Server & AsyncDisposable
}
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe('daybook doctor', { timeout: 170_000 }, () => {
  it('message what is installed, and that there is no book yet, and makes none', async () => {
    const found = await doctor()
    expect([found.code, found.stderr]).toEqual([0, ''])
    expect(found.of('daybook')).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/Node \d+.*SQLite 3\./) as string,
    })
    expect(found.of('@platformatic/kafka')).toMatchObject({ state: 'ok' })
    expect(found.of('book')).toMatchObject({ state: 'warning', remedy: expect.any(String) as string })
    expect(await readdir(home)).toEqual([])
  })

  it('tells of a book where it is, what it holds, and that it is nobody else’s; and changes nothing', async () => {
    const fact = JSON.stringify({ schema: 'note', data: { text: 'x' } })
    await ended(startDaybook(['store', 'fact', fact, '--home', home]))
    const before = await everything()
    const found = await doctor()
    expect(found.code).toBe(0)
    expect(found.of('book')?.message).toMatch(/book\.daybook, [\d.]+ KB, 1 record, schema \d+/)
    expect(found.of('held by')).toMatchObject({ state: 'ok', message: 'nobody' })
    expect(found.of('permissions')).toMatchObject({ state: 'ok' })
    expect(found.of('disk')?.message).toMatch(/free/)
    expect(await everything()).toEqual(before)
  })

  it('finds the process that holds it, and what one leaves that was killed', async () => {
    const holder = await startProcess(book())
    const found = await doctor()
    expect(found.of('held by')).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('listens at') as string,
    })
    expect(found.of('book')).toMatchObject({ state: 'ok' })
    await holder.kill()
    expect((await doctor()).of('held by')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('killed') as string,
    })
  })

  it('finds no fault in a small book whose process was killed, and changes nothing', async () => {
    const own = ['--agent', 'killed']
    const path = join(home, 'agents/killed/memory/book.daybook')
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const holder = await startProcess(path)
    await holder.kill()
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0)
    const before = await everything()
    const found = await doctor(own)
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(found.of('book')).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/book\.daybook, 4\.1 KB, and a log of [\d.]+ KB/) as string,
    })
    expect(await everything()).toEqual(before)
    await truncate(`${path}-wal`)
    expect((await doctor(own)).of('book')).toMatchObject({ state: 'fault' })
  })

  it('finds files that others may read, and one that is no book, each with what to do, and ends with 1', async () => {
    await chmod(book(), 0o644)
    const open = await doctor()
    expect(open).toMatchObject({ code: 1, stderr: 'One fault.\n' })
    expect(open.of('permissions')).toMatchObject({ state: 'fault', remedy: `Run \`chmod go= ${book()}\`.` })
    await chmod(book(), 0o600)
    const kept = await readFile(book())
    await rm(`${book()}-wal`, { force: true })
    await writeFile(book(), 'no database at all')
    expect((await doctor()).of('book')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('Keep the file') as string,
    })
    await writeFile(book(), kept)
    expect((await doctor()).of('book')).toMatchObject({ state: 'ok' })
  })

  it('says what opening a damaged file does, and then what the repair lost', async () => {
    const own = ['--agent', 'damaged']
    const path = join(home, 'agents/damaged/memory/book.daybook')
    const fact = JSON.stringify({ schema: 'note', data: { text: 'x' } })
    await ended(startDaybook(['store', 'fact', fact, ...own, '--home', home]))
    await rm(`${path}.checkpoint`, { force: true })
    const whole = await readFile(path)
    await writeFile(path, Buffer.alloc(20_000, 'jpeg'))
    expect((await doctor(own)).of('book')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('cannot be repaired') as string,
    })
    await writeFile(path, whole.subarray(0, 4096))
    const before = await everything()
    expect((await doctor(own)).of('book')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('it is repaired') as string,
    })
    expect(await everything()).toEqual(before)
    await ended(startDaybook(['stats', ...own, '--home', home]))
    expect((await doctor(own)).of('book')).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/mended: .*not all of book, records could be read.*damaged-/) as string,
    })
  })

  it('says what opening does where the file of a book is missing, or is a folder', async () => {
    const own = ['--agent', 'lost']
    const path = join(home, 'agents/lost/memory/book.daybook')
    const fact = JSON.stringify({ schema: 'note', data: { text: 'x' } })
    await ended(startDaybook(['store', 'fact', fact, ...own, '--home', home]))
    await rename(path, `${path}-away`)
    const without = await doctor(own)
    expect(without.code).toBe(1)
    expect(without.of('book')).toMatchObject({
      state: 'fault',
      message: expect.stringContaining('other files of the book') as string,
      remedy: expect.stringContaining('starts an empty book') as string,
    })
    await writeFile(`${path}.checkpoint`, 'a copy', { mode: 0o600 })
    expect((await doctor(own)).of('book')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('come back from the checkpoint') as string,
    })
    await mkdir(path, { mode: 0o700 })
    const stranger = await doctor(own)
    expect([stranger.code, stranger.stderr]).toEqual([1, 'One fault.\n'])
    expect(stranger.of('book')).toMatchObject({
      state: 'fault',
      message: `${path} is a folder and not a book`,
      remedy: expect.stringContaining('Opening refuses it.') as string,
    })
  })

  it.runIf(process.platform === 'linux')('finds a file that this user may not write', async (context) => {
    const own = ['--agent', 'fixed']
    const path = join(home, 'agents/fixed/memory/book.daybook')
    const fact = JSON.stringify({ schema: 'note', data: { text: 'x' } })
    await ended(startDaybook(['store', 'fact', fact, ...own, '--home', home]))
    // Only an administrator may do this, on some file systems.
    if (spawnSync('chattr', ['+i', path]).status !== 0) return context.skip()
    try {
      expect((await doctor(own)).of('book')).toMatchObject({
        state: 'fault',
        message: expect.stringContaining(`${path} can't be written (EPERM)`) as string,
      })
      const { code, stderr } = await ended(startDaybook(['stats', ...own, '--home', home]))
      expect(code).not.toBe(0)
      expect(stderr).toContain(`${path} can't be opened (disk I/O error)`)
    } finally {
      spawnSync('chattr', ['-i', path])
    }
    expect((await doctor(own)).of('book')).toMatchObject({ state: 'ok' })
  })

  it('finds a broken index, which the count of the records does not read', async () => {
    const own = ['--agent', 'broken']
    const path = join(home, 'agents/broken/memory/book.daybook')
    const fact = JSON.stringify({ schema: 'note', data: { text: 'x' } })
    await ended(startDaybook(['store', 'fact', fact, ...own, '--home', home]))
    await rm(`${path}.checkpoint`, { force: true })
    const bytes = await readFile(path)
    {
      using db = new DatabaseSync(path, { readOnly: true })
      const sql = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_records_1'"
      const root = Number(db.prepare(sql).get()?.['rootpage'])
      bytes.fill(0, 4096 * (root - 1), 4096 * root)
    }
    for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true })
    await writeFile(path, bytes)
    const before = await everything()
    const found = await doctor(own)
    expect(found.code).toBe(1)
    expect(found.of('book')).toMatchObject({
      state: 'fault',
      message: expect.stringMatching(/1 record, .*a part of it is damaged/) as string,
      remedy: expect.stringContaining('it is repaired') as string,
    })
    expect(await everything()).toEqual(before)
    const { code } = await ended(startDaybook(['stats', ...own, '--home', home]))
    expect(code).toBe(0)
    expect((await doctor(own)).of('book')).toMatchObject({
      state: 'warning',
      message: expect.stringContaining('nothing was lost') as string,
    })
  })

  it('asks an edge and an embedder whether they answer, and tells no key', async () => {
    const secret = 'dbk1.very-secret-key'
    await using edge = await listen((path, headers) =>
      path === '/health' && 'authorization' in headers && headers.authorization === `Bearer ${secret}`
        ? [200, { ok: true, wire: 1, book: {} }]
        : [401, { code: 'unauthorized' }],
    )
    const asked = ['--url', urlOf(edge), '--book', 'mine']
    const found = await doctor(asked, { DAYBOOK_KEY: secret, DAYBOOK_EMBED_URL: `${urlOf(edge)}/embed` })
    expect(found.of('edge')).toMatchObject({
      state: 'ok',
      message: expect.stringContaining('the book mine with it') as string,
    })
    expect(found.of('embedder')).toMatchObject({ state: 'ok' })
    expect(found.stdout).not.toContain(secret)
    const refused = await doctor(asked, { DAYBOOK_KEY: 'another' })
    expect(refused.of('edge')).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('$DAYBOOK_KEY') as string,
    })
    const received: object[] = []
    await using other = await listen((_path, headers) => (received.push(headers), [200, { wire: 1 }]))
    await using moved = await listen((path) => [307, {}, `${urlOf(other)}${path}`])
    const redirected = await doctor(['--url', urlOf(moved)], { DAYBOOK_KEY: secret })
    expect(redirected.of('edge')).toMatchObject({
      state: 'fault',
      message: `${urlOf(moved)} redirects to another address.`,
    })
    expect(received).toEqual([])
    const gone = await listen(() => [200, {}])
    const nobody = urlOf(gone)
    await gone[Symbol.asyncDispose]()
    const none = await doctor(['--url', nobody])
    expect(none.of('edge')).toMatchObject({
      state: 'fault',
      message: expect.stringContaining('ECONNREFUSED') as string,
    })
    const clear = 'http://daybook.invalid'
    const away = await doctor(['--url', clear], { DAYBOOK_KEY: secret })
    expect(away.of('edge')).toMatchObject({
      state: 'fault',
      message: expect.stringContaining('No request was sent') as string,
      remedy: expect.stringContaining('https') as string,
    })
    // Without a key nothing is sent that somebody on the network could use.
    expect((await doctor(['--url', clear])).of('edge')?.message).toContain('ENOTFOUND')
    const kafka = { DAYBOOK_KAFKA_PASSWORD: secret, DAYBOOK_KAFKA_USER: 'me' }
    const settings = await doctor([], kafka)
    expect(settings.of('kafka')).toMatchObject({
      state: 'warning',
      message: 'set: $DAYBOOK_KAFKA_PASSWORD, $DAYBOOK_KAFKA_USER',
    })
    expect(settings.stdout).not.toContain(secret)
  })
})
