// The a2p protocol as HTTP: addresses, bodies, allowances, ids of requests, pages of other origins.
import { describe, expect, it } from 'vitest'
import { bearerClient } from './a2p-client.ts'
import { type A2pHost, createA2pWorld, expectEnvelope, expectRefused } from './a2p-world.ts'

export function httpCases(host: A2pHost): void {
  const newBook = createA2pWorld(host)
  const nobody = (...asked: Parameters<ReturnType<typeof bearerClient>>) =>
    bearerClient(null, host.base, host.fetch)(...asked)
  const request = { scopes: ['a2p:preferences'], purpose: { type: 'personalization' } }

  describe('an address', () => {
    it('with a DID without a namespace is that of no profile, whoever asks', async () => {
      const book = newBook()
      for (const client of [nobody, book.user])
        for (const path of [
          '/profile/did:a2p:user:alice',
          '/profile/did:a2p:user:alice/memories',
          '/agents/did:a2p:agent:x',
        ])
          expectRefused(await client('GET', path), 404, 'A2P003')
    })

    it.each([
      'alice',
      'did:a2p:',
      'did:a2p:user:local:',
      'did:a2p:user:local:a/b',
      'did:A2P:x',
      'did:a2p:robot:local:x',
    ])('with %s has no DID in it', async (did) => {
      const answer = await nobody('GET', `/profile/${encodeURIComponent(did)}`)
      expectRefused(answer, 400, 'A2P010', 'did')
    })

    it('with the DID of an agent, of nobody here, or of no book is that of no profile', async () => {
      const { user } = newBook()
      for (const did of [
        'did:a2p:agent:local:x',
        'did:a2p:user:elsewhere:x',
        'did:web:example.org',
        `did:a2p:user:local:${'x'.repeat(65)}`,
      ])
        expectRefused(await user('GET', `/profile/${did}`), 404, 'A2P003', 'did')
    })

    it('that is none is not found, and another method is told which there are', async () => {
      const book = newBook()
      const agent = await book.agent()
      expectRefused(await book.user('GET', '/nothing'), 404, 'A2P003')
      expectRefused(await agent.get(`/profile/${book.did}/nothing`), 404, 'A2P003')
      expectRefused(await nobody('GET', '/'), 404, 'A2P003')
      const wrong = await agent.send('POST', `/profile/${book.did}`, {})
      expectRefused(wrong, 405, 'A2P006')
      expect(wrong.headers.get('allow')).toBe('GET, HEAD')
      expectRefused(await book.user('DELETE', `/profile/${book.did}/access`), 405, 'A2P006')
      expectRefused(await book.user('PUT', '/health'), 405, 'A2P006')
    })

    it('of health and of a did:key needs nobody', async () => {
      const health = await nobody('GET', '/health')
      expect(health.body.data).toEqual({ status: 'ok', version: '0.1.0' })
      expectEnvelope(health)
      const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
      const { body } = await nobody('GET', `/did/${did}`)
      expect(body.data).toMatchObject({
        id: did,
        verificationMethod: [
          { type: 'Multikey', controller: did, publicKeyMultibase: did.slice('did:key:'.length) },
        ],
      })
      expectRefused(await nobody('GET', '/did/did:a2p:user:local:x'), 404, 'A2P003')
      expectRefused(await nobody('GET', '/did/did:a2p:user:x'), 404, 'A2P003')
      expectRefused(await nobody('GET', '/did/x'), 400, 'A2P010')
    })
  })

  describe('a body', () => {
    it.each<readonly [string, string | Record<string, unknown>, Record<string, string>, number]>([
      ['that is not JSON', '{', {}, 400],
      ['that says another type', JSON.stringify(request), { 'content-type': 'text/plain' }, 400],
      ['that is compressed', JSON.stringify(request), { 'content-encoding': 'gzip' }, 400],
      ['that is a list', '[]', {}, 400],
      ['that is a text', '"x"', {}, 400],
      ['without what is needed', {}, {}, 400],
      ['with a name of its own prototype', '{"__proto__":1,"scopes":[]}', {}, 400],
      ['with a lone surrogate', '{"scopes":["a2p:\\ud800"],"purpose":{"type":"other"}}', {}, 400],
      ['that is too large', JSON.stringify({ ...request, more: 'x'.repeat(100_001) }), {}, 413],
    ])('%s is refused, stores nothing and is in the log', async (_what, body, headers, status) => {
      const book = newBook()
      const agent = await book.agent()
      const path = `/profile/${book.did}/access`
      expectRefused(await agent.post(path, body, { headers }), status, 'A2P006')
      expect(await book.run('consent:requests')).toEqual({ requests: [] })
      // Nobody can say whose signature it is over a body that was not read to its end.
      expect(await book.log(agent.did)).toEqual(status === 413 ? [] : ['consent:request invalid-input'])
      // Whoever is not let in is not told what is wrong with it.
      if (status === 400) expectRefused(await nobody('POST', path, body, headers), 401, 'A2P001')
    })

    it.each<readonly [string, object]>([
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: 'a2p:preferences' }],
      ['scopes.0', { scopes: ['everything'] }],
      ['scopes.0', { scopes: [''] }],
      ['scopes.0', { scopes: [7] }],
      ['scopes', { scopes: Array.from({ length: 101 }, () => 'a2p:preferences') }],
      ['purpose', { purpose: undefined }],
      ['purpose.type', { purpose: {} }],
      ['purpose', { purpose: { type: 'world domination' } }],
      ['purpose.description', { purpose: { type: 'other', description: 'x'.repeat(501) } }],
      ['purpose', { purpose: { type: 'other', legalBasis: 'because' } }],
    ])('of a request for access with a wrong `%s` is refused', async (path, over) => {
      const book = newBook()
      const agent = await book.agent()
      const answer = await agent.post(`/profile/${book.did}/access`, { ...request, ...over })
      expectRefused(answer, 400, 'A2P006')
      expect(String(answer.body.error.details['path'])).toContain(path.split('.')[0])
      expect(await book.run('consent:requests')).toEqual({ requests: [] })
    })

    it('that names another agent or another user than it is signed for is refused', async () => {
      const book = newBook()
      const agent = await book.agent()
      for (const [path, did] of [
        ['agentDid', 'did:a2p:agent:local:x'],
        ['userDid', 'did:a2p:user:local:x'],
      ] as const) {
        const answer = await agent.post(`/profile/${book.did}/access`, { ...request, [path]: did })
        expectRefused(answer, 403, 'A2P002', path)
      }
    })
  })

  describe('the id of a request', () => {
    it('is made where there is none, and told back where there is', async () => {
      const { user, did } = newBook()
      const made = await user('GET', `/agents/did:a2p:agent:local:x?profile=${did}`)
      expect(made.body.meta['requestId']).toMatch(/^req_[A-Za-z0-9]{16}$/)
      const given = await user('GET', `/agents/did:a2p:agent:local:x?profile=${did}`, undefined, {
        'x-request-id': 'mine-1',
      })
      expect(given.headers.get('x-request-id')).toBe('mine-1')
      expectRefused(given, 404, 'A2P003')
      const none = await user('GET', '/health', undefined, { 'x-request-id': 'x'.repeat(201) })
      expect(none.body.meta['requestId']).toMatch(/^req_/)
      const wrong = await user('GET', `/agents/did:a2p:agent:local:x?profile=${did}`, undefined, {
        'x-request-id': 'a b',
      })
      expectRefused(wrong, 400, 'A2P006', 'x-request-id')
    })

    it('makes a write take effect once, and is refused for another one', async () => {
      const book = newBook()
      const agent = await book.stranger()
      const body = { did: agent.did, publicKey: agent.publicKey, keyType: 'Ed25519', name: 'Assistant' }
      const named = { 'x-request-id': 'register-1' }
      const path = `/agents/register?profile=${book.did}`
      const first = await book.user('POST', path, body, named)
      const again = await book.user('POST', path, body, named)
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.body.data).toEqual(first.body.data)
      const other = await book.user('POST', path, { ...body, name: 'Another' }, named)
      expectRefused(other, 400, 'A2P006')
    })
  })

  describe('what may be asked', () => {
    it('is told with every answer, and ends with the time to wait', async () => {
      const book = newBook()
      const path = `/agents/register?profile=${book.did}`
      const body = (name: string) => ({
        did: `did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK`,
        name,
      })
      const first = await book.user('POST', path, body('0'))
      expect(first.headers.get('x-ratelimit-limit')).toBe('10')
      expect(first.headers.get('x-ratelimit-remaining')).toBe('9')
      const resetS = Number(first.headers.get('x-ratelimit-reset'))
      expect(resetS - Date.now() / 1000).toBeGreaterThan(300)
      expect(resetS - Date.now() / 1000).toBeLessThan(363)
      for (let i = 1; i < 10; i++) await book.user('POST', path, body(String(i)))
      const refused = await book.user('POST', path, body('11'))
      expectRefused(refused, 429, 'A2P005')
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
      const wait = Number(refused.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(300)
      expect(refused.body.error.retryAfter).toBe(wait)
      expect(await book.run('a2p:get_agent', { did: body('').did })).toMatchObject({
        name: '9',
        registeredAt: (first.body.data as { registeredAt: string }).registeredAt,
      })
      // What is counted apart leaves the rest.
      expect((await book.user('GET', `/agents/${body('').did}?profile=${book.did}`)).status).toBe(200)
    })

    it('is each caller’s own, and a request that was refused for it may come again as it is', async () => {
      const book = newBook()
      const [busy, other] = [await book.agent('busy'), await book.agent('other')]
      const path = `/agents/${busy.did}?profile=${book.did}`
      const answers = []
      for (let i = 0; i < 100; i++) answers.push(busy.get(path))
      const statuses = (await Promise.all(answers)).map(({ status }) => status)
      const through = statuses.filter((status) => status === 200).length
      // A minute's requests and half as many at once, and one more for each second that it took.
      expect(through).toBeGreaterThanOrEqual(90)
      expect(through).toBeLessThan(100)
      expect(statuses.filter((status) => status === 429)).toHaveLength(100 - through)
      expect((await other.get(`/agents/${other.did}?profile=${book.did}`)).status).toBe(200)
      expect(await book.log(busy.did)).toContain('a2p:get_agent rate-limited')
    })
  })

  describe('a page of another origin', () => {
    const preflight = (origin: string) =>
      host.fetch(`${host.base}/a2p/v1/profile/did:a2p:user:local:x/access`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      })

    it('may ask when it is of this machine, and read what it is told', async () => {
      const allowed = await preflight('http://localhost:5173')
      expect(allowed.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
      expect(allowed.headers.get('access-control-allow-headers')).toMatch(/authorization.*x-request-id/i)
      const other = await preflight('https://evil.example')
      expect(other.headers.get('access-control-allow-origin')).toBeNull()
      const read = await nobody('GET', '/health', undefined, { origin: 'http://localhost:5173' })
      expect(read.headers.get('access-control-expose-headers')).toMatch(/x-ratelimit-remaining/i)
    })
  })

  describe('an agent', () => {
    it('is registered by the user alone', async () => {
      const book = newBook()
      const [agent, friend] = [await book.agent(), await book.stranger('friend')]
      const body = { did: friend.did, publicKey: friend.publicKey }
      const path = `/agents/register?profile=${book.did}`
      expectRefused(await nobody('POST', path, body), 401, 'A2P001')
      expectRefused(await friend.post(path, body), 401, 'A2P011')
      expectRefused(await agent.post(path, body), 403, 'A2P002')
      expectRefused(await agent.post(`/agents/${agent.did}/revoke?profile=${book.did}`, {}), 403, 'A2P002')
      const key = (
        await book.run<{ key: string }>('daybook:create_access_key', {
          name: 'guest',
          permissions: ['read', 'write', 'forget', 'export', 'sync'],
        })
      ).key
      expectRefused(await bearerClient(key, host.base, host.fetch)('POST', path, body), 403, 'A2P002')
      expect(await book.log(agent.did)).toEqual([
        'a2p:revoke_agent forbidden',
        'a2p:register_agent forbidden',
      ])
      expect((await book.run<{ agents: object[] }>('a2p:list_agents')).agents).toHaveLength(1)
    })

    it.each<readonly [string, object]>([
      ['did', { did: 'did:a2p:user:local:me' }],
      ['did', { did: 'did:a2p:agent:assistant' }],
      ['did', { did: 7 }],
      ['publicKey', { publicKey: 7 }],
      ['publicKey', { publicKey: undefined }],
      ['publicKey', { publicKey: 'AAAA' }],
      ['publicKey', { publicKey: 'not base64!' }],
      ['keyType', { keyType: 'RSA' }],
      ['generateKeys', { generateKeys: true }],
      ['name', { name: '' }],
      ['name', { name: 'x'.repeat(201) }],
      ['description', { description: 'x'.repeat(2001) }],
    ])('is not registered with a wrong `%s`', async (path, over) => {
      const book = newBook()
      const agent = await book.stranger()
      const body = { did: agent.did, publicKey: agent.publicKey, ...over }
      const answer = await book.user('POST', `/agents/register?profile=${book.did}`, body)
      expectRefused(answer, 400, 'A2P006', path)
      expect((await book.run<{ agents: object[] }>('a2p:list_agents')).agents).toEqual([])
    })

    it('is looked up by the user and by itself, and is nobody to others', async () => {
      const book = newBook()
      const [one, two] = [await book.agent('one'), await book.agent('two')]
      const path = `/agents/${one.did}?profile=${book.did}`
      expect((await book.user('GET', path)).body.data).toMatchObject({ id: one.did, status: 'active' })
      expect((await one.get(path)).body.data).toMatchObject({ id: one.did })
      expectRefused(await two.get(path), 404, 'A2P003')
      expectRefused(await book.user('GET', `/agents/${one.did}`), 404, 'A2P003', 'profile')
      const named = { 'x-daybook-book': book.name }
      expect((await book.user('GET', `/agents/${one.did}`, undefined, named)).status).toBe(200)
    })

    it('is let in to nothing but what the protocol has for it', async () => {
      const book = newBook()
      const agent = await book.agent()
      for (const path of [
        `/v1/books/${book.name}/capabilities/kstar:get_stats`,
        `/v1/books/${book.name}/sync`,
      ]) {
        const { init } = await agent.request('POST', path, {}, { signedPath: path })
        const answer = await host.fetch(`${host.base}${path}`, init)
        expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'unauthorized' }])
      }
    })
  })
}
