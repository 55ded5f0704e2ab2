// A book created with a passphrase whose keys a key of the device guards later, and back. At each step one of the two opens
// the keys; a missing key of the device is never replaced.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import promises from 'node:fs/promises'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { failure } from '../../../contract/book-case.ts'
import { killAll, startProcess } from './socket/process.ts'

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'daybook-vault-guard-'))
const opened: Daybook[] = []
const children: ChildProcess[] = []
afterEach(async () => {
  for (const book of opened.splice(0)) await book.close()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await killAll()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let serial = 0
const newPath = () => join(folder, `${++serial}`, 'shared.daybook')
const passphrase = 'correct horse battery'
const secret = { id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' } as const

async function open(path: string, options: object = {}): Promise<Daybook> {
  const book = await openDaybook({ name: 'shared', path, ...options })
  opened.push(book)
  return book
}

/** A book with a sealed record, whose keys a passphrase guards from the start. */
async function newGuarded(path = newPath()): Promise<Daybook> {
  const book = await open(path, { passphrase })
  await book.perceptions.store(secret)
  return book
}

const content = async (book: Daybook) => (await book.records.get({ id: 'shut' }))?.['content']
const isOwner = async (book: Daybook) => (await book.status()).owner

it('opens without a passphrase after the passphrase was removed', async () => {
  const path = newPath()
  const first = await newGuarded(path)
  expect(existsSync(`${path}.vault-key`)).toBe(false)
  expect(await first.seal.guard({})).toMatchObject({ state: 'open', guard: 'device' })
  await first.close()
  const book = await open(path)
  expect([await content(book), (await book.seal.status()).guard]).toEqual([secret.content, 'device'])
  await book.close()
  expect(await failure(open(path, { passphrase }))).toMatchObject({ code: 'conflict' })
})

it('changes its guard back and forth', async () => {
  const path = newPath()
  await (await newGuarded(path)).close()
  let key: Buffer | undefined
  for (const own of [passphrase, 'violet otter', 'amber heron']) {
    const book = await open(path, { passphrase: own })
    await book.seal.guard({})
    key ??= readFileSync(`${path}.vault-key`)
    expect(readFileSync(`${path}.vault-key`)).toEqual(key)
    await book.close()
    const next = await open(path)
    expect(await content(next)).toBe(secret.content)
    await next.seal.guard({ passphrase: own === passphrase ? 'violet otter' : 'amber heron' })
    await next.close()
    const locked = await open(path)
    expect((await locked.seal.status()).state).toBe('locked')
    await locked.close()
  }
})

it('does not replace a missing key of the device', async () => {
  const path = newPath()
  const first = await newGuarded(path)
  await first.seal.guard({})
  await first.close()
  const [vault, key] = [readFileSync(`${path}.vault`), readFileSync(`${path}.vault-key`)]
  rmSync(`${path}.vault-key`)
  const refused = { code: 'storage-failed', retry: false, details: { path: `${path}.vault-key` } }
  const book = await open(path)
  for (const call of [
    () => book.records.get({ id: 'shut' }),
    () => book.seal.guard({}),
    () => book.seal.guard({ passphrase }),
    () => book.seal.unlock({ passphrase }),
    () => book.seal.rotate(),
  ])
    expect(await failure(call())).toMatchObject(refused)
  expect([existsSync(`${path}.vault-key`), readFileSync(`${path}.vault`)]).toEqual([false, vault])
  writeFileSync(`${path}.vault-key`, key, { mode: 0o600 })
  expect(await content(book)).toBe(secret.content)
})

it('refuses to change its guard beside a key that is lost while the book is open', async () => {
  const path = newPath()
  const book = await newGuarded(path)
  await book.seal.guard({})
  rmSync(`${path}.vault-key`)
  expect((await failure(book.seal.guard({}))).code).toBe('storage-failed')
  expect(existsSync(`${path}.vault-key`)).toBe(false)
  // A passphrase needs no key of the device, and then nothing needs the lost one.
  await book.seal.guard({ passphrase })
  await book.seal.guard({})
  await book.close()
  expect(await content(await open(path))).toBe(secret.content)
})

it('leaves a key file that is not whole, and says that it is not needed', async () => {
  const path = newPath()
  const book = await newGuarded(path)
  writeFileSync(`${path}.vault-key`, 'short', { mode: 0o600 })
  const error = await failure(book.seal.guard({}))
  expect(error).toMatchObject({ code: 'storage-failed', details: { path: `${path}.vault-key` } })
  expect(error.message).toContain('A passphrase guards the keys: delete this file')
  expect(await content(book)).toBe(secret.content)
  rmSync(`${path}.vault-key`)
  expect(await book.seal.guard({})).toMatchObject({ guard: 'device' })
})

it.runIf(process.platform !== 'win32' && process.geteuid?.() !== 0)(
  'keeps its passphrase if the key of the device cannot be written',
  async () => {
    const path = newPath()
    const book = await newGuarded(path)
    chmodSync(join(path, '..'), 0o500)
    expect((await failure(book.seal.guard({}))).code).toBe('storage-failed')
    chmodSync(join(path, '..'), 0o700)
    expect(await book.seal.status()).toMatchObject({ state: 'open', guard: 'passphrase' })
    await book.close()
    expect(await content(await open(path, { passphrase }))).toBe(secret.content)
  },
)

type Step = (...given: unknown[]) => Promise<unknown>

/** The folders to which the key files of `path` were copied before each step of `work` with them: a kill leaves them so. */
async function copiesOf(path: string, work: () => Promise<unknown>): Promise<string[]> {
  const calls = promises as unknown as Record<string, Step>
  const names = ['open', 'rename', 'link', 'unlink']
  const former = names.map((name) => [name, calls[name] ?? expect.unreachable()] as const)
  const copies: string[] = []
  for (const [name, run] of former)
    calls[name] = (...given) => {
      if (given.some((one) => String(one).includes('.vault'))) {
        const copy = dirname(newPath())
        mkdirSync(copy)
        for (const file of keyFiles(path)) cpSync(join(dirname(path), file), join(copy, file))
        copies.push(copy)
      }
      return run(...given)
    }
  syncBuiltinESMExports()
  try {
    await work()
    return copies
  } finally {
    Object.assign(calls, Object.fromEntries(former))
    syncBuiltinESMExports()
  }
}

const keyFiles = (path: string) => readdirSync(dirname(path)).filter((name) => name.includes('.vault'))

const own = { passphrase }
const changes = [
  { change: 'removed', from: own, to: {}, former: 'passphrase', next: 'device', steps: 5 },
  { change: 'set', from: {}, to: own, former: 'device', next: 'passphrase', steps: 2 },
]

it.each(changes)(
  'opens with the former guard after a kill at each step of a change (passphrase $change)',
  async ({ from, to, former, next, steps }) => {
    const path = newPath()
    const first = await newGuarded(path)
    if (former === 'device') await first.seal.guard({})
    await first.close()
    const changed = await open(path, from)
    await changed.seal.status()
    const copies = await copiesOf(path, () => changed.seal.guard(to))
    await changed.close()
    expect(copies).toHaveLength(steps)
    for (const copy of copies) {
      const at = join(copy, 'shared.daybook')
      cpSync(path, at)
      const book = await open(at, from)
      expect([await content(book), (await book.seal.status()).guard]).toEqual([secret.content, former])
      await book.seal.guard(to)
      await book.close()
      const last = await open(at, to)
      expect([await content(last), (await last.seal.status()).guard]).toEqual([secret.content, next])
      await last.close()
      // No copy of a key is left.
      expect(keyFiles(at)).toEqual(['shared.daybook.vault', 'shared.daybook.vault-key'])
    }
  },
)

it('is open for all processes that share it, whichever removes the passphrase and becomes the owner', async () => {
  const path = newPath()
  const owner = await startProcess(path, { passphrase })
  await owner.run(`return book.perceptions.store(${JSON.stringify(secret)})`)
  const [second, third] = [await open(path, { passphrase }), await open(path, { passphrase })]
  await second.seal.guard({})
  // One of another process joins without a passphrase from now on.
  const fourth = await open(path)
  await owner.kill()
  const books = [second, third, fourth]
  for (const book of books)
    expect([await content(book), (await book.seal.status()).guard]).toEqual([secret.content, 'device'])
  for (const book of books) if (await isOwner(book)) await book.seal.guard({ passphrase: 'violet otter' })
  await second.seal.guard({})
  for (const book of books) await book.close()
  expect(await content(await open(path))).toBe(secret.content)
})

it('has one key of the device, however many processes make it at the same time', async () => {
  const path = newPath()
  const book = await newGuarded(path)
  await book.close()
  const module = new URL('../../../../src/hosts/node/key/vault-file.ts', import.meta.url).href
  const startMs = Date.now() + 1500
  const source = `
    import { openNodeVault } from ${JSON.stringify(module)}
    while (Date.now() < ${startMs});
    const key = await openNodeVault(${JSON.stringify(path)}).deviceKey()
    const sealed = await key.seal(new Uint8Array(12), 'x', 'same')
    process.stdout.write(Buffer.from(sealed).toString('base64'))`
  const seals = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', source], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
      await once(child, 'close')
      return text
    }),
  )
  const key = await openNodeVault(path).deviceKey()
  const wanted = Buffer.from(await key.seal(new Uint8Array(12), 'x', 'same')).toString('base64')
  expect(new Set(seals)).toEqual(new Set([wanted]))
})

it.each(['the book', 'the keys'])('works behind a link (%s)', async (what) => {
  const path = newPath()
  await (await newGuarded(path)).close()
  const other = join(folder, `${++serial}`)
  mkdirSync(other)
  const link = join(other, 'shared.daybook')
  if (what === 'the book') symlinkSync(path, link)
  else {
    writeFileSync(`${link}.vault`, readFileSync(`${path}.vault`), { mode: 0o600 })
    rmSync(`${path}.vault`)
    symlinkSync(`${link}.vault`, `${path}.vault`)
  }
  const used = what === 'the book' ? link : path
  const book = await open(used, { passphrase })
  await book.seal.guard({})
  await book.close()
  for (const at of new Set([used, path])) {
    const next = await open(at)
    expect([await content(next), (await next.seal.status()).guard]).toEqual([secret.content, 'device'])
    await next.close()
  }
  expect(existsSync(`${path}.vault-key`)).toBe(true)
  // A new key is beside the book, not beside the link.
  expect(keyFiles(link)).toEqual(what === 'the book' ? [] : ['shared.daybook.vault'])
})
