// The end of a book on the device it is on, as every device's host must bring it about.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function eraseCases({ book: open, reopen }: BookCase): void {
  it('asks for the name of the book: without it, or with another, nothing is changed', async () => {
    const book = await open()
    const { name } = await book.status()
    const { id } = await book.traces.store(makeTrace())
    for (const input of [
      {},
      { confirm: '' },
      { confirm: `${name}x` },
      { confirm: ` ${name}` },
      { confirm: 7 },
    ]) {
      const refused = await failure(book.erase(input as { confirm: string }))
      expect([input, refused.code, refused.details['path']]).toEqual([input, 'invalid-input', 'confirm'])
    }
    const refused = await failure(book.erase({ confirm: name, mirror: true }))
    expect(refused.code).toBe('sync-off')
    expect((await failure(book.startOver({ confirm: name }))).code).toBe('sync-off')
    expect((await failure(book.startOver({ confirm: 'x' }))).details).toEqual({ path: 'confirm' })
    expect(await book.records.get({ id })).toMatchObject({ id })
  })

  it('is the owner’s alone, whatever a token permits', async () => {
    const book = await open()
    const { name } = await book.status()
    const expires_at = '2099-01-01'
    const permissions = ['read', 'write', 'forget', 'export', 'sync', 'daybook:**', '**']
    const { token } = await book.tokens.grant({ scope: '**', permissions, granted_to: 'x', expires_at })
    const refused = await failure(book.erase({ confirm: name }, { as: token.token_id }))
    expect(refused.code).toBe('forbidden')
    expect((await failure(book.startOver({ confirm: name }, { as: token.token_id }))).code).toBe('forbidden')
    expect((await book.tokens.list()).tokens).toHaveLength(1)
  })

  it('leaves nothing: who calls after it is told so, and the next opening begins an empty book', async () => {
    const book = await open()
    const { name } = await book.status()
    await book.traces.store(makeTrace())
    expect(await book.erase({ confirm: name })).toEqual({ erased: true, name, mirror: false })
    expect(['book-closed', 'book-erased']).toContain((await failure(book.traces.count())).code)
    const again = await reopen(book)
    expect((await again.traces.count()).total).toBe(0)
    expect((await again.status()).degraded.filter((text) => text.startsWith('evicted'))).toEqual([])
    const { id } = await again.traces.store(makeTrace())
    expect(await again.records.get({ id })).toMatchObject({ id })
  })
}
