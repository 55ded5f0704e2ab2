// Sealed bodies opened by the words of the specification and RFC 9180, with Node's own crypto and none of this project's code.
import {
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from 'node:crypto'

export interface Sealed {
  readonly kid: string
  readonly v: number
  readonly n: string
  readonly ct: string
}

/** The text of a body; throws where it does not open. */
export function openSealed(
  { kid, v, n, ct }: Sealed,
  key: Buffer,
  { book, kind, id }: { readonly book: string; readonly kind: string; readonly id: string },
): string {
  const bytes = Buffer.from(ct, 'base64')
  const cipher = createDecipheriv('aes-256-gcm', key, Buffer.from(n, 'base64'))
  cipher.setAAD(Buffer.from(JSON.stringify(['daybook', book, kind, id, v, kid])))
  cipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([cipher.update(bytes.subarray(0, -16)), cipher.final()]).toString('utf8')
}

const jwk = (x: Buffer, d?: Buffer) => ({
  kty: 'OKP',
  crv: 'X25519',
  x: x.toString('base64url'),
  ...(d ? { d: d.toString('base64url') } : {}),
})
const basePoint = Buffer.from([9, ...Array.from({ length: 31 }, () => 0)])

function x25519(privateKey: Buffer, publicKey: Buffer): Buffer {
  return diffieHellman({
    // Which public half is named beside a private one is of no matter here.
    privateKey: createPrivateKey({ key: jwk(basePoint, privateKey), format: 'jwk' }),
    publicKey: createPublicKey({ key: jwk(publicKey), format: 'jwk' }),
  })
}

/** E10: the pair that follows from a key. */
export function pairFrom(key: Buffer): { readonly publicKey: Buffer; readonly privateKey: Buffer } {
  const privateKey = Buffer.from(hkdfSync('sha256', key, '', 'daybook X25519', 32))
  return { privateKey, publicKey: x25519(privateKey, basePoint) }
}

const hmac = (key: Buffer, data: Buffer) => createHmac('sha256', key).update(data).digest()
const kem = Buffer.from('KEM\u0000\u0020', 'latin1')
const hpke = Buffer.from('HPKE\u0000\u0020\u0000\u0001\u00ff\u00ff', 'latin1')

/** RFC 9180, section 4. */
const extract = (suite: Buffer, salt: Buffer, label: string, ikm: Buffer) =>
  hmac(
    salt.length === 0 ? Buffer.alloc(32) : salt,
    Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label), ikm]),
  )
const expand = (suite: Buffer, prk: Buffer, label: string, info: Buffer) =>
  hmac(
    prk,
    Buffer.concat([
      Buffer.from([0, 32]),
      Buffer.from('HPKE-v1'),
      suite,
      Buffer.from(label),
      info,
      Buffer.from([1]),
    ]),
  )

/** RFC 9180, sections 4.1, 5.1 and 5.3: the secret that the receiver exports, in base mode. */
export function receivedKey(
  privateKey: Buffer,
  publicKey: Buffer,
  encapsulated: Buffer,
  { info, context }: { readonly info: string; readonly context: string },
): Buffer {
  const none = Buffer.alloc(0)
  const shared = expand(
    kem,
    extract(kem, none, 'eae_prk', x25519(privateKey, encapsulated)),
    'shared_secret',
    Buffer.concat([encapsulated, publicKey]),
  )
  const schedule = Buffer.concat([
    Buffer.from([0]),
    extract(hpke, none, 'psk_id_hash', none),
    extract(hpke, none, 'info_hash', Buffer.from(info)),
  ])
  const exporter = expand(hpke, extract(hpke, shared, 'secret', none), 'exp', schedule)
  return expand(hpke, exporter, 'sec', Buffer.from(context))
}
