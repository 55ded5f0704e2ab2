// What a mirror answers at its door, whichever host keeps its book: who is let in, at whose cost, and to what.
import { expect, it } from 'vitest'
import type { MirrorDoor, Credentials } from '../../../src/edge/mirror-door.ts'
import { fromOutcome, type Outcome } from '../../../src/edge/outcome.ts'
import { makeTrace } from '../../support/trace.ts'
import { failure } from './mirror-case.ts'
import { createOwner } from './signed-token.ts'

export interface AnswerMirrorHost {
  door(book: string): Pick<MirrorDoor, 'admit' | 'call' | 'exchange' | 'ticket'>
  /** From now on doors of this book lead to whoever has nothing of it in memory, or not what was written last. */
  move(book: string): Promise<void>
  /** Whether anybody has made this book. */
  isMade(book: string): Promise<boolean>
  /** Leaves nothing in the buckets of `callers`; fails where one of them has not paid for anything yet. */
  empty(book: string, callers: readonly string[]): Promise<void>
}

const verbs = ['admit', 'exchange', 'ticket', 'call'] as const
type Verb = (typeof verbs)[number]

/** Shaped like a key, but nobody has made it. */
const madeUp = `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`
/** What no book can have given. */
const malformed = ['nothing of the kind', 'dbk1.a.b', 'dbt1.AAAA', 'dbt2.x']
const stranger = 'stranger'

