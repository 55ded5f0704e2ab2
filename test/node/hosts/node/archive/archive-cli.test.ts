// `daybook archive` as a process: what it puts where, what it says, what is left when it is killed, and the way back.
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ended, startDaybook } from '../command-line.ts'
import { killAll, startProcess } from '../socket/process.ts'
import { isPart } from './failing-place.ts'
import { startFailingS3 } from '../../../../support/server/failing-s3.ts'
import { startLocalS3 } from '../../../../support/server/local-s3.ts'

const filler = fileURLToPath(new URL('../../../store/record/fill-book.ts', import.meta.url))
const s3 = await startLocalS3(6)
const proxy = await startFailingS3(s3.env.AWS_ENDPOINT_URL)
const bucket = s3.bucket()
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-archive-'))
  await fill('small', 20, 100)
  // Three parts.
  await fill('large', 50, 400_000)
})
afterEach(async () => {
  await killAll()
  proxy.plan(() => undefined)
})
afterAll(async () => {
  await proxy.close()
  await s3.dispose()
  await rm(folder, { recursive: true, force: true })
})

const at = (name: string) => join(folder, name)
const memoryOf = (home: string) => join(at(home), 'agents/agent/memory')
const env = {
  PATH: process.env['PATH'],
  ...s3.env,
  AWS_ENDPOINT_URL: proxy.url,
  DAYBOOK_ARCHIVE: `s3://${bucket}/all`,
}

