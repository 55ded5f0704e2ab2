// JSON Web Tokens of an identity provider: what is trusted, what is not, keys that change, a provider that is away.
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { call, expectError, newBook, origin, syncRequest } from './http.ts'

let serial = 0
const pairs = await Promise.all(['EdDSA', 'ES256', 'EdDSA'].map((alg) => generateKeyPair(alg)))

/** An identity provider with keys that a test can change, and an edge that trusts it. */
async function provider(over: Record<string, string> = {}) {
  const url = `https://id-${++serial}.example.org/keys`
  const jwk = async (index: number, kid: string): Promise<JWK> => ({
    ...(await exportJWK((pairs[index] as CryptoKeyPair).publicKey)),
    kid,
  })
  const state = { keys: [await jwk(0, 'a'), await jwk(1, 'b')], asked: 0, down: false }
  vi.stubGlobal('fetch', (address: string) => {
    state.asked += 1
    if (address !== url || state.down) return Promise.reject(new Error('down'))
    return Promise.resolve(Response.json({ keys: state.keys }))
  })
  const env = {
    DAYBOOK_JWKS_URL: url,
    DAYBOOK_JWT_ISSUER: 'https://id.example.org/',
    DAYBOOK_JWT_AUDIENCE: 'daybook',
    ...over,
  }
  const sign = (claims: object, more: { kid?: string; alg?: string; key?: CryptoKey | Uint8Array } = {}) =>
    new SignJWT({
      iss: 'https://id.example.org/',
      aud: 'daybook',
      sub: 'alice',
      exp: Math.floor(Date.now() / 1e3) + 600,
      ...claims,
    })
      .setProtectedHeader({ alg: more.alg ?? 'EdDSA', kid: more.kid ?? 'a' })
      .sign(more.key ?? (pairs[0] as CryptoKeyPair).privateKey)
  const ask = (book: string, key: string, id = 'kstar:query_traces', body: unknown = {}) =>
    call(`/v1/books/${book}/capabilities/${id}`, { key, body, env })
  return { state, env, sign, ask, jwk }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a JSON Web Token', () => {
  it('lets its holder propose, and decide nothing about what it proposed', async () => {
    const { sign, ask, env } = await provider()
    const book = newBook()
    const claims = { books: book, permissions: ['read', 'write', 'propose', '**'], agent: 'helper' }
    const token = await sign({ daybook: claims })
    const made = await ask(book, token, 'a2p:propose', {
      content: 'User likes tea',
      category: 'a2p:preferences',
    })
    const { id } = (await made.json()) as { id: string }
    await expectError(await ask(book, token, 'a2p:review', { id, action: 'approve' }), 403, 'forbidden')
    const log = await call(`/v1/books/${book}/capabilities/access:log`, {
      body: { outcome: 'forbidden' },
      env,
    })
    expect(await log.json()).toMatchObject({ entries: [{ capability: 'a2p:review', by: 'claims' }] })
  })

  it('grants what its claim `daybook` says, for the books it names', async () => {
    const { sign, ask, env } = await provider()
    const [book, other] = [newBook(), newBook()]
    const owner = await sign({ daybook: { books: [book], owner: true } })
    expect((await ask(book, owner, 'kstar:store_trace', makeTrace())).status).toBe(200)
    await expectError(await ask(other, owner), 403, 'forbidden')
    const reader = await sign(
      { daybook: { books: book, permissions: ['read'] } },
      { kid: 'b', alg: 'ES256', key: (pairs[1] as CryptoKeyPair).privateKey },
    )
    const read = await ask(book, reader)
    expect(((await read.json()) as { records: unknown[] }).records.length).toBe(1)
    await expectError(await ask(book, reader, 'kstar:store_trace', makeTrace()), 403, 'forbidden')
    const syncing = await sign({ daybook: { books: book, permissions: ['sync'], pull: ['fact'] } })
    const synced = await call(`/v1/books/${book}/sync`, { key: syncing, body: syncRequest(), env })
    expect(await synced.json()).toMatchObject({ changes: [] })
  })

  it('makes its subject the owner of the book that is named after it', async () => {
    const { sign, ask } = await provider({ DAYBOOK_JWT_BOOK: 'user-{sub}' })
    const key = await sign({})
    expect((await ask('user-alice', key, 'kstar:store_trace', makeTrace())).status).toBe(200)
    await expectError(await ask('user-bob', key), 403, 'forbidden')
    await expectError(await ask('user-alice', await sign({ sub: 'bob' })), 403, 'forbidden')
  })

  it('makes nobody the owner of the book of another, whatever its subject is', async () => {
    const { sign, ask } = await provider({ DAYBOOK_JWT_BOOK: 'user-{sub}' })
    expect((await ask('user-alice', await sign({}), 'kstar:store_trace', makeTrace())).status).toBe(200)
    for (const sub of ['%61lice', '%2561lice', '$`x', '$&', 'alice%00', 'alice/', '../user-alice', 'ALICE']) {
      const key = await sign({ sub })
      for (const book of ['user-alice', 'user-%61lice', `user-${encodeURIComponent(sub)}`, 'user-user-x']) {
        const { status } = await ask(book, key)
        if (book !== 'user-ALICE')
          expect([sub, book, [400, 403, 404].includes(status)]).toEqual([sub, book, true])
      }
    }
    for (const sub of [['alice'], 7, 'x'.repeat(256)])
      await expectError(await ask('user-alice', await sign({ sub })), 401, 'unauthorized')
  })

  it('for the MCP address of a book opens that address alone, and only by the name that the edge gives itself', async () => {
    const { sign, env } = await provider({
      DAYBOOK_JWT_AUDIENCE: `daybook ${origin}/`,
      DAYBOOK_JWT_BOOK: '{sub}',
    })
    const book = newBook()
    const mcpOf = (name: string) => `/v1/books/${name}/mcp`
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { accept: 'application/json, text/event-stream' }
    const askMcp = async (key: string, path = mcpOf(book)) =>
      (await call(path, { key, body: list, env, headers })).status
    const token = await sign({ sub: book, aud: `${origin}${mcpOf(book)}` })
    expect(await askMcp(token)).toBe(200)
    expect(await askMcp(token, `${mcpOf(book)}?tools=recall`)).toBe(200)
    expect(await askMcp(token, mcpOf(newBook()))).toBe(401)
    expect(await askMcp(token, `/v1/books/${book}/capabilities/daybook:status`)).toBe(401)
    // A caller chooses the host that it names; that makes no token of another server good here.
    const elsewhere = await sign({ sub: book, aud: `https://evil.example.org${mcpOf(book)}` })
    expect(await askMcp(elsewhere)).toBe(401)
    expect(await askMcp(elsewhere, `https://evil.example.org${mcpOf(book)}`)).toBe(401)
  })

  it('with scopes of Daybook has only the permissions that they name', async () => {
    const { sign, ask } = await provider({ DAYBOOK_JWT_BOOK: 'user-{sub}' })
    const reading = await sign({ sub: 'scoped', scope: 'openid daybook:read' })
    expect((await ask('user-scoped', reading)).status).toBe(200)
    await expectError(await ask('user-scoped', reading, 'kstar:store_trace', makeTrace()), 403, 'forbidden')
    expect(
      (
        await ask(
          'user-scoped',
          await sign({ sub: 'scoped', scope: 'openid' }),
          'kstar:store_trace',
          makeTrace(),
        )
      ).status,
    ).toBe(200)
    // A scope adds nothing to what the claim permits.
    const book = newBook()
    for (const rights of [{ permissions: ['read'] }, { owner: true }]) {
      const wide = await sign({ scope: 'daybook:read daybook:write', daybook: { books: book, ...rights } })
      expect((await ask(book, wide)).status).toBe(200)
      const written = await ask(book, wide, 'kstar:store_trace', makeTrace())
      expect(written.status).toBe('owner' in rights ? 200 : 403)
      await expectError(
        await ask(book, wide, 'daybook:create_access_key', { name: 'k', permissions: ['read'] }),
        403,
        'forbidden',
      )
    }
  })

  it('is no way in that an edge names, unless an audience is its own address', async () => {
    const path = '/.well-known/oauth-protected-resource/v1/books/b/mcp'
    for (const audience of ['daybook', 'http://memory.example.org', `${origin}/v1`, 'ftp://127.0.0.1']) {
      const { env } = await provider({ DAYBOOK_JWT_AUDIENCE: audience })
      await expectError(await call(path, { method: 'GET', key: null, env }), 404, 'unknown-route')
      const refused = await call('/v1/books/b/mcp', { key: null, body: {}, env })
      expect([audience, refused.headers.get('www-authenticate')]).toEqual([
        audience,
        'Bearer realm="daybook"',
      ])
    }
    const { env } = await provider({ DAYBOOK_JWT_AUDIENCE: 'https://memory.example.org' })
    const metadata = await call(path, { method: 'GET', key: null, env })
    expect(await metadata.json()).toMatchObject({
      resource: 'https://memory.example.org/v1/books/b/mcp',
      authorization_servers: ['https://id.example.org/'],
    })
    await expectError(
      await call(path.replace('/b/', '/../'), { method: 'GET', key: null, env }),
      404,
      'unknown-route',
    )
  })

  it('is refused when it is not exactly what this edge trusts', async () => {
    const { sign, ask } = await provider({ DAYBOOK_JWT_ALGORITHMS: 'EdDSA' })
    const book = newBook()
    const claims = { daybook: { books: [book], owner: true } }
    const good = await sign(claims)
    expect((await ask(book, good)).status).toBe(200)
    const [head = '', body = '', signature = ''] = good.split('.')
    const base = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '')
    const refused: Record<string, string> = {
      issuer: await sign({ ...claims, iss: 'https://evil.example.org/' }),
      audience: await sign({ ...claims, aud: 'another' }),
      expired: await sign({ ...claims, exp: 1 }),
      early: await sign({ ...claims, nbf: Math.floor(Date.now() / 1000) + 600 }),
      'no expiry': await sign({ ...claims, exp: undefined }),
      'no subject': await sign({ ...claims, sub: undefined }),
      'an algorithm that is not allowed': await sign(claims, {
        kid: 'b',
        alg: 'ES256',
        key: (pairs[1] as CryptoKeyPair).privateKey,
      }),
      'a shared secret': await sign(claims, { alg: 'HS256', key: new Uint8Array(32) }),
      'another key': await sign(claims, { key: (pairs[2] as CryptoKeyPair).privateKey }),
      'no algorithm': `${base({ alg: 'none' })}.${body}.${signature}`,
      altered: `${head}.${base({ iss: 'https://id.example.org/', aud: 'daybook', sub: 'alice', exp: 9e9, ...claims })}.${signature}`,
      'no claim that is understood': await sign({ daybook: { books: 7 } }),
    }
    for (const [what, key] of Object.entries(refused)) {
      const response = await ask(book, key)
      expect([what, response.status]).toEqual([what, 401])
      await expectError(response, 401, 'unauthorized')
    }
  })

  it('by a new key is found once the provider publishes it; keys are kept, and asked for not too often', async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
    try {
      const { state, sign, ask, jwk } = await provider()
      const book = newBook()
      const claims = { daybook: { books: [book], owner: true } }
      for (let i = 0; i < 3; i++) expect((await ask(book, await sign(claims))).status).toBe(200)
      expect(state.asked).toBe(1)
      const rotated = { kid: 'c', key: (pairs[2] as CryptoKeyPair).privateKey }
      state.keys = [await jwk(2, 'c')]
      for (let i = 0; i < 3; i++)
        await expectError(await ask(book, await sign(claims, rotated)), 401, 'unauthorized')
      expect(state.asked).toBe(1)
      vi.advanceTimersByTime(31_000)
      expect((await ask(book, await sign(claims, rotated))).status).toBe(200)
      await expectError(await ask(book, await sign(claims)), 401, 'unauthorized')
      expect(state.asked).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is neither good nor bad while the provider cannot be asked', async () => {
    const { state, sign, ask } = await provider()
    state.down = true
    const response = await ask(newBook(), await sign({ daybook: { books: ['x'], owner: true } }))
    expect(((await response.clone().json()) as { retry: boolean }).retry).toBe(true)
    await expectError(response, 503, 'offline')
  })

  it('means nothing to an edge that trusts no provider, or half of one', async () => {
    const { sign, env } = await provider()
    const key = await sign({ daybook: { books: ['x'], owner: true } })
    await expectError(await call('/v1/books/x/sync', { key, body: syncRequest() }), 401, 'unauthorized')
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    for (const half of [{ DAYBOOK_JWT_AUDIENCE: '' }, { DAYBOOK_JWT_ALGORITHMS: 'HS256' }]) {
      const response = await call('/v1/books/x/sync', { key, body: syncRequest(), env: { ...env, ...half } })
      await expectError(response, 500, 'internal')
    }
    log.mockRestore()
  })
})
