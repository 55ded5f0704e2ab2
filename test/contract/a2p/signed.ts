// Requests that agents sign: who is let in, and what is refused, with the protocol's own codes, nothing stored and a line in the
// log of access.
import { describe, expect, it } from 'vitest'
import { type A2pAgent, newNonce, readAnswer, type Twist } from './a2p-client.ts'
import { type A2pHost, createA2pWorld, expectEnvelope, expectRefused } from './a2p-world.ts'

const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const unixFromNow = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds)

export function signedCases(host: A2pHost): void {
  const newBook = createA2pWorld(host)
  const own = (agent: A2pAgent, did: string) => `/agents/${agent.did}?profile=${did}`

  describe('a signed request', () => {
    it.each(['instant', 'text', 'seconds'] as const)('is taken when it is signed by %s', async (dialect) => {
      const book = newBook()
      const agent = await book.agent()
      const answer = await agent.get(own(agent, book.did), { dialect })
      expect(answer.body).toMatchObject({
        success: true,
        data: { id: agent.did, profileType: 'agent', publicKey: agent.publicKey },
        meta: { agentDid: agent.did },
      })
      expectEnvelope(answer)
      expect(await book.log(agent.did)).toEqual(['a2p:get_agent ok'])
    })

    it('covers its query, and may sign the colons of its address encoded', async () => {
      const book = newBook()
      const agent = await book.agent()
      const path = own(agent, book.did)
      const [bare = ''] = path.split('?')
      expectRefused(await agent.get(path, { signedPath: `/a2p/v1${bare}` }), 401, 'A2P001')
      const encoded = path.replace(agent.did, encodeURIComponent(agent.did))
      expect((await agent.get(encoded)).status).toBe(200)
      expect((await agent.get(encoded, { signedPath: `/a2p/v1${path}` })).status).toBe(200)
    })

    it('that was captured counts with no other query, book, receipt or host', async () => {
      const [book, other] = [newBook(), newBook()]
      const agent = await book.agent()
      await other.run('a2p:register_agent', { did: agent.did, publicKey: agent.publicKey })
      const path = `/profile/${book.did}/proposals?limit=1`
      const signed = { signedPath: `/a2p/v1${path}` }
      // The nonce of each is unused: what refuses is the signature.
      expectRefused(await agent.get(path.replace('limit=1', 'limit=9'), signed), 401, 'A2P001')
      expectRefused(await agent.get(path.replace('?limit=1', ''), signed), 401, 'A2P001')
      expectRefused(await agent.get(path.replace(book.did, other.did), signed), 401, 'A2P001')
      const bare = `/agents/${agent.did}`
      const toOther = {
        headers: { 'x-daybook-book': other.name },
        signedHeaders: { 'x-daybook-book': book.name },
      }
      expectRefused(await agent.get(bare, toOther), 401, 'A2P001')
      const unsigned = { headers: { 'x-daybook-book': other.name }, signedHeaders: {} }
      expectRefused(await agent.get(own(agent, book.did), unsigned), 401, 'A2P001')
      const added = { headers: { 'daybook-receipt': 'rcpt_other' }, signedHeaders: {} }
      expectRefused(await agent.get(path, added), 401, 'A2P001')
      const swapped = { ...added, signedHeaders: { 'daybook-receipt': 'rcpt_one' } }
      expectRefused(await agent.get(path, swapped), 401, 'A2P001')
      expectRefused(
        await agent.get(path, { headers: {}, signedHeaders: swapped.signedHeaders }),
        401,
        'A2P001',
      )
      expectRefused(await agent.get(path, { aud: 'https://elsewhere.example.org' }), 401, 'A2P001', 'aud')
      expectRefused(await agent.get(path, { aud: null }), 401, 'A2P001', 'aud')
      // The name of another host can't be changed afterwards either.
      const rewritten = (honest: string) =>
        honest.replace(/aud="[^"]*"/, `aud="${host.audience ?? host.base}"`)
      const captured = { aud: 'https://elsewhere.example.org', authorization: rewritten }
      expectRefused(await agent.get(path, captured), 401, 'A2P001')
      expect((await agent.get(path)).status).toBe(200)
      expect((await agent.get(bare, { headers: { 'x-daybook-book': other.name } })).status).toBe(200)
    })

    it('is refused of an agent that nobody has registered, also of a book that is not there', async () => {
      const book = newBook()
      const stranger = await book.stranger()
      expectRefused(await stranger.get(own(stranger, book.did)), 401, 'A2P011')
      await book.run('kstar:get_stats')
      expectRefused(await stranger.get(own(stranger, book.did)), 401, 'A2P011')
      const late = { ts: secondsFromNow(-400) }
      expectRefused(await stranger.get(own(stranger, book.did), late), 401, 'A2P007')
      expectRefused(await stranger.get(own(stranger, newBook().did), late), 401, 'A2P007')
      expect(await book.log()).toContain('a2p:get_agent unauthorized')
    })

    it('is refused under another key than the registered one, and after the key was withdrawn', async () => {
      const book = newBook()
      const [agent, thief] = [await book.agent(), await book.stranger()]
      expect(thief.did).toBe(agent.did)
      expectRefused(await thief.get(own(thief, book.did)), 401, 'A2P001')
      await book.run('a2p:revoke_agent', { did: agent.did })
      expectRefused(await agent.get(own(agent, book.did)), 401, 'A2P011')
      await book.run('a2p:register_agent', { did: agent.did, publicKey: agent.publicKey })
      expect((await agent.get(own(agent, book.did))).status).toBe(200)
      // A key that took its place: the old one is nobody's.
      await book.run('a2p:register_agent', { did: agent.did, publicKey: thief.publicKey })
      expectRefused(await agent.get(own(agent, book.did)), 401, 'A2P001')
      expect((await thief.get(own(thief, book.did))).status).toBe(200)
    })

    it('counts for the book that its agent is registered in, and for no other', async () => {
      const [book, other] = [newBook(), newBook()]
      const agent = await book.agent()
      await other.run('kstar:get_stats')
      expectRefused(await agent.get(own(agent, other.did)), 401, 'A2P011')
    })

    it.each<readonly [string, Twist]>([
      ['another body', { signedBody: '{"scopes":["a2p:health"],"purpose":{"type":"other"}}' }],
      ['no body', { signedBody: '' }],
      ['another path', { signedPath: '/a2p/v1/profile/did:a2p:user:local:other/access' }],
      ['another method', { signedMethod: 'GET' }],
      ['another way of signing', { dialect: 'seconds', ts: secondsFromNow(0) }],
      ['a signature that is cut', { authorization: (honest) => honest.replace(/sig="[^"]{8}/, 'sig="') }],
      [
        'a signature that is no base64',
        { authorization: (honest) => honest.replace(/sig="[^"]*/, 'sig="!!') },
      ],
    ])('is refused with a signature over %s, and stores nothing', async (_what, twist) => {
      const book = newBook()
      const agent = await book.agent()
      const body = { scopes: ['a2p:preferences'], purpose: { type: 'personalization' } }
      const path = `/profile/${book.did}/access`
      expectRefused(await agent.post(path, body, twist), 401, 'A2P001')
      expect(await book.run('consent:requests')).toEqual({ requests: [] })
      expect(await book.log(agent.did)).toEqual(['consent:request unauthorized'])
    })

    it('is done once, however often it comes, to whichever process', async () => {
      const book = newBook()
      const agent = await book.agent()
      const { url, init } = await agent.request('GET', own(agent, book.did), undefined)
      expect((await readAnswer(await host.fetch(url, init))).status).toBe(200)
      expectRefused(await readAnswer(await host.fetch(url, init)), 401, 'A2P008')
      const named = { ...init, headers: { ...init.headers, 'x-request-id': 'another' } }
      expectRefused(await readAnswer(await host.fetch(url, named)), 401, 'A2P008')
      expect(await book.log(agent.did)).toEqual([
        'a2p:get_agent unauthorized',
        'a2p:get_agent unauthorized',
        'a2p:get_agent ok',
      ])
      const elsewhere = url.replace(host.base, host.other ?? host.base)
      expectRefused(await readAnswer(await host.fetch(elsewhere, init)), 401, 'A2P008')
      // Of several that come at once one is done.
      const again = await agent.request('GET', own(agent, book.did), undefined)
      const all = await Promise.all(Array.from({ length: 5 }, () => host.fetch(again.url, again.init)))
      expect(all.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401])
      for (const one of all) await one.text()
    })

    it('may have the nonce of another agent', async () => {
      const book = newBook()
      const [one, two] = [await book.agent('one'), await book.agent('two')]
      const nonce = newNonce()
      expect((await one.get(own(one, book.did), { nonce })).status).toBe(200)
      expect((await two.get(own(two, book.did), { nonce })).status).toBe(200)
    })

    it.each<readonly [string, () => Twist]>([
      ['301 s ago', () => ({ ts: secondsFromNow(-301) })],
      ['in 302 s', () => ({ ts: secondsFromNow(302) })],
      ['at no time', () => ({ ts: 'yesterday' })],
      ['on a day', () => ({ ts: secondsFromNow(0).slice(0, 10) })],
      ['301 s ago in Unix seconds', () => ({ dialect: 'seconds', ts: unixFromNow(-301) })],
      ['and expired', () => ({ ts: secondsFromNow(-20), exp: '10' })],
      ['to expire at no time', () => ({ exp: '-1' })],
      ['and expired in Unix seconds', () => ({ dialect: 'seconds', exp: unixFromNow(-1) })],
    ])('is refused when it was signed %s', async (_when, twistOf) => {
      const book = newBook()
      const agent = await book.agent()
      expectRefused(await agent.get(own(agent, book.did), twistOf()), 401, 'A2P007')
      expect(await book.log(agent.did)).toEqual(['a2p:get_agent unauthorized'])
    })

    it('is taken when clocks differ by less than five minutes', async () => {
      const book = newBook()
      const agent = await book.agent()
      for (const seconds of [-295, 295]) {
        const twist = { ts: secondsFromNow(seconds) }
        expect((await agent.get(own(agent, book.did), twist)).status).toBe(200)
      }
      const offset = secondsFromNow(7200).replace('Z', '+02:00')
      expect((await agent.get(own(agent, book.did), { ts: offset })).status).toBe(200)
    })

    it('is refused with a nonce that is none', async () => {
      const book = newBook()
      const agent = await book.agent()
      const statusOf = async (nonce: string) => (await agent.get(own(agent, book.did), { nonce })).status
      expect(await statusOf('a'.repeat(16))).toBe(200)
      expect(await statusOf('a'.repeat(32))).toBe(200)
      for (const nonce of [
        'a'.repeat(15),
        'a'.repeat(33),
        'with-dashes-in-it',
        'with blanks in it!',
        'ä'.repeat(16),
      ]) {
        const asked = agent.get(own(agent, book.did), {
          nonce: nonce.startsWith('ä') ? 'plain-ascii' : nonce,
        })
        expectRefused(await asked, 401, 'A2P009', 'nonce')
      }
    })

    it.each(['did', 'sig', 'ts', 'nonce'])('is refused without %s', async (name) => {
      const book = newBook()
      const agent = await book.agent()
      const authorization = (honest: string) =>
        honest.replace(new RegExp(`,?${name}="[^"]*"`), '').replace(' ,', ' ')
      expectRefused(await agent.get(own(agent, book.did), { authorization }), 401, 'A2P001', name)
    })

    it.each<readonly [string, (honest: string) => string | undefined]>([
      ['no authorization', () => undefined],
      ['an empty one', () => ''],
      ['the scheme alone', () => 'A2P-Signature'],
      ['another scheme', () => 'Basic ZGV2ZWxvcG1lbnQ6'],
      ['a field twice', (honest) => `${honest},nonce="${newNonce()}"`],
      ['a field that is none', (honest) => `${honest},key="x"`],
      ['a quote that does not end', (honest) => honest.slice(0, -1)],
      ['more than anybody signs', (honest) => `${honest},exp="${'1'.repeat(5000)}"`],
      ['a key that nobody has', () => 'Bearer nobody-has-this-key'],
    ])('is refused with %s', async (_what, authorization) => {
      const book = newBook()
      const agent = await book.agent()
      const answer = await agent.get(own(agent, book.did), { authorization })
      expectRefused(answer, 401, 'A2P001')
      expect(answer.text).not.toContain('nobody-has-this-key')
    })

    it.each([
      'did:a2p:agent:assistant',
      'did:a2p:user:local:me',
      'assistant',
      'DID:a2p:agent:local:x',
      'did:a2p:',
    ])('is refused of %s, which is no agent', async (did) => {
      const book = newBook()
      const agent = await book.agent()
      expectRefused(await agent.get(own(agent, book.did), { did }), 400, 'A2P010', 'did')
    })

    it('is refused of a did:key until it is registered, which needs no key then', async () => {
      const book = newBook()
      const agent = await book.agent('known')
      const { key } = (await book.run<{ key: string }>('a2p:get_agent', { did: agent.did })) ?? {}
      const asked = () => agent.get(`/agents/${key}?profile=${book.did}`, { did: key })
      expectRefused(await asked(), 401, 'A2P011')
      await book.run('a2p:register_agent', { did: key })
      expect((await asked()).body).toMatchObject({ data: { id: key } })
    })
  })
}
