// Exports that are under way have places: one caller's take none of another's, and one that was read gives its place back.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

const ownerPlaces = 16
const guestPlaces = 4

/** More than one page of a bundle. */
async function fill(book: Daybook): Promise<void> {
  const long = 'x'.repeat(4000)
  const traces = Array.from({ length: 90 }, (_, i) =>
    makeTrace({ task: { goal: `${i}`, constraints: [long] }, resource: 'course:CS101' }),
  )
  await book.traces.storeMany({ traces })
}

async function reader(book: Daybook, name: string): Promise<{ as: string }> {
  const { token } = await book.tokens.grant({
    scope: 'course:**',
    permissions: ['read', 'export'],
    granted_to: name,
    expires_at: '2099-01-01T00:00:00Z',
  })
  return { as: token.token_id }
}

/** Begins exports until one is refused; the number that began. */
async function beginAll(book: Daybook, options?: { as: string }): Promise<number> {
  for (let begun = 0; begun < 40; begun += 1) {
    const result = await book.bundles.export({}, options).catch((error: unknown) => error)
    if (!(result instanceof Error)) continue
    expect(result).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 300_000 } })
    return begun
  }
  return Number.POSITIVE_INFINITY
}

export function exportPlaceCases({ book: open }: BookCase): void {
  it('exports that were read to their end keep no place', async () => {
    const book = await open()
    await fill(book)
    for (let i = 0; i < 2 * ownerPlaces; i += 1) {
      const first = await book.bundles.export({})
      const cursor = first.cursor ?? ''
      const last = await book.bundles.export({ cursor })
      expect(last.cursor).toBeUndefined()
      // The last answer can be asked for again: it may have been lost on its way.
      expect(await book.bundles.export({ cursor })).toEqual(last)
    }
    expect(await beginAll(book)).toBe(ownerPlaces)
  })

  it('exports of one page keep no place', async () => {
    const book = await open()
    await book.traces.store(makeTrace())
    for (let i = 0; i < 2 * ownerPlaces; i += 1) expect((await book.bundles.export({})).total).toBe(1)
  })

  it('a guest that begins exports and reads none keeps neither the owner nor another guest from theirs', async () => {
    const book = await open()
    await fill(book)
    const [ann, bob] = [await reader(book, 'ann'), await reader(book, 'bob')]
    expect(await beginAll(book, ann)).toBe(guestPlaces)
    expect(await new Response(await book.export()).text()).toContain('"format":"kstar-bundle"')
    expect(await beginAll(book, bob)).toBe(guestPlaces)
    expect(await beginAll(book)).toBe(ownerPlaces)
  })

  it('a cancelled export gives its place back', async () => {
    const book = await open()
    await fill(book)
    const ann = await reader(book, 'ann')
    for (let i = 0; i < 2 * guestPlaces; i += 1) {
      const { cursor = '' } = await book.bundles.export({}, ann)
      await book.bundles.export({ cursor, cancel: true }, ann)
      expect((await failure(book.bundles.export({ cursor }, ann))).code).toBe('not-found')
    }
  })
}
