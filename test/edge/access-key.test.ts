// Access keys over HTTP: made by a book for that book alone, hashed at rest, bounded as they say, and ended for good.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { call, expectError, newBook, run, syncRequest, traceOp } from './http/http.ts'

interface Made {
  readonly id: string
  readonly key: string
}

const make = (book: string, input: object) =>
  run<Made>(book, 'daybook:create_access_key', { name: 'test', ...input })
const sync = (book: string, key: string, over: object = {}) =>
  call(`/v1/books/${book}/sync`, { key, body: syncRequest(over) })
const ask = (book: string, key: string, id: string, body: unknown = {}) =>
  call(`/v1/books/${book}/capabilities/${id}`, { key, body })

interface Answer {
  readonly results: { readonly s: string; readonly error?: { readonly code: string } }[]
  readonly changes: { readonly kind: string; readonly id: string }[]
}
const answerOf = async (response: Response) => {
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

describe('an access key', () => {
  it('does what it permits and nothing else', async () => {
    const book = newBook()
    const { id } = await run<{ id: string }>(book, 'kstar:store_trace', makeTrace())
    const { key } = await make(book, { permissions: ['read'] })
    const got = await ask(book, key, 'kstar:get_trace', { id })
    expect([got.status, ((await got.json()) as { id: string }).id]).toEqual([200, id])
    await expectError(await ask(book, key, 'kstar:store_trace', makeTrace()), 403, 'forbidden')
    await expectError(await ask(book, key, 'kstar:forget', { id }), 403, 'forbidden')
    for (const verb of ['create_access_key', 'list_access_keys', 'revoke_access_key'])
      await expectError(await ask(book, key, `daybook:${verb}`), 403, 'forbidden')
    await expectError(await sync(book, key), 403, 'forbidden')
    await expectError(
      await call(`/v1/books/${book}/embed`, { key, body: { texts: ['x'] } }),
      403,
      'forbidden',
    )
  })

  it('of a writer writes in its own name, inside its scope', async () => {
    const book = newBook()
    const { key } = await make(book, { permissions: ['write'], scope: 'course:CS101', holder: 'grader' })
    const stored = await ask(book, key, 'kstar:store_trace', makeTrace())
    const { id } = (await stored.json()) as { id: string }
    expect(await run(book, 'kstar:get_trace', { id })).toMatchObject({
      agent: 'grader',
      resource: 'course:CS101',
    })
    await expectError(
      await ask(book, key, 'kstar:store_trace', makeTrace({ resource: 'course:CS102' })),
      403,
      'forbidden',
    )
  })

  it('of the owner is the owner, of that book alone', async () => {
    const [book, other] = [newBook(), newBook()]
    await run(other, 'kstar:store_trace', makeTrace())
    const { key } = await make(book, { owner: true })
    expect((await ask(book, key, 'kstar:store_trace', makeTrace())).status).toBe(200)
    expect((await ask(book, key, 'daybook:list_access_keys')).status).toBe(200)
    expect((await answerOf(await sync(book, key))).changes.map(({ kind }) => kind).sort()).toEqual([
      'access_key',
      'trace',
    ])
    await expectError(await ask(other, key, 'daybook:status'), 401, 'unauthorized')
    await expectError(await sync(other, key), 401, 'unauthorized')
    await expectError(await call('/embed', { key, body: { texts: ['x'] } }), 401, 'unauthorized')
  })

  it('K3 syncs only the kinds it may: what it may not send is rejected, what it may not fetch is not told of', async () => {
    const book = newBook()
    await run(book, 'kstar:store_trace', makeTrace())
    await run(book, 'kstar:store_perception', { type: 'belief', subject: 's', content: 'c', confidence: 1 })
    const { key } = await make(book, { permissions: ['sync'], push: ['trace'], pull: ['perception'] })
    const ops = [
      traceOp(),
      { ...traceOp({ mid: 2, kind: 'perception', id: 'p-1' }), body: {} },
      { ...traceOp({ mid: 3, kind: 'unheard-of', id: 'u-1' }), body: {} },
    ]
    const { results, changes } = await answerOf(await sync(book, key, { ops }))
    expect(results.map(({ s, error }) => error?.code ?? s)).toEqual(['ok', 'forbidden', 'forbidden'])
    expect(changes.map(({ kind }) => kind)).toEqual(['perception'])
    const asking = (kinds: string[]) =>
      sync(book, key, { pull: { cursor: 0, limit: 10, maxBytes: 1000, kinds } })
    await expectError(await asking(['perception', 'trace']), 403, 'forbidden', 'pull.kinds.1')
    // Another version came first: who may not read it is not shown it.
    const stale = {
      ...traceOp({ mid: 4, base: 7, policy: 'remote_wins' }),
      body: { ...traceOp().body, result: { success: true } },
    }
    const conflict = await answerOf(await sync(book, key, { ops: [stale] }))
    expect(conflict.results).toMatchObject([{ s: 'rejected', error: { code: 'conflict' } }])
    expect(JSON.stringify(conflict)).not.toContain('Arrive')
  })

  it('K3 that may sync everything still makes nobody an owner', async () => {
    const book = newBook()
    const { key, id } = await make(book, { permissions: ['sync'], holder: 'tester' })
    const body = { name: 'mine', owner: true, hash: '0'.repeat(64), revoked: false }
    const at = '2026-01-01T00:00:00.000Z'
    const ops = [
      { ...traceOp({ kind: 'access_key', id: 'access_key::AAAAAAAAAAAAAAAA' }), body },
      { ...traceOp({ mid: 2, kind: 'key', id: 'did:key:z6Mk' }), body: { added_at: at } },
      { ...traceOp({ mid: 3, kind: 'token', id: 't' }), body: {} },
      { ...traceOp({ mid: 4, kind: 'trace_category', id: 'c' }), body: {} },
      traceOp({ mid: 5 }),
    ]
    const { results, changes } = await answerOf(await sync(book, key, { ops }))
    expect(results.map(({ s, error }) => error?.code ?? s)).toEqual([
      'forbidden',
      'forbidden',
      'forbidden',
      'forbidden',
      'ok',
    ])
    expect(changes).toEqual([])
    const pull = { cursor: 0, limit: 10, maxBytes: 1000, kinds: ['access_key'] }
    await expectError(await sync(book, key, { pull }), 403, 'forbidden', 'pull.kinds.0')
    expect(JSON.stringify(await run(book, 'daybook:list_access_keys'))).toContain(id)
  })

  it('ends when it is revoked, for good, and when its time is over', async () => {
    const book = newBook()
    const { key, id } = await make(book, { permissions: ['read'], expires_at: '2099-01-01T00:00:00Z' })
    expect((await ask(book, key, 'kstar:query_traces')).status).toBe(200)
    expect(await run(book, 'daybook:revoke_access_key', { id })).toMatchObject({ revoked: true })
    await expectError(await ask(book, key, 'kstar:query_traces'), 401, 'unauthorized')
    await evictDurableObject(env.MIRROR.getByName(book))
    await expectError(await ask(book, key, 'kstar:query_traces'), 401, 'unauthorized')
    expect(await run(book, 'daybook:revoke_access_key', { id: 'access_key::AAAAAAAAAAAAAAAA' })).toEqual({
      revoked: false,
    })
    const second = await make(book, { permissions: ['read'], expires_at: '2099-01-01T00:00:00Z' })
    await runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
      storage.sql.exec(
        "UPDATE records SET body = replace(body, '2099', '2020') WHERE id = ? AND kind = 'access_key'",
        second.id,
      )
    })
    await expectError(await ask(book, second.key, 'kstar:query_traces'), 401, 'unauthorized')
    const { keys } = await run<{ keys: { id: string; state: string }[] }>(book, 'daybook:list_access_keys')
    expect(Object.fromEntries(keys.map((one) => [one.id, one.state]))).toEqual({
      [id]: 'revoked',
      [second.id]: 'expired',
    })
  })

  it('is nowhere in the book: not in its database, and not among what can be read', async () => {
    const book = newBook()
    const { key, id } = await make(book, { owner: true })
    const secret = key.split('.')[2] ?? ''
    const dump = await runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) => {
      const tables = storage.sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_cf\\_%' ESCAPE '\\'",
        )
        .toArray()
      return JSON.stringify(tables.map(({ name }) => storage.sql.exec(`SELECT * FROM "${name}"`).toArray()))
    })
    expect(dump).toContain(id)
    expect(dump).not.toContain(secret)
    expect(JSON.stringify(await run(book, 'daybook:list_access_keys'))).not.toMatch(/hash|dbk1/)
  })

  it.each([
    ['nothing', {}, 'permissions'],
    ['delegation', { permissions: ['delegation'] }, 'permissions'],
    ['a bounded sync of a part', { permissions: ['sync'], scope: 'course:x' }, 'scope'],
    ['kinds without sync', { permissions: ['read'], push: ['trace'] }, 'push'],
    ['a kind that there is not', { permissions: ['sync'], pull: ['traces'] }, 'pull.0'],
    ['sending rules', { permissions: ['sync'], push: ['trace', 'fact_schema'] }, 'push.1'],
    ['sending tokens', { permissions: ['sync'], push: ['token'] }, 'push.0'],
    ['an owner with bounds', { owner: true, permissions: ['read'] }, 'permissions'],
    ['the past', { permissions: ['read'], expires_at: '2020-01-01' }, 'expires_at'],
    ['no name', { name: '', permissions: ['read'] }, 'name'],
  ])('is refused for %s, with the path', async (_what, input, path) => {
    const book = newBook()
    const body = { name: 'test', ...input }
    await expectError(
      await ask(book, 'development', 'daybook:create_access_key', body),
      400,
      'invalid-input',
      path,
    )
    expect(await run(book, 'daybook:list_access_keys')).toEqual({ keys: [] })
  })
})

