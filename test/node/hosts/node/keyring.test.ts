// The keyring in Node: its law, and the file of the key.
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { keyringCases } from '../../../contract/port/keyring-case.ts'
import { keyringContract } from '../../../contract/port/keyring.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const newFile = () => join(folder, `${randomUUID()}.key`)

keyringContract('Node, keys in files', async (index) =>
  keyringCases[index]?.run((book) => openNodeKeyring(join(folder, `${index}-${book}.key`))),
)

describe('the key file', () => {
  it('is made when it is first needed, readable by its owner alone, and nothing else is left behind', async () => {
    const path = newFile()
    const keys = openNodeKeyring(path)
    expect(existsSync(path)).toBe(false)
    await keys.signer()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(readdirSync(folder).filter((name) => path.endsWith(name.slice(0, 40)))).toHaveLength(1)
  })

  it.each([
    ['others may read', (path: string) => chmodSync(path, 0o640), /mode 640.*chmod 600/],
    ['holds something else', (path: string) => writeFileSync(path, 'not a key'), /has no key/],
    ['was cut', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 60)), /has no key/],
  ])('is refused when it %s, and left as it is', async (_name, spoil, message) => {
    const path = newFile()
    await openNodeKeyring(path).signer()
    spoil(path)
    const before = readFileSync(path, 'utf8')
    const refused = openNodeKeyring(path).signer()
    await expect(refused).rejects.toMatchObject({ code: 'storage-failed', details: { path } })
    await expect(refused).rejects.toThrow(message)
    expect(readFileSync(path, 'utf8')).toBe(before)
  })

  it('can be tried again after a failure', async () => {
    const path = newFile()
    await openNodeKeyring(path).signer()
    chmodSync(path, 0o644)
    const keys = openNodeKeyring(path)
    await expect(keys.signer()).rejects.toThrow(/chmod/)
    chmodSync(path, 0o600)
    expect(await keys.signer()).toBeDefined()
  })

  it('is not made for a book that never signs', async () => {
    const path = join(folder, 'silent.daybook')
    await using book = await openDaybook({ name: 'silent', path })
    await book.status()
    expect(existsSync(`${path}.key`)).toBe(false)
  })
})
