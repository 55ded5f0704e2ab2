// What the protocol's published suite asks of a host, as it asks: with one token for everything, the version `1.0`, and as often
// as somebody runs it against the same profile.
import { describe, expect, it } from 'vitest'
import { bearerClient } from './a2p-client.ts'
import { type A2pBook, type A2pHost, createA2pWorld } from './a2p-world.ts'

const version = { 'a2p-version': '1.0', 'content-type': 'application/json' }
const did = /^did:/
const proposal = {
  content: 'Proposed by somebody who tests this host',
  category: 'a2p:test.conformance',
  confidence: 0.9,
}
const access = {
  scopes: ['a2p:preferences', 'a2p:interests'],
  purpose: { type: 'personalization', description: 'A request of a test', legalBasis: 'consent' },
}

export function suiteCases(host: A2pHost): void {
  const newBook = createA2pWorld(host)

  const tokens: Readonly<Record<string, (book: A2pBook) => Promise<string>>> = {
    'the key of the user': () => Promise.resolve(host.key),
    'the key of an agent': async (book) => {
      const input = { name: 'tester', permissions: ['read', 'propose'] }
      return (await book.run<{ key: string }>('daybook:create_access_key', input)).key
    },
  }

  /** The answers to the ten questions, each as whoever runs the suite would judge it. */
  async function ask(token: string, user: string): Promise<Record<string, unknown>> {
    const client = bearerClient(token, host.base, host.fetch)
    const nobody = bearerClient(null, host.base, host.fetch)
    const own = `/profile/${user}`
    const profile = await client('GET', own, undefined, version)
    const { id, profileType } = profile.body.data as { id: string; profileType: string }
    const oldTs = new Date(Date.now() - 600_000).toISOString()
    const authorization = `A2P-Signature did="did:a2p:agent:local:x",sig="test",ts="${oldTs}",nonce="k3j9x0a"`
    const old = await nobody('GET', own, undefined, { ...version, authorization })
    const proposed = await client('POST', `${own}/memories/propose`, proposal, version)
    const wrong = { content: '', category: 'invalid-category' }
    const asked = await client('POST', `${own}/access`, access, version)
    return {
      profile: [profile.status, profile.body.success, did.test(id), profileType],
      nobody: (await nobody('GET', own)).status,
      old: old.status,
      absent: (await client('GET', '/profile/did:a2p:user:nonexistent', undefined, version)).status,
      proposed: [proposed.status, (proposed.body.data as { proposalId: string }).proposalId.slice(0, 5)],
      wrong: (await client('POST', `${own}/memories/propose`, wrong, version)).status,
      access: [asked.status, asked.body.data],
      rates: ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => profile.headers.has(name)),
      version: profile.headers.get('a2p-version'),
    }
  }

  /** An agent needs policies; the user asks nobody. */
  const openTo = (book: A2pBook) =>
    book.run('consent:set_policy', {
      forAgents: '*',
      allow: ['a2p:preferences', 'a2p:interests', 'a2p:test'],
      permissions: ['read_scoped', 'propose'],
    })

  describe('the published suite', () => {
    it.each(Object.entries(tokens))(
      'is answered as it wants with %s, again and again',
      async (whose, tokenOf) => {
        const book = newBook()
        if (whose === 'the key of an agent') await openTo(book)
        const token = await tokenOf(book)
        const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string
        for (let run = 0; run < 3; run++)
          expect(await ask(token, book.did)).toMatchObject({
            profile: [200, true, true, 'human'],
            nobody: 401,
            old: 401,
            absent: 404,
            proposed: [201, 'prop_'],
            wrong: 400,
            access: [
              200,
              {
                receiptId: expect.stringMatching(/^rcpt_/) as string,
                userDid: book.did,
                agentDid: expect.stringMatching(did) as string,
                grantedScopes: access.scopes,
                grantedAt: instant,
                expiresAt: instant,
              },
            ],
            rates: [true, true],
            version: '1.0',
          })
      },
    )
  })
}
