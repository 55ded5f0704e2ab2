// Who may call the edge over HTTP, from where, and under which address.
import { describe, expect, it, vi } from 'vitest'
import { call, expectError, newBook, run, syncRequest, traceOp } from './http.ts'

const sync = (book: string) => `/v1/books/${book}/sync`

describe('addresses', () => {
  it.each([
    '.hidden',
    '..',
    '%2e%2e',
    '..%2Fother',
    'a%2Fb',
    'a b',
    'a%00',
    'ü',
    'x'.repeat(65),
    '%F0%9F%99%82',
    "'; DROP TABLE",
  ])('refuses the book %s', async (book) => {
    const response = await call(`/v1/books/${book}/sync`, { body: syncRequest() })
    if (response.status === 404) return expectError(response, 404, 'unknown-route')
    await expectError(response, 400, 'invalid-input', 'name')
  })

  it.each(['%61', 'b%2D', '%5f', '%7E', '%30', '%41', '%7a'])('refuses the spelling %s', async (book) => {
    await expectError(
      await call(`/v1/books/${book}/sync`, { body: syncRequest() }),
      400,
      'invalid-input',
      'path',
    )
  })

  it('takes the names a page takes', async () => {
    for (const book of ['a', 'A-1._', '-', 'x'.repeat(64)]) {
      expect((await call(`/v1/books/${book}/sync`, { body: syncRequest() })).status).toBe(200)
    }
  })

  it('an address that is none: 404; another method: 405 and what is allowed', async () => {
    await expectError(await call('/nothing'), 404, 'unknown-route')
    await expectError(await call('/v1/books'), 404, 'unknown-route')
    await expectError(await call('/v1/books/a'), 405, 'wrong-method')
    await expectError(await call('/v1/books/a/sync/more', { body: {} }), 404, 'unknown-route')
    const wrong = await call('/v1/books/a/sync', { method: 'GET' })
    expect(wrong.headers.get('allow')).toBe('POST')
    await expectError(wrong, 405, 'wrong-method')
    await expectError(await call('/manifest', { body: {} }), 405, 'wrong-method')
  })
})

