// Control tokens over HTTP: the whole token as a bearer, and exactly its reach; what is forged or ended is let nowhere.
import { expect, it } from 'vitest'
import { toBase64Url } from '../../../src/shape/encoded-bytes.ts'
import { lineageHash, signedText, toBearer as bearerOf } from '../../../src/trust/token.ts'
import { replaysOf } from '../../support/replay.ts'
import { sha256 } from '../sha256.ts'
import { call, expectError, newBook, run, syncRequest, traceOp } from './http.ts'
import { openTestKeyring } from '../test-keyring.ts'

const at = '2026-01-01T00:00:00.000Z'
/** The secret of all tokens here that say nothing else. */
const secret = toBase64Url(Uint8Array.from({ length: 32 }, (_, i) => i))
const toBearer = (token: Parameters<typeof bearerOf>[0]) => bearerOf(token, secret)

/** A book at the mirror with two traces, one in the course, and tokens that a device has synced there. */
async function bookWithTokens() {
  const book = newBook()
  const signer = await openTestKeyring().signer()
  if (!signer) throw new Error('no signer')
  let mid = 0
  const put = (kind: string, id: string, body: object, more: object = {}) => ({
    ...traceOp({ mid: ++mid, kind, id, ...more }),
    body,
  })
  const grant = async (over: object = {}) => {
    const claims = {
      token_id: `t-${mid}`,
      type: 'capability_grant',
      scope: 'course:CS101',
      permissions: ['read'],
      granted_by: signer.key,
      granted_to: 'grader',
      granted_at: at,
      expires_at: '2099-01-01T00:00:00.000Z',
      delegation_chain: [],
      lineage_hash: await lineageHash(undefined, sha256),
      revoked: false,
      secret_hash: await sha256(secret),
      ...over,
    }
    return { ...claims, signature: await signer.sign(signedText(claims)) }
  }
  const push = async (ops: readonly object[]) => {
    const response = await call(`/v1/books/${book}/sync`, { body: syncRequest({ ops }) })
    const { results } = (await response.json()) as { results: { s: string }[] }
    return results.map(({ s }) => s)
  }
  const trace = traceOp().body
  expect(
    await push([
      put('key', signer.key, { added_at: at }),
      put('trace', 'in', trace, { resource: 'course:CS101' }),
      put('trace', 'out', trace, { resource: 'course:CS102' }),
    ]),
  ).toEqual(['ok', 'ok', 'ok'])
  const store = async (over: object = {}) => {
    const token = await grant(over)
    expect(await push([put('token', token.token_id, token)])).toEqual(['ok'])
    return token
  }
  return { book, grant, put, push, store }
}

const query = (book: string, key: string) =>
  call(`/v1/books/${book}/capabilities/kstar:query_traces`, { key, body: {} })

it('a bearer gets exactly the reach of its token', async () => {
  const { book, store } = await bookWithTokens()
  const bearer = toBearer(await store())
  const response = await query(book, bearer)
  expect(response.status).toBe(200)
  const { records } = (await response.json()) as { records: { id: string }[] }
  expect(records.map(({ id }) => id)).toEqual(['in'])
  const path = (id: string) => `/v1/books/${book}/capabilities/${id}`
  await expectError(await call(path('kstar:store_trace'), { key: bearer, body: {} }), 403, 'forbidden')
  await expectError(await call(path('kstar:purge'), { key: bearer, body: { id: 'in' } }), 403, 'forbidden')
  await expectError(
    await call(path('kstar:grant_control_token'), { key: bearer, body: {} }),
    403,
    'forbidden',
  )
  await expectError(
    await call(`/v1/books/${book}/sync`, { key: bearer, body: syncRequest() }),
    403,
    'forbidden',
  )
})

it('syncs only with that right over the whole book', async () => {
  const { book, store } = await bookWithTokens()
  const sync = async (over: object) =>
    call(`/v1/books/${book}/sync`, { key: toBearer(await store(over)), body: syncRequest() })
  await expectError(await sync({ token_id: 'narrow', permissions: ['sync'] }), 403, 'forbidden')
  await expectError(
    await sync({ token_id: 'reader', scope: '**', permissions: ['read', 'write'] }),
    403,
    'forbidden',
  )
  expect((await sync({ token_id: 'whole', scope: '**', permissions: ['sync'] })).status).toBe(200)
})