export const syncRequest = JSON.stringify({
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

export function answerMirrorCases({ door, move, isMade, empty }: AnswerMirrorHost): void {
  const call = async <Output = unknown>(book: string, id: string, input: object = {}) =>
    (await fromOutcome(door(book).call(id, input, {}))) as Output
  const makeKey = (book: string, input: object) =>
    call<{ readonly id: string; readonly key: string }>(book, 'daybook:create_access_key', {
      name: 'key',
      ...input,
    })

  const ask = async (book: string, verb: Verb, presented: Credentials): Promise<Outcome<unknown>> => {
    const mirror = door(book)
    switch (verb) {
      case 'admit':
        return mirror.admit('daybook:sync', presented)
      case 'exchange':
        return mirror.exchange(syncRequest, presented)
      case 'ticket':
        return mirror.ticket({ device: 'd_answer' }, presented)
      case 'call':
        return mirror.call('kstar:query_traces', {}, presented)
    }
  }
  /** The code of what comes of each verb; `ok` where that is no error. */
  const codes = async (book: string, presented: Credentials) => {
    const found: Partial<Record<Verb, string>> = {}
    for (const verb of verbs) {
      const outcome = await ask(book, verb, presented)
      found[verb] = outcome.ok ? 'ok' : outcome.error.code
    }
    return found
  }
  const all = (code: string) => ({ admit: code, exchange: code, ticket: code, call: code })

  it('answers errors as values, with all of their fields', async () => {
    const mirror = door(newBook())
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
    await empty(book, [stranger])
    for (const bearer of [madeUp, madeUp.replaceAll('A', 'B')])
      expect(await codes(book, { bearer })).toEqual(all('rate-limited'))
    // What is read without the book costs nothing.
    expect(await codes(book, { bearer: 'dbk1.a.b' })).toEqual(all('unauthorized'))
    expect(await codes(book, { bearer: key })).toEqual(all('ok'))
    expect(await codes(book, {})).toEqual(all('ok'))
  })

  it('takes each request out of the bucket of its caller, whatever it asks and whatever comes of it', async () => {
    const book = newBook()
    const asked: { readonly verb: Verb; readonly id: string; readonly key: string }[] = []
    for (const verb of verbs)
      for (const permissions of [['sync', 'read'], ['room']]) {
        const made = await makeKey(book, { permissions })
        asked.push({ verb, ...made })
        const isIn = permissions.length > 1
        expect(await ask(book, verb, { bearer: made.key })).toMatchObject({ ok: isIn })
      }
    const other = await makeKey(book, { permissions: ['sync', 'read'] })
    // There is a bucket to empty for each of them because that one request was paid for.
    await empty(
      book,
      asked.map(({ id }) => id),
    )
    for (const { key } of asked) expect(await codes(book, { bearer: key })).toEqual(all('rate-limited'))
    const details = { retryAfterMs: expect.any(Number) as number }
    const [one] = asked
    expect(await ask(book, 'exchange', { bearer: one?.key ?? '' })).toMatchObject({
      ok: false,
      error: { code: 'rate-limited', retry: true, details },
    })
    expect(await codes(book, { bearer: other.key })).toEqual(all('ok'))
    expect(await codes(book, {})).toEqual(all('ok'))
  })

  it('lets a token that was granted further do no more than its holders may, in their names and at the cost of the first', async () => {
    const book = newBook()
    const owner = await createOwner()
    const mallory = await owner.grant({ granted_to: 'mallory', type: 'delegation' })
    const expires_at = '2098-01-01T00:00:00.000Z'
    const type = 'delegation'
    const helper = await owner.grant({ granted_to: 'helper', type, expires_at }, mallory.token)
    const other = await owner.grant({ granted_to: 'robot', expires_at }, mallory.token)
    // The names of the agents that write for the owner: here, and on the device that granted the first.
    const posing = [
      await owner.grant({ granted_to: 'Edge.', expires_at }, mallory.token),
      await owner.grant({ granted_to: 'Tutor ', expires_at }, mallory.token),
    ]
    // The names of holders above them, and what is granted below such a one.
    const named = await owner.grant({ granted_to: 'mallory', type, expires_at }, mallory.token)
    posing.push(
      named,
      await owner.grant({ granted_to: 'ｍａｌｌｏｒｙ', scope: 'course:CS101', expires_at }, mallory.token),
      await owner.grant({ granted_to: 'Mal\u200blory', expires_at }, helper.token),
      await owner.grant({ granted_to: 'Helper', expires_at }, helper.token),
      await owner.grant({ granted_to: 'cook', expires_at }, named.token),
    )
    const ops = JSON.stringify({ ...(JSON.parse(syncRequest) as object), ops: owner.ops })
    const taken = JSON.parse(await fromOutcome(door(book).exchange(ops, {}))) as { results: { s: string }[] }
    expect(taken.results.map(({ s }) => s)).toEqual(owner.ops.map(() => 'ok'))
    const food = { content: 'Likes pepper', category: 'a2p:preferences.food', memory_type: 'semantic' }
    const { id } = await call<{ id: string }>(book, 'a2p:store_memory', food)
    const policy = { forAgents: 'helper', allow: ['a2p:preferences'], permissions: ['read_full'] }
    await call(book, 'consent:set_policy', policy)
    const asked = async (verb: string, input: object, { bearer }: { bearer: string }) =>
      (await fromOutcome(door(book).call(verb, input, { bearer }))) as { id: string } | null
    expect(await asked('kstar:get_record', { id }, helper)).toBeNull()
    const trace = await asked('kstar:store_trace', makeTrace(), helper)
    expect(await call(book, 'kstar:get_trace', { id: trace?.id })).toMatchObject({
      agent: 'helper by mallory',
    })
    const { entries } = await call<{ entries: { caller: string; id?: string }[] }>(book, 'access:log', {
      agent: 'mallory',
      capability: 'kstar:store_trace',
    })
    expect(entries).toMatchObject([{ caller: 'helper by mallory', id: helper.token.token_id }])
    for (const { bearer } of posing) expect(await codes(book, { bearer })).toEqual(all('unauthorized'))
    const { tokens } = await call<{ tokens: { token_id: string; state: string }[] }>(
      book,
      'kstar:list_tokens_by_type',
    )
    const foreign = tokens.filter(({ state }) => state === 'foreign').map(({ token_id }) => token_id)
    expect(foreign.toSorted()).toEqual(posing.map(({ token }) => token.token_id).toSorted())
    await empty(book, [mallory.token.token_id])
    for (const { bearer } of [mallory, helper, other])
      expect(await codes(book, { bearer })).toEqual(all('rate-limited'))
    expect(await codes(book, {})).toEqual(all('ok'))
  })

  it('lets nobody pay for the owner, nor the owner for anybody', async () => {
    const book = newBook()
    const { key } = await makeKey(book, { permissions: ['sync', 'read'] })
    await empty(book, ['owner'])
    expect(await codes(book, {})).toEqual(all('rate-limited'))
    expect(await codes(book, { bearer: key })).toEqual(all('ok'))
  })

  it('gives a key no more than it was made for', async () => {
    const book = newBook()
    await call(book, 'kstar:store_trace', makeTrace())
    await call(book, 'kstar:store_trace', makeTrace())
    const reader = await makeKey(book, { permissions: ['read'] })
    expect(await codes(book, { bearer: reader.key })).toEqual({ ...all('forbidden'), call: 'ok' })
    const kindsFor = async (presented: Credentials) => {
      const { changes } = JSON.parse(await fromOutcome(door(book).exchange(syncRequest, presented))) as {
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
    await move(book)
    await call(book, 'daybook:revoke_access_key', { id })
    expect(await codes(book, { bearer: key })).toEqual(all('unauthorized'))
    await move(book)
    expect(await codes(book, { bearer: key })).toEqual(all('unauthorized'))
  })

  it('writes down what guests ask, synced and were refused, and keeps that wherever it is answered', async () => {
    const book = newBook()
    const { id, key } = await makeKey(book, { permissions: ['sync', 'read'], holder: 'robot' })
    await codes(book, { bearer: key })
    const reader = await makeKey(book, { permissions: ['read'], holder: 'reader' })
    await codes(book, { bearer: reader.key })
    await codes(book, { bearer: madeUp })
    await call(book, 'daybook:revoke_access_key', { id })
    await codes(book, { bearer: key })
    const grant = { id: 'claims:1', agent: 'claimed', scope: '**', permissions: ['read'] }
    await fromOutcome(door(book).call('kstar:query_traces', {}, { grant, purpose: 'grading' }))
    await call(book, 'access:log')
    await move(book)
    type Log = { entries: { caller: string; by: string; id?: string; capability: string; outcome: string }[] }
    const told = async (agent: string) =>
      (await call<Log>(book, 'access:log', { agent })).entries
        .toReversed()
        .map(({ by, capability, outcome }) => [by, capability, outcome])
    const ends = (code: string) => [
      ['key', 'daybook:sync', code],
      ['key', 'daybook:sync', code],
      ['key', 'daybook:sync', code],
      ['key', 'kstar:query_traces', code],
    ]
    expect(await told('robot')).toEqual([...ends('ok'), ...ends('unauthorized')])
    expect(await told('reader')).toEqual([
      ...ends('forbidden').slice(0, 3),
      ['key', 'kstar:query_traces', 'ok'],
    ])
    expect(await told('claimed')).toEqual([['claims', 'kstar:query_traces', 'ok']])
    const all = (await call<Log>(book, 'access:log', { limit: 1000 })).entries
    expect(all.filter(({ by }) => by === 'unknown')).toMatchObject([{ outcome: 'unauthorized' }])
    expect(all.filter(({ by }) => by === 'owner').map(({ capability }) => capability)).toEqual([
      'daybook:revoke_access_key',
      'daybook:create_access_key',
      'daybook:create_access_key',
    ])
    expect(JSON.stringify(all)).not.toContain(key.split('.').at(-1))
  })

  it('gives each ticket once, and says how long it is good', async () => {
    const book = newBook()
    const { key } = await makeKey(book, { permissions: ['sync'] })
    const given = [
      await fromOutcome(door(book).ticket({ device: 'd_a' }, { bearer: key })),
      await fromOutcome(door(book).ticket({ device: 'd_a' }, { bearer: key })),
    ]
    for (const one of given)
      expect(one).toEqual({
        ticket: expect.stringMatching(/^[\w-]{43}$/) as string,
        expiresInMs: 30_000,
      })
    expect(given[0]).not.toEqual(given[1])
  })

  it('does a write once for one `requestId`, also when another answers than did', async () => {
    const book = newBook()
    const store = async () =>
      fromOutcome(door(book).call('kstar:store_trace', makeTrace(), { requestId: 'once' }))
    const first = await store()
    await move(book)
    expect(await store()).toEqual(first)
    expect(await call(book, 'daybook:status')).toMatchObject({ records: { trace: 1 } })
  })
}