describe('between books', () => {
  const routes: [string, unknown][] = [
    ['sync', syncRequest()],
    ['capabilities/daybook:status', {}],
    ['capabilities/kstar:query_traces', {}],
    ['capabilities/kstar:store_trace', makeTrace()],
    ['capabilities/daybook:create_access_key', { name: 'x', owner: true }],
    ['embed', { texts: ['x'] }],
  ]

  it.each(routes)('%s lets in nobody but its own', async (route, body) => {
    const [book, other] = [newBook(), newBook()]
    await run(book, 'kstar:store_trace', makeTrace())
    const mine = await make(book, { owner: true })
    const theirs = await make(other, { owner: true })
    const ended = await make(book, { owner: true })
    await run(book, 'daybook:revoke_access_key', { id: ended.id })
    const bent = `${mine.key.slice(0, -1)}${mine.key.endsWith('A') ? 'B' : 'A'}`
    const before = await run(book, 'daybook:status')
    for (const key of [
      null,
      'wrong',
      theirs.key,
      ended.key,
      bent,
      mine.id,
      'dbk1.',
      'dbk1.a.b',
      'dbt1.AAAA',
    ]) {
      await expectError(await call(`/v1/books/${book}/${route}`, { key, body }), 401, 'unauthorized')
    }
    expect(await run(book, 'daybook:status')).toEqual(before)
    expect([401, 403]).not.toContain(
      (await call(`/v1/books/${book}/${route}`, { key: mine.key, body })).status,
    )
  })

  it('a key makes no book', async () => {
    const { key } = await make(newBook(), { owner: true })
    const fresh = newBook()
    await expectError(await ask(fresh, key, 'daybook:status'), 401, 'unauthorized')
    const tables = await runInDurableObject(env.MIRROR.getByName(fresh), (_object, { storage }) =>
      storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'records'").toArray(),
    )
    expect(tables).toEqual([])
  })
})
