// A real identity provider (OpenID Connect, with dynamic registration, PKCE and resource indicators), and a browser's way
// through its pages.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface SignInProvider extends AsyncDisposable {
  readonly issuer: string
  /** Signs `user` in at the address that a client opens, agrees, and returns where the provider sends the browser then. */
  signIn(address: URL, user: string): Promise<URL>
}

/** `ttlS`: seconds that an access token is valid. */
export async function startSignInProvider({ ttlS = 600 } = {}): Promise<SignInProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    scopes: ['openid', 'offline_access', 'daybook:read', 'daybook:write'],
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: () => true,
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          audience,
          scope: 'daybook:read daybook:write',
          accessTokenTTL: ttlS,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  })
  server.on('request', provider.callback())
  return {
    issuer,
    signIn: (address, user) => signIn(address, { user, issuer }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Follows redirects with cookies, and sends the forms of the provider: sign in, then agree. */
async function signIn(address: URL, { user, issuer }: { user: string; issuer: string }): Promise<URL> {
  const cookies = new Map<string, string>()
  let next = address
  let form: URLSearchParams | undefined
  for (;;) {
    if (next.origin !== issuer) return next
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const page = await response.text()
    const location = response.headers.get('location')
    form = undefined
    if (location === null) {
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (action === undefined || prompt === undefined)
        throw new Error(`The provider answers ${response.status} without a form: ${page.slice(0, 500)}`)
      next = new URL(action, next)
      form = new URLSearchParams(prompt === 'login' ? { prompt, login: user, password: 'any' } : { prompt })
    } else next = new URL(location, next)
  }
}