it('lets in nothing that is not stored, altered, ended, signed by a stranger, or only named', async () => {
  const { book, grant, store, push, put } = await bookWithTokens()
  const token = await store({ token_id: 'good' })
  const other = await bookWithTokens()
  const refused = {
    unstored: toBearer(await grant({ token_id: 'unstored' })),
    altered: toBearer({ ...token, scope: '**' }),
    renamed: toBearer({ ...token, signature: token.signature.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')) }),
    expired: toBearer(await store({ token_id: 'expired', expires_at: '2026-01-02T00:00:00.000Z' })),
    early: toBearer(await store({ token_id: 'early', not_before: '2098-01-01T00:00:00.000Z' })),
    elsewhere: toBearer(await other.store({ token_id: 'good' })),
    named: token.token_id,
    empty: 'dbt1.',
    nonsense: 'dbt1.AAAA',
  }
  for (const [name, key] of Object.entries(refused)) {
    const response = await query(book, key)
    expect([name, response.status]).toEqual([name, 401])
    await expectError(response, 401, 'unauthorized')
  }
  // Stored there by somebody with the owner's key, but signed by one that is not the book's.
  const strange = await other.grant({ token_id: 'strange' })
  expect(await push([put('token', 'strange', strange)])).toEqual(['ok'])
  await expectError(await query(book, toBearer(strange)), 401, 'unauthorized')
  expect((await query(book, toBearer(token))).status).toBe(200)
  const revoked = { ...token, revoked: true, revoked_at: at, revocation_reason: 'over' }
  expect(await push([put('token', 'good', revoked, { base: 4 })])).toEqual(['ok'])
  await expectError(await query(book, toBearer(token)), 401, 'unauthorized')
  // Whatever comes later: it stays revoked.
  expect(await push([put('token', 'good', token, { base: 2 })])).toEqual(['conflict'])
  await expectError(await query(book, toBearer(token)), 401, 'unauthorized')
})

it('makes no book for a stranger, and grants nothing where no key is', async () => {
  const { store, book } = await bookWithTokens()
  const fresh = newBook()
  await expectError(await query(fresh, toBearer(await store())), 401, 'unauthorized')
  const granted = await call(`/v1/books/${book}/capabilities/kstar:grant_control_token`, {
    body: { scope: '**', permissions: ['read'], granted_to: 'x', expires_at: '2099-01-01T00:00:00Z' },
  })
  await expectError(granted, 409, 'runs-elsewhere', 'capability')
  expect(await run(book, 'daybook:status')).toMatchObject({ records: { trace: 2 } })
})

it('lets in nobody with what lies at the mirror, or comes with a sync: the secret is in neither', async () => {
  const { book, store } = await bookWithTokens()
  const token = await store({ token_id: 'kept' })
  const other = await store({ token_id: 'other', scope: '**' })
  const listed = await run<{ tokens: object[] }>(book, 'kstar:list_tokens_by_type')
  const queried = await run<{ records: object[] }>(book, 'kstar:query_memory', { kind: 'token' })
  const pulled = await call(`/v1/books/${book}/sync`, { body: syncRequest({ device: 'd_thief' }) })
  const { changes } = (await pulled.json()) as { changes: { kind: string; body: object }[] }
  const synced = changes.filter(({ kind }) => kind === 'token').map(({ body }) => body)
  expect([listed.tokens.length, queried.records.length, synced.length]).toEqual([2, 2, 2])
  const stolen = [...listed.tokens, ...queried.records, ...synced, token, other]
  for (const row of stolen) {
    for (const key of await replaysOf(row)) {
      const response = await query(book, key)
      expect([key, response.status]).toEqual([key, 401])
      await expectError(response, 401, 'unauthorized')
    }
  }
})

it('says of a token that was granted before tokens had secrets why it is not let in, and still knows it', async () => {
  const { book, store } = await bookWithTokens()
  const token = await store({ token_id: 'before', secret_hash: undefined })
  for (const key of await replaysOf(token)) {
    const response = await query(book, key)
    const answer = (await response.clone().json()) as { message: string }
    expect([key, response.status]).toEqual([key, 401])
    if (key.startsWith('dbt1.')) expect(answer.message).toMatch(/its owner must grant a new one/)
    await expectError(response, 401, 'unauthorized')
  }
  const asked = { token_id: 'before', scope: 'course:CS101' }
  expect(await run(book, 'kstar:verify_control_token', asked)).toMatchObject({ valid: true })
  expect(await run(book, 'kstar:list_tokens_by_type')).toMatchObject({
    tokens: [{ token_id: 'before', state: 'active' }],
  })
})

it('lets in who holds a token that a holder signed below its own, with the secret of that one', async () => {
  const { book, grant, store } = await bookWithTokens()
  const holder = await openTestKeyring().signer()
  if (!holder) throw new Error('no signer')
  const parent = await store({
    token_id: 'parent',
    type: 'delegation',
    permissions: ['read', 'delegation'],
    granted_to: holder.key,
  })
  const own = toBase64Url(Uint8Array.from({ length: 32 }, (_, i) => 255 - i))
  const claims = {
    ...(await grant({
      token_id: 'token::child',
      delegation_chain: ['parent'],
      granted_by: holder.key,
    })),
    lineage_hash: await lineageHash(parent, sha256),
    secret_hash: await sha256(own),
  }
  const child = { ...claims, signature: await holder.sign(signedText(claims)) }
  const stored = await run(book, 'kstar:store_control_token', child, { key: toBearer(parent) })
  expect(stored).toEqual({ token_id: 'token::child' })
  expect((await query(book, bearerOf(child, own))).status).toBe(200)
  // Neither the parent's secret opens the child, nor the other way round.
  await expectError(await query(book, toBearer(child)), 401, 'unauthorized')
  await expectError(await query(book, bearerOf(parent, own)), 401, 'unauthorized')
  for (const key of await replaysOf(child, [secret]))
    await expectError(await query(book, key), 401, 'unauthorized')
})
