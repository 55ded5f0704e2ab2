// Tokens of a book as a device of its owner signs and sends them to a mirror, on any host that has WebCrypto.
import { toBase64Url } from '../../../src/shape/encoded-bytes.ts'
import { createKeyring } from '../../../src/trust/keyring.ts'
import { lineageHash, signedText, toBearer } from '../../../src/trust/token.ts'
import type { ControlToken } from '../../../src/trust/token-schema.ts'

const at = '2026-01-01T00:00:00.000Z'
const secret = toBase64Url(Uint8Array.from({ length: 32 }, (_, i) => i))

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Signs as the owner of a book; `ops` bring all that was signed so far to a mirror. */
export async function createOwner() {
  const keyring = createKeyring({
    subtle: crypto.subtle,
    encode: (text) => Uint8Array.from(new TextEncoder().encode(text)),
    async getOrCreatePair() {
      const made = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
      const pair = made as Extract<typeof made, { readonly privateKey: unknown }>
      const publicKey = new Uint8Array(
        (await crypto.subtle.exportKey('raw', pair.publicKey)) as unknown as ArrayBuffer,
      )
      return { publicKey, privateKey: pair.privateKey }
    },
  })
  const signer = await keyring.signer()
  if (!signer) throw new Error('There is no signer.')
  const ops: object[] = []
  const put = (kind: string, id: string, body: object) => {
    const mid = ops.length + 1
    ops.push({
      mid,
      op: 'put',
      kind,
      id,
      base: 0,
      at,
      created_at: at,
      agent: 'tutor',
      stamp: `019b00000000-${mid.toString(16).padStart(4, '0')}-d_answer`,
      body,
    })
  }
  put('key', signer.key, { added_at: at })
  return {
    key: signer.key,
    put,
    ops,
    async grant(over: Partial<ControlToken>, parent?: ControlToken) {
      const claims = {
        token_id: `token::${ops.length}`,
        type: 'capability_grant',
        scope: '**',
        permissions: ['read', 'write', 'sync'],
        granted_by: signer.key,
        granted_to: 'grader',
        granted_at: at,
        expires_at: '2099-01-01T00:00:00.000Z',
        delegation_chain: parent ? [parent.token_id, ...parent.delegation_chain] : [],
        lineage_hash: await lineageHash(parent, sha256),
        revoked: false,
        secret_hash: await sha256(secret),
        ...over,
      }
      const token = { ...claims, signature: await signer.sign(signedText(claims)) }
      put('token', token.token_id, token)
      return { token, bearer: toBearer(token, secret) }
    },
  }
}
