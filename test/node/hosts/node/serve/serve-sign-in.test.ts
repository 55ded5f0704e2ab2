// MCP clients that sign in at an identity provider, with no key pasted: RFC 9728, registration, PKCE, a refreshed token, and
// tokens for another book or server.
import {
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newClient } from '../../../../contract/mcp/mcp.ts'
import { type SignInProvider, startSignInProvider } from '../../../../support/server/sign-in-provider.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { start, run, open, close, closing } = createServeWorld()

/** A host of MCP that keeps its sign-in in memory, and opens the pages of the provider for a user. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:9/callback'
  opened: URL | undefined
  stored: OAuthTokens | undefined
  #client: OAuthClientInformationMixed | undefined
  #verifier = ''
  readonly #scope: string
  constructor(scope: string) {
    this.#scope = scope
  }
  get clientMetadata() {
    return {
      client_name: 'A host',
      redirect_uris: [this.redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: this.#scope,
    }
  }
  clientInformation = () => this.#client
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client
  }
  tokens = () => this.stored
  saveTokens(tokens: OAuthTokens) {
    this.stored = tokens
  }
  redirectToAuthorization(address: URL) {
    this.opened = address
  }
  codeVerifier = () => this.#verifier
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }
}

describe.skipIf(skipped !== '')(`Signing in at \`daybook serve\`${skipped}`, { timeout: 60_000 }, () => {
  let provider: SignInProvider
  let url = ''
  beforeAll(async () => {
    await open()
    provider = await startSignInProvider()
    closing.push(async () => provider[Symbol.asyncDispose]())
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    await start({
      port,
      settings: {
        DAYBOOK_JWKS_URL: `${provider.issuer}/jwks`,
        DAYBOOK_JWT_ISSUER: provider.issuer,
        DAYBOOK_JWT_AUDIENCE: `${url} https://memory.example.org`,
        DAYBOOK_JWT_BOOK: 'user-{sub}',
      },
    })
  })
  afterAll(close)

  const mcpAt = (book: string) => new URL(`${url}/v1/books/${book}/mcp?tools=records`)
  /** A client of `user`, after its first refusal, the provider's pages and its return. */
  async function signedIn(user: string, scope = 'openid') {
    const host = new Host(scope)
    const refused = new StreamableHTTPClientTransport(mcpAt(`user-${user}`), { authProvider: host })
    await expect(newClient('legacy').connect(refused)).rejects.toThrow(UnauthorizedError)
    const back = await provider.signIn(host.opened as URL, user)
    await refused.finishAuth(back.searchParams)
    const client = newClient('legacy')
    await client.connect(new StreamableHTTPClientTransport(mcpAt(`user-${user}`), { authProvider: host }))
    closing.push(() => client.close())
    return { host, client }
  }
  const askAs = (token: string, address: URL | string) =>
    fetch(address, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })

  it('a host without a key signs its user in, and remembers in the book of this user', async () => {
    const { client, host } = await signedIn('alice')
    const stored = await client.callTool({ name: 'store_perception', arguments: { content: 'Likes tea' } })
    expect(stored.isError).not.toBe(true)
    const { body } = await run({ url, book: 'user-alice' }, 'kstar:query_perceptions', {})
    expect(body['records']).toMatchObject([{ content: 'Likes tea' }])
    // The token is bound to this address: not to another book, nor to another address of the same book.
    const token = host.stored?.access_token ?? ''
    expect((await askAs(token, mcpAt('user-alice'))).status).toBe(200)
    expect((await askAs(token, mcpAt('user-bob'))).status).toBe(401)
    expect((await askAs(token, `${url}/v1/books/user-alice/capabilities/daybook:status`)).status).toBe(401)
  })

  it('a token is refreshed without the user', async () => {
    const { client, host } = await signedIn('carol')
    const first = host.stored?.access_token
    host.stored = { ...(host.stored as OAuthTokens), access_token: 'eyJ.expired.token' }
    const { tools } = await client.listTools()
    expect(tools.length).toBeGreaterThan(0)
    expect(host.stored.access_token).not.toBe('eyJ.expired.token')
    expect(host.stored.access_token).not.toBe(first)
  })

  it('scopes of Daybook limit what a host may do', async () => {
    const { client } = await signedIn('dora', 'daybook:read')
    const read = await client.callTool({ name: 'context', arguments: { text: 'tea' } })
    expect(read.isError).not.toBe(true)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('context')
    const write = await client
      .callTool({ name: 'store_perception', arguments: { content: 'x' } })
      .catch(String)
    expect(JSON.stringify(write)).toMatch(/forbidden|not found|unknown/i)
    const { body } = await run({ url, book: 'user-dora' }, 'kstar:query_perceptions', {})
    expect(body['records']).toEqual([])
  })

  it('the metadata name the address of the setting, whatever host a request names', async () => {
    const path = '/.well-known/oauth-protected-resource/v1/books/user-alice/mcp'
    const metadata = await (await fetch(`${url}${path}`)).json()
    expect(metadata).toEqual({
      resource: `${url}/v1/books/user-alice/mcp`,
      resource_name: 'Daybook, book user-alice',
      authorization_servers: [provider.issuer],
      bearer_methods_supported: ['header'],
    })
    const refused = await fetch(mcpAt('user-alice'), { method: 'POST', body: '{}' })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="daybook", resource_metadata="${url}${path}"`,
    ])
    const elsewhere = await fetch(`${url}/v1/books/user-alice/sync`, { method: 'POST', body: '{}' })
    expect(elsewhere.headers.get('www-authenticate')).toBe('Bearer realm="daybook"')
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