describe('keys', () => {
  const body = syncRequest({ ops: [traceOp()] })

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: 'Basic ZGV2ZWxvcG1lbnQ6' }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['a key with a tail', { authorization: 'Bearer development x' }],
  ])('%s: 401, and nothing is stored', async (_name, headers) => {
    const book = newBook()
    const response = await call(sync(book), { key: null, headers, body })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
    await expectError(response, 401, 'unauthorized')
    expect(await run(book, 'daybook:status')).toMatchObject({ records: {} })
  })

  it('the key is checked before the address', async () => {
    await expectError(await call('/v1/books/../../x', { key: null }), 404, 'unknown-route')
    await expectError(await call('/v1/books/.x/sync', { key: null, body }), 401, 'unauthorized')
    await expectError(await call('/v1/books/a', { key: null }), 401, 'unauthorized')
    await expectError(await call('/v1/nothing', { key: null }), 404, 'unknown-route')
  })

  it('a key that was set is the only one', async () => {
    const own = { DAYBOOK_KEY: 'a-real-key-of-28-characters' }
    expect((await call(sync(newBook()), { key: 'a-real-key-of-28-characters', body, env: own })).status).toBe(
      200,
    )
    await expectError(
      await call(sync(newBook()), { key: 'development', body, env: own }),
      401,
      'unauthorized',
    )
    await expectError(
      await call(sync(newBook()), { key: 'a-real-key-of-28-character', body, env: own }),
      401,
      'unauthorized',
    )
  })

  it('while a key is being replaced, the old and the new one are taken, and no piece of either', async () => {
    const own = { DAYBOOK_KEY: 'the-old-key-0123456789 the-new-key-0123456789' }
    for (const key of ['the-old-key-0123456789', 'the-new-key-0123456789'])
      expect((await call(sync(newBook()), { key, body, env: own })).status).toBe(200)
    for (const key of [
      'the-old-key',
      'the-old-key-0123456789 the-new-key-0123456789',
      'the-old-key-0123456789the-new-key-0123456789',
      'development',
    ])
      await expectError(await call(sync(newBook()), { key, body, env: own }), 401, 'unauthorized')
    // Blanks alone are no key.
    const blank = { DAYBOOK_KEY: ' ' }
    await expectError(
      await call(`https://example.org${sync('a')}`, { key: ' ', body, env: blank }),
      401,
      'unauthorized',
    )
  })

  it('the development key works on this machine only, and says what is missing elsewhere', async () => {
    for (const host of [
      'http://localhost',
      'http://127.0.0.1:1234',
      'http://[::1]:8787',
      'https://localhost',
    ]) {
      expect((await call(`${host}${sync(newBook())}`, { body })).status).toBe(200)
    }
    for (const host of ['https://daybook.example.org', 'https://127.0.0.1.example.org', 'https://10.0.0.1']) {
      const response = await call(`${host}${sync(newBook())}`, { body })
      expect(await response.clone().json()).toMatchObject({
        message: expect.stringContaining('DAYBOOK_KEY') as string,
      })
      await expectError(response, 401, 'unauthorized')
    }
  })

  it.each([
    ['X-Forwarded-For', '203.0.113.7'],
    ['Forwarded', 'for=203.0.113.7'],
    ['X-Real-IP', '203.0.113.7'],
    ['X-Forwarded-Host', 'daybook.example.org'],
    ['X-Forwarded-Proto', 'https'],
    ['X-Forwarded-Port', '443'],
    ['Via', '1.1 proxy'],
    ['True-Client-IP', '203.0.113.7'],
    ['CF-Connecting-IP', '203.0.113.7'],
    ['CF-Connecting-IP', '127.0.0.1, 203.0.113.7'],
  ])('the development key is none for what was passed on, as %s: %s says', async (name, value) => {
    const response = await call(sync(newBook()), { body, headers: { [name]: value } })
    await expectError(response, 401, 'unauthorized')
    const own = { DAYBOOK_KEY: 'a-real-key-of-28-characters' }
    const set = { key: own.DAYBOOK_KEY, env: own, body, headers: { [name]: value } }
    expect((await call(sync(newBook()), set)).status).toBe(200)
  })

  it('an edge with a key that can be guessed lets nobody in, and says what to do', async () => {
    const made = await run<{ key: string }>('short-key', 'daybook:create_access_key', {
      name: 'k',
      owner: true,
    })
    for (const set of ['short', 'fifteen-letters', 'a-real-key-of-28-characters short']) {
      const own = { DAYBOOK_KEY: set }
      for (const key of [...set.split(' '), 'development', made.key]) {
        const response = await call(sync('short-key'), { key, body, env: own })
        expect(((await response.clone().json()) as { message: string }).message).toMatch(/DAYBOOK_KEY.*16/)
        await expectError(response, 401, 'unauthorized')
      }
    }
    expect((await call(sync('short-key'), { key: made.key, body })).status).toBe(200)
  })

  it('plain HTTP is refused, except on this machine', async () => {
    const own = { DAYBOOK_KEY: 'a-real-key-of-28-characters' }
    await expectError(
      await call(`http://example.org${sync('a')}`, { key: 'a-real-key-of-28-characters', body, env: own }),
      403,
      'forbidden',
    )
    expect(
      (await call(`https://example.org${sync('a')}`, { key: 'a-real-key-of-28-characters', body, env: own }))
        .status,
    ).toBe(200)
  })

  it('no answer repeats a key', async () => {
    const own = { DAYBOOK_KEY: 'the-secret-0123456789' }
    for (const key of ['guess-1', 'the-secret-0123456789']) {
      const response = await call('/v1/books/.x/sync', { key, body, env: own })
      expect(await response.text()).not.toMatch(/guess-1|the-secret/)
    }
  })

  it('what breaks inside is logged by its place, and told to nobody', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const fail = () => Promise.reject(new Error('secret inside'))
    const verbs = {
      admit: fail,
      ticket: fail,
      exchange: fail,
      erase: fail,
      begin: fail,
      agentCall: fail,
      call: fail,
    }
    const dead = { getByName: () => verbs }
    const broken = {
      getByName: () => {
        throw new TypeError('secret inside')
      },
    }
    for (const [MIRROR, code] of [
      [dead, 'engine-died'],
      [broken, 'internal'],
    ] as const) {
      const response = await call(sync('a'), { body, env: { MIRROR } })
      expect(await response.clone().text()).not.toContain('secret inside')
      await expectError(response, 500, code)
      // What went wrong is found by where it was thrown: a message may quote what was stored.
      expect(log.mock.lastCall?.[0]).not.toContain('secret inside')
      expect(log.mock.lastCall?.[0]).toContain('http-access.test.ts')
    }
    log.mockRestore()
  })
})

