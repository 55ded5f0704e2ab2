// What a mirror answers at its door, whichever host keeps its book: who is let in, at whose cost, and to what.
import { expect, it } from 'vitest'
import type { MirrorDoor, Presented } from '../../../src/edge/mirror-door.ts'
import { fromOutcome, type Outcome } from '../../../src/edge/outcome.ts'
import { makeTrace } from '../../support/trace.ts'
import { failure } from './mirror-case.ts'

export interface AnswerMirrorHost {
  /** The door of a book; from one time to the next the host has let go of all that it had of it in memory. */
  door(book: string): Promise<Pick<MirrorDoor, 'admit' | 'call' | 'exchange' | 'ticket'>>
  /** Whether anybody has made this book. */
  isMade(book: string): Promise<boolean>
  /** Leaves nothing in the bucket that `caller` has asked out of. */
  empty(book: string, caller: string): Promise<void>
}

const verbs = ['admit', 'exchange', 'ticket', 'call'] as const
type Verb = (typeof verbs)[number]

/** Shaped like a key, but nobody has made it. */
const madeUp = `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`
/** What no book can have given. */
const malformed = ['nothing of the kind', 'dbk1.a.b', 'dbt1.AAAA', 'dbt2.x']
const stranger = 'stranger'

const syncRequest = JSON.stringify({
  p: 1,
  device: 'd_answer',
  epoch: null,
  ackedMid: 0,
  schema: 1,
  ops: [],
  pull: { cursor: 0, limit: 100, maxBytes: 500_000 },
})

let books = 0
const newBook = () => `answer-${++books}`

