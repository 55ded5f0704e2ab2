// Access keys as verbs of a book, on every host: shown once, kept as a hash, revoked for good, nobody's but the owner's.
import { expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

export function accessKeyCases({ book: open, reopen }: BookCase): void {
  it('makes access keys, lists them without the secret, and ends them for good', async () => {
    const book = await open()
    const { id, key } = await book.accessKeys.create({ name: 'laptop', owner: true })
    expect(key).toMatch(/^dbk1\.[\w-]{16}\.[\w-]{43}$/)
    const { key: other } = await book.accessKeys.create({ name: 'dashboard', permissions: ['read'] })
    expect(other).not.toBe(key)
    const again = await reopen(book)
    const { keys } = await again.accessKeys.list()
    expect(keys.map(({ name, state }) => [name, state]).sort()).toEqual([
      ['dashboard', 'active'],
      ['laptop', 'active'],
    ])
    expect(keys.find(({ name }) => name === 'dashboard')).toMatchObject({
      holder: 'dashboard',
      owner: false,
      permissions: ['read'],
      scope: '**',
      revoked: false,
    })
    const secret = key.split('.')[2] ?? ''
    expect(JSON.stringify([keys, await again.records.query({})])).not.toContain(secret)
    const { revoked_at } = await again.accessKeys.revoke({ id })
    expect(await again.accessKeys.revoke({ id })).toEqual({ revoked: true, revoked_at })
    expect((await again.accessKeys.list()).keys.find((one) => one.id === id)).toMatchObject({
      state: 'revoked',
    })
    expect(await again.accessKeys.revoke({ id: 'access_key::AAAAAAAAAAAAAAAA' })).toEqual({ revoked: false })
    const wrong = await failure(
      again.accessKeys.create({ name: 'x', permissions: ['sync'], push: ['token'] }),
    )
    expect(wrong).toMatchObject({ code: 'invalid-input', details: { path: 'push.0' } })
  })
}