describe('pages of other origins', () => {
  const preflight = (page: string, own = {}) =>
    call('/v1/books/a/sync', {
      method: 'OPTIONS',
      key: null,
      env: own,
      headers: {
        origin: page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })

  it('answers the preflight of a page of this machine', async () => {
    for (const page of ['http://localhost:5173', 'http://127.0.0.1:4000', 'http://[::1]:1']) {
      const response = await preflight(page)
      expect(response.status).toBe(204)
      expect(response.headers.get('access-control-allow-origin')).toBe(page)
      expect(response.headers.get('access-control-allow-headers')).toMatch(
        /authorization.*content-encoding.*idempotency-key/i,
      )
      expect(response.headers.get('vary')).toMatch(/origin/i)
    }
  })

  it('lets in named origins and no others', async () => {
    const own = { DAYBOOK_ORIGINS: 'https://app.example.org, https://two.example.org' }
    const allowed = async (page: string) =>
      (await preflight(page, own)).headers.get('access-control-allow-origin')
    expect(await allowed('https://app.example.org')).toBe('https://app.example.org')
    expect(await allowed('https://two.example.org')).toBe('https://two.example.org')
    for (const page of [
      'https://evil.org',
      'https://app.example.org.evil.org',
      'http://localhost.evil.org',
      'null',
    ]) {
      expect(await allowed(page)).toBeNull()
    }
  })

  it('tells browsers that ask that pages it lets in may call a service of this network, and no others', async () => {
    const asking = async (page: string, more: Record<string, string>) => {
      const response = await call('/v1/books/a/sync', {
        method: 'OPTIONS',
        key: null,
        env: { DAYBOOK_ORIGINS: 'https://app.example.org' },
        headers: { origin: page, 'access-control-request-method': 'POST', ...more },
      })
      return response.headers.get('access-control-allow-private-network')
    }
    const asked = { 'access-control-request-private-network': 'true' }
    expect(await asking('https://app.example.org', asked)).toBe('true')
    expect(await asking('https://app.example.org', {})).toBeNull()
    expect(await asking('https://evil.org', asked)).toBeNull()
  })

  it('without a key, lets in the page that it serves and those that are named, and no other of this machine', async () => {
    const status = async (headers: Record<string, string>, own = {}) =>
      (await call('/v1/books/a/capabilities/daybook:status', { body: {}, headers, env: own })).status
    const page = 'http://localhost:5173'
    expect(await status({})).toBe(200)
    expect(await status({ origin: 'http://127.0.0.1:8787' })).toBe(200)
    expect(await status({ origin: page }, { DAYBOOK_ORIGINS: page })).toBe(200)
    for (const origin of [page, 'http://127.0.0.1:9999', 'http://[::1]:1', 'null']) {
      expect([origin, await status({ origin })]).toEqual([origin, 401])
      expect([origin, await status({ origin }, { DAYBOOK_ORIGINS: 'http://localhost:3000' })]).toEqual([
        origin,
        401,
      ])
    }
    expect(await status({ host: 'rebound.example:8787' })).toBe(401)
  })

  it('an error can be read by a page that is let in', async () => {
    const response = await call('/v1/books/a/sync', {
      key: null,
      headers: { origin: 'http://localhost:5173' },
      body: {},
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    await expectError(response, 401, 'unauthorized')
  })
})
