// An identity provider as an edge sees it: an address with public keys, and JSON Web Tokens signed by them.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export interface IdentityProvider extends AsyncDisposable {
  /** What an edge has to be told to trust it. */
  readonly settings: {
    readonly DAYBOOK_JWKS_URL: string
    readonly DAYBOOK_JWT_ISSUER: string
    readonly DAYBOOK_JWT_AUDIENCE: string
  }
  /** A token with these claims, good for ten minutes. */
  sign(claims: object): Promise<string>
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA')
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a' }] })
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(keys)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = 'https://id.example.org/'
  return {
    settings: {
      DAYBOOK_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
      DAYBOOK_JWT_ISSUER: issuer,
      DAYBOOK_JWT_AUDIENCE: 'daybook',
    },
    sign: (claims) =>
      new SignJWT({ iss: issuer, aud: 'daybook', exp: Math.floor(Date.now() / 1000) + 600, ...claims })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'a' })
        .sign(privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