export function answerMirrorCases({ door, isMade, empty }: AnswerMirrorHost): void {
  const call = async <Output = unknown>(book: string, id: string, input: object = {}) =>
    (await fromOutcome((await door(book)).call(id, input, {}))) as Output
  const makeKey = (book: string, input: object) =>
    call<{ readonly id: string; readonly key: string }>(book, 'daybook:create_access_key', {
      name: 'key',
      ...input,
    })

  const ask = async (book: string, verb: Verb, presented: Presented): Promise<Outcome<unknown>> => {
    const mirror = await door(book)
    switch (verb) {
      case 'admit':
        return mirror.admit('daybook:sync', presented)
      case 'exchange':
        return mirror.exchange(syncRequest, presented)
      case 'ticket':
        return mirror.ticket('d_answer', presented)
      case 'call':
        return mirror.call('kstar:query_traces', {}, presented)
    }
  }
  /** The code of what comes of each verb; `ok` where that is no error. */
  const codes = async (book: string, presented: Presented) => {
    const found: Partial<Record<Verb, string>> = {}
    for (const verb of verbs) {
      const outcome = await ask(book, verb, presented)
      found[verb] = outcome.ok ? 'ok' : outcome.error.code
    }
    return found
  }
  const all = (code: string) => ({ admit: code, exchange: code, ticket: code, call: code })

  it('answers errors as values, with all of their fields', async () => {
    const mirror = await door(newBook())
    expect(await mirror.exchange('{"p":9}')).toEqual({
      ok: false,
      error: {
        code: 'server-too-old',
        message: expect.any(String) as string,
        retry: false,
        details: { spoken: 9, known: [1] },
      },
    })
    for (const asked of [mirror.admit('kstar:nothing', {}), mirror.call('kstar:nothing', {}, {})])
      expect((await failure(fromOutcome<unknown>(asked))).code).toBe('unknown-capability')
    expect((await failure(fromOutcome(mirror.exchange('nothing')))).code).toBe('invalid-input')
  })

  it('makes a book for its owner, and for whoever brings claims to it', async () => {
    const grant = { id: 'claims', agent: 'robot', scope: '**', permissions: ['sync', 'read'] }
    for (const presented of [{}, { grant }]) {
      const book = newBook()
      expect(await isMade(book)).toBe(false)
      expect(await codes(book, presented)).toEqual(all('ok'))
      expect(await isMade(book)).toBe(true)
    }
  })

  it('makes no book for a stranger, and lets none in to one that there is', async () => {
    const { key } = await makeKey(newBook(), { owner: true })
    const book = newBook()
    for (const bearer of [...malformed, madeUp, key])
      expect([bearer, await codes(book, { bearer })]).toEqual([bearer, all('unauthorized')])
    expect(await isMade(book)).toBe(false)
    await call(book, 'daybook:status')
    for (const bearer of [...malformed, madeUp, key])
      expect([bearer, await codes(book, { bearer })]).toEqual([bearer, all('unauthorized')])
    expect(
      await codes(book, { grant: { id: 'claims', agent: 'a', scope: '', permissions: ['**'] } }),
    ).toEqual(all('unauthorized'))
  })

  it('takes what strangers ask out of one bucket, and nobody else pays for them', async () => {
    const book = newBook()
    const { key } = await makeKey(book, { permissions: ['sync', 'read'] })
    expect(await codes(book, { bearer: madeUp })).toEqual(all('unauthorized'))
    await empty(book, stranger)
    for (const bearer of [madeUp, madeUp.replaceAll('A', 'B')])
      expect(await codes(book, { bearer })).toEqual(all('rate-limited'))
    // What is read without the book costs nothing.
    expect(await codes(book, { bearer: 'dbk1.a.b' })).toEqual(all('unauthorized'))
    expect(await codes(book, { bearer: key })).toEqual(all('ok'))
    expect(await codes(book, {})).toEqual(all('ok'))
  })

  it('takes each request out of the bucket of its caller, whatever it asks', async () => {
    const book = newBook()
    const [greedy, modest] = await Promise.all([
      makeKey(book, { permissions: ['sync', 'read'] }),
      makeKey(book, { permissions: ['sync', 'read'] }),
    ])
    for (const verb of verbs) {
      const { key, id } = await makeKey(book, { permissions: ['sync', 'read'] })
      expect(await ask(book, verb, { bearer: key })).toMatchObject({ ok: true })
      // There is a bucket to empty because that request was paid for.
      await empty(book, id)
      expect(await ask(book, verb, { bearer: key })).toMatchObject({ error: { code: 'rate-limited' } })
    }
    expect(await codes(book, { bearer: greedy.key })).toEqual(all('ok'))
    await empty(book, greedy.id)
    expect(await codes(book, { bearer: greedy.key })).toEqual(all('rate-limited'))
    const details = { retryAfterMs: expect.any(Number) as number }
    expect(await ask(book, 'exchange', { bearer: greedy.key })).toMatchObject({
      ok: false,
      error: { code: 'rate-limited', retry: true, details },
    })
    expect(await codes(book, { bearer: modest.key })).toEqual(all('ok'))
    await empty(book, 'owner')
    expect(await codes(book, {})).toEqual(all('rate-limited'))
    expect(await codes(book, { bearer: modest.key })).toEqual(all('ok'))
  })

  it('charges a caller for what is then forbidden', async () => {
    const book = newBook()
    const { key, id } = await makeKey(book, { permissions: ['read'] })
    expect(await ask(book, 'exchange', { bearer: key })).toMatchObject({ error: { code: 'forbidden' } })
    await empty(book, id)
    expect(await ask(book, 'exchange', { bearer: key })).toMatchObject({ error: { code: 'rate-limited' } })
  })

  it('gives a key no more than it was made for', async () => {
    const book = newBook()
    await call(book, 'kstar:store_trace', makeTrace())
    await call(book, 'kstar:store_trace', makeTrace())
    const reader = await makeKey(book, { permissions: ['read'] })
    expect(await codes(book, { bearer: reader.key })).toEqual({ ...all('forbidden'), call: 'ok' })
    const kindsFor = async (presented: Presented) => {
      const { changes } = JSON.parse(
        await fromOutcome((await door(book)).exchange(syncRequest, presented)),
      ) as {
        readonly changes: readonly { readonly kind: string }[]
      }
      return changes.map(({ kind }) => kind).toSorted()
    }
    const device = await makeKey(book, { permissions: ['sync'], pull: ['trace'] })
    expect(await codes(book, { bearer: device.key })).toEqual({ ...all('ok'), call: 'forbidden' })
    expect(await kindsFor({ bearer: device.key })).toEqual(['trace', 'trace'])
    expect(await kindsFor({})).toEqual(['access_key', 'access_key', 'trace', 'trace'])
    const grant = { id: 'claims', agent: 'robot', scope: '**', permissions: ['sync'], pull: ['pattern'] }
    expect(await kindsFor({ grant })).toEqual([])
  })

  it('lets nobody in any more whose key is revoked', async () => {
    const book = newBook()
    const { id, key } = await makeKey(book, { permissions: ['sync', 'read'] })
    expect(await codes(book, { bearer: key })).toEqual(all('ok'))
    await call(book, 'daybook:revoke_access_key', { id })
    expect(await codes(book, { bearer: key })).toEqual(all('unauthorized'))
  })

  it('gives each ticket once, and says how long it is good', async () => {
    const book = newBook()
    const { key } = await makeKey(book, { permissions: ['sync'] })
    const given = [
      await fromOutcome((await door(book)).ticket('d_a', { bearer: key })),
      await fromOutcome((await door(book)).ticket('d_a', { bearer: key })),
    ]
    for (const one of given)
      expect(one).toEqual({
        ticket: expect.stringMatching(/^[\w-]{43}$/) as string,
        expires_in_ms: 30_000,
      })
    expect(given[0]).not.toEqual(given[1])
  })

  it('does a write once for one `requestId`, whoever of its host answers', async () => {
    const book = newBook()
    const store = async () =>
      fromOutcome((await door(book)).call('kstar:store_trace', makeTrace(), { requestId: 'once' }))
    const first = await store()
    expect(await store()).toEqual(first)
    expect(await call(book, 'daybook:status')).toMatchObject({ records: { trace: 1 } })
  })
}