async function fill(home: string, count: number, length: number): Promise<void> {
  const path = join(memoryOf(home), 'book.daybook')
  const child = spawn(process.execPath, [filler, path, String(count), String(length)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(await ended(child)).toMatchObject({ code: 0, stderr: '' })
}

const start = (home: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  startDaybook([...args, '--home', at(home)], { env: { ...env, ...more } })
const run = (home: string, args: readonly string[], more?: NodeJS.ProcessEnv) =>
  ended(start(home, args, more))
async function answer<Value>(
  home: string,
  args: readonly string[],
  more?: NodeJS.ProcessEnv,
): Promise<Value> {
  const { code, stdout, stderr } = await run(home, [...args, '--json'], more)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Value
}
interface Put {
  readonly key: string
  readonly bytes: number
  readonly checksum: string
  readonly records: number
  readonly removed: number
}
const inBucket = () => ({ DAYBOOK_ARCHIVE: `s3://${s3.bucket()}` })
/** The third part is under way. */
const reachesPart = () =>
  new Promise<void>((resolve) => {
    proxy.plan((one) => {
      if (isPart(one) && one.url.includes('partNumber=3')) resolve()
      return undefined
    })
  })
const notesOf = async (home: string) =>
  (await readdir(memoryOf(home))).filter((name) => name.includes('.upload-'))
/** What a bundle says, but for when it was written. */
const said = (text: string) => {
  const { memory, schemas_used, statistics, agent } = JSON.parse(text)
  return { memory, schemas_used, statistics, agent }
}

describe('daybook archive', { timeout: 170_000 }, () => {
  it('puts a memory away, lists it, verifies it, and brings it back byte for byte', async () => {
    const put = await answer<Put>('small', ['archive', 'put'])
    expect(put).toMatchObject({ records: 20, removed: 0, checksum: expect.stringMatching(/^sha256:/) })
    expect(put.key).toMatch(/^all\/agent\/2.*-[0-9a-f]{8}\.kstar$/)
    const listed = await answer('small', ['archive', 'list'])
    expect(listed).toMatchObject({ total: 1, archives: [{ key: put.key, bytes: put.bytes }] })
    const words = await run('small', ['archive', 'list'])
    const [address = ''] = words.stdout.split(' ')
    expect(address).toBe(`s3://${bucket}/${put.key}`)
    for (const archive of [put.key, address])
      expect(await answer('small', ['archive', 'verify', archive])).toMatchObject({ checksum: put.checksum })
    expect(await answer('back', ['import-memory', '--from', address])).toMatchObject({ imported: 20 })
    const texts = await Promise.all(
      ['small', 'back'].map(async (home) => {
        const file = at(`${home}.kstar`)
        expect((await run(home, ['export-memory', '--output', file])).code).toBe(0)
        return readFile(file, 'utf8')
      }),
    )
    expect(said(texts[1] ?? '')).toEqual(said(texts[0] ?? ''))
  })

  it('encrypts with a passphrase from a file, and says when it is another', async () => {
    await writeFile(at('right'), 'correct horse battery\n')
    await writeFile(at('wrong'), 'another horse battery\n')
    const here = inBucket()
    const { key } = await answer<Put>('small', ['archive', 'put', '--passphrase-file', at('right')], here)
    expect(key).toMatch(/^agent\//)
    const verify = ['archive', 'verify', key, '--passphrase-file']
    expect((await run('small', [...verify, at('wrong')], here)).code).toBe(3)
    expect((await run('small', [...verify, at('right')], here)).code).toBe(0)
  })

  it('makes two archives of two processes at once, and keeps as many as it is told to', async () => {
    const here = inBucket()
    const puts = await Promise.all([0, 1].map(() => answer<Put>('small', ['archive', 'put'], here)))
    expect(new Set(puts.map(({ key }) => key)).size).toBe(2)
    expect(await answer('small', ['archive', 'list'], here)).toMatchObject({ total: 2 })
    expect(await answer('small', ['archive', 'put', '--keep', '1'], here)).toMatchObject({ removed: 2 })
    expect(await answer('small', ['archive', 'list'], here)).toMatchObject({ total: 1 })
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'starts its archive again when the process that owned the book ends by %s',
    async (signal) => {
      const owner = await startProcess(join(memoryOf('large'), 'book.daybook'))
      // The owner ends while the archive of another process uploads its first part.
      const here = inBucket()
      const gone = once(owner.child, 'exit')
      proxy.plan((one) => {
        if (isPart(one) && one.url.includes('partNumber=1') && owner.child.exitCode === null)
          owner.child.kill(signal)
        return undefined
      })
      const put = await answer<Put>('large', ['archive', 'put'], here)
      await gone
      expect(put.records).toBe(50)
      expect(await answer('large', ['archive', 'list'], here)).toMatchObject({ total: 1 })
      expect(await answer('large', ['archive', 'verify', put.key], here)).toMatchObject({
        checksum: put.checksum,
      })
    },
  )

  it('killed in the middle of a part leaves nothing to be seen, and what it uploaded is given up by the next', async () => {
    const here = inBucket()
    const reached = reachesPart()
    const child = start('large', ['archive', 'put'], here)
    await reached
    child.kill('SIGKILL')
    await once(child, 'close')
    proxy.plan(() => undefined)
    expect(await answer('large', ['archive', 'list'], here)).toEqual({ archives: [], total: 0 })
    expect(await notesOf('large')).toHaveLength(1)
    await answer('large', ['archive', 'put'], here)
    const givenUp = proxy.asked.filter(({ method, url }) => method === 'DELETE' && url.includes('uploadId='))
    expect([givenUp.length, await notesOf('large')]).toEqual([1, []])
    expect(await answer('large', ['archive', 'list'], here)).toMatchObject({ total: 1 })
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'gives its upload up on %s, and says that it was interrupted',
    async (signal) => {
      const reached = reachesPart()
      const child = start('large', ['archive', 'put'])
      const end = ended(child)
      await reached
      child.kill(signal)
      expect(await end).toMatchObject({ code: 130, stdout: '' })
      expect(
        proxy.asked.filter(({ method, url }) => method === 'DELETE' && url.includes('uploadId=')),
      ).toHaveLength(1)
      expect(await notesOf('large')).toEqual([])
    },
  )

  it.each([
    ['another secret', { AWS_SECRET_ACCESS_KEY: 'hidden-and-wrong' }, ['put'], 1, 'archive-denied'],
    ['no place', { DAYBOOK_ARCHIVE: '' }, ['list'], 1, 'archive-off'],
    ['nobody there', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, ['put'], 1, 'offline'],
    ['no address', { DAYBOOK_ARCHIVE: 'bucket' }, ['put'], 2, 'target'],
    ['an option of another', {}, ['list', '--keep', '3'], 2, '--keep'],
    ['parts that are to be kept', {}, ['put', '--keep', '3', '--types', 'traces'], 2, '--keep'],
  ])('says what is wrong: %s', async (...[, more, args, code, text]) => {
    const said1 = await run('small', ['archive', ...args], more)
    expect([said1.code, said1.stdout]).toEqual([code, ''])
    expect(said1.stderr).toContain(text)
    for (const secret of ['hidden-and-wrong', s3.env.AWS_SECRET_ACCESS_KEY, s3.env.AWS_ACCESS_KEY_ID])
      expect(said1.stderr).not.toContain(secret)
  })
})
