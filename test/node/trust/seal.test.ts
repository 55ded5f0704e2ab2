// Sensitive records at rest: what the files of a book hold of them, and what a book does with and without their keys.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../contract/book-case.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-seal-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** How often `word` stands in all files of the book, its keys included, in UTF-8. */
function countInFiles(name: string, word: string): number {
  const bytes = readdirSync(folder)
    .filter((file) => file.startsWith(name))
    .map((file) => readFileSync(join(folder, file)))
  return bytes.reduce((sum, one) => sum + one.toString('latin1').toLowerCase().split(word).length - 1, 0)
}

const pathOf = (name: string) => join(folder, `${name}.daybook`)
const open = (name: string, more: object = {}) =>
  openDaybook({ name, agent: 'test', path: pathOf(name), ...more })
const secret = {
  content: 'Zanzibar is where the money is',
  subject: 'quagga',
  sensitivity: 'sensitive',
} as const

describe('the files of a book', () => {
  test('hold nothing of a sensitive record, of its versions, answers or words', async () => {
    const book = await open('rest')
    for (let i = 0; i < 50; i++) await book.perceptions.store({ content: `Something else, number ${i}` })
    const { id } = await book.perceptions.store(secret, { requestId: 'one' })
    expect((await book.recall({ text: 'zanzibar money' })).hits[0]?.record.id).toBe(id)
    await book.perceptions.update(
      { id, updates: { content: 'Zanzibar, but elsewhere' } },
      { requestId: 'two' },
    )
    expect((await book.records.get({ id }))?.['content']).toBe('Zanzibar, but elsewhere')
    expect((await book.records.history({ id })).versions.map(({ body }) => body?.['content'])).toEqual([
      secret.content,
      'Zanzibar, but elsewhere',
    ])
    expect((await book.perceptions.query({ filters: { subject: 'quagga' } })).records).toHaveLength(1)
    expect(countInFiles('rest', 'zanzibar') + countInFiles('rest', 'quagga')).toBe(0)
    await book.records.forget({ id })
    expect((await book.recall({ text: 'zanzibar' })).hits).toEqual([])
    await book.close()
    expect(countInFiles('rest', 'zanzibar') + countInFiles('rest', 'quagga')).toBe(0)
    expect(countInFiles('rest', 'something else, number')).toBeGreaterThan(0)
    for (const file of ['vault', 'vault-key'])
      expect(statSync(`${pathOf('rest')}.${file}`).mode & 0o777).toBe(0o600)
  })

  test('hold nothing of a record that became sensitive later', async () => {
    const book = await open('later')
    const { id } = await book.perceptions.store({ content: 'Zanzibar in clear' }, { requestId: 'one' })
    await book.perceptions.update({ id, updates: { content: 'Zanzibar again' } })
    await book.recall({ text: 'zanzibar' })
    expect(countInFiles('later', 'zanzibar')).toBeGreaterThan(0)
    await book.records.setSensitivity({ id, sensitivity: 'restricted' })
    expect(countInFiles('later', 'zanzibar')).toBe(0)
    expect((await book.records.history({ id })).versions[0]?.body?.['content']).toBe('Zanzibar in clear')
    expect((await book.recall({ text: 'zanzibar' })).hits).toHaveLength(1)
    await book.records.setSensitivity({ id, sensitivity: 'standard' })
    expect(await book.records.get({ id })).not.toHaveProperty('sealed')
    expect((await book.recall({ text: 'zanzibar' })).hits).toHaveLength(1)
    await book.close()
    expect(countInFiles('later', 'zanzibar')).toBeGreaterThan(0)
  })
})

describe('a passphrase', () => {
  test('opens what it guards, and nothing else does', async () => {
    const passphrase = 'correct horse battery'
    const book = await open('pass', { passphrase })
    const { id } = await book.perceptions.store(secret)
    const plain = await book.perceptions.store({ content: 'Nothing special' })
    await book.close()
    expect(
      readdirSync(folder).filter((file) => file.startsWith('pass.') && file.endsWith('vault-key')),
    ).toEqual([])

    const locked = await open('pass')
    const error = await failure(locked.records.get({ id }))
    expect(error.code).toBe('locked')
    expect(error.details).toMatchObject({ reason: 'passphrase', id, kind: 'perception' })
    expect(await locked.records.get({ id: plain.id })).toMatchObject({ content: 'Nothing special' })
    expect((await locked.recall({ text: 'zanzibar nothing' })).hits.map(({ record }) => record.id)).toEqual([
      plain.id,
    ])
    expect((await failure(locked.perceptions.store(secret))).code).toBe('locked')
    expect(await locked.seal.status()).toMatchObject({ state: 'locked', sealed: 1, unreadable: 1 })
    const { records } = await locked.seal.list()
    expect(records).toMatchObject([{ id, kind: 'perception', sensitivity: 'sensitive', locked: true }])
    expect(records[0]).not.toHaveProperty('content')
    expect((await failure(locked.seal.unlock({ passphrase: 'incorrect horse' }))).code).toBe(
      'wrong-passphrase',
    )
    await locked.seal.unlock({ passphrase })
    expect(await locked.records.get({ id })).toMatchObject({ content: secret.content })
    expect((await locked.recall({ text: 'zanzibar' })).hits).toHaveLength(1)
    await locked.seal.lock()
    expect((await failure(locked.records.get({ id }))).code).toBe('locked')
    expect((await locked.recall({ text: 'zanzibar' })).hits).toEqual([])
    // What can't be read can be forgotten.
    await locked.records.forget({ id })
    expect(await locked.records.get({ id })).toBeNull()
    await locked.close()
    expect((await failure(open('pass', { passphrase: 'incorrect horse' }))).code).toBe('wrong-passphrase')
    // The refusal left nothing behind.
    await (await open('pass', { passphrase })).close()
  })
})
