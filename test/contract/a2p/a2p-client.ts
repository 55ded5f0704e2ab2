// A client of the a2p protocol as an outsider would write one: from `fetch` and WebCrypto alone, by the specification.
// It knows nothing of this project, and nothing of it is imported here.

import { defined } from '../../../src/core/defined.ts'

export interface A2pAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly success: boolean
    readonly data: never
    readonly error: {
      readonly code: string
      readonly message: string
      readonly details: Record<string, unknown>
      readonly retryAfter?: number
    }
    readonly meta: Record<string, unknown>
  }
  readonly text: string
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What a test may have otherwise than an honest agent. */
export interface Twist {
  readonly ts?: string
  readonly nonce?: string
  readonly exp?: string
  /** Signs as if this were the body, the path or the method. */
  readonly signedBody?: string
  readonly signedPath?: string
  readonly signedMethod?: string
  /** The host it is signed for; null: for none. */
  readonly aud?: string | null
  /** Signs as if these headers were sent. */
  readonly signedHeaders?: Readonly<Record<string, string>>
  readonly did?: string
  readonly dialect?: 'instant' | 'text' | 'seconds'
  /** The header as it is sent, made of what an honest one is. */
  readonly authorization?: (honest: string) => string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const utf8 = (text: string) => Uint8Array.from(new TextEncoder().encode(text))
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/** 20 letters and digits. */
export const newNonce = () => hex(crypto.getRandomValues(new Uint8Array(10)))

export class A2pAgent {
  readonly did: string
  readonly publicKey: string
  readonly #key: Key
  readonly #fetch: Fetch
  readonly #base: string
  readonly #audience: string

  private constructor(parts: {
    did: string
    publicKey: string
    key: Key
    base: string
    fetch: Fetch
    audience: string
  }) {
    this.did = parts.did
    this.publicKey = parts.publicKey
    this.#key = parts.key
    this.#base = parts.base
    this.#audience = parts.audience
    this.#fetch = parts.fetch
  }

  /** An agent with a new key, that speaks to the host at `base`, which is known as `audience`. */
  static async make(did: string, base: string, fetch: Fetch, audience = base): Promise<A2pAgent> {
    const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as {
      readonly publicKey: Key
      readonly privateKey: Key
    }
    const raw = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
    return new A2pAgent({ did, publicKey: base64(raw), key: pair.privateKey, base, fetch, audience })
  }

  get(path: string, twist?: Twist): Promise<A2pAnswer> {
    return this.send('GET', path, undefined, twist)
  }

  post(path: string, body: unknown, twist?: Twist): Promise<A2pAnswer> {
    return this.send('POST', path, body, twist)
  }

  /** Sends `body` (a text as it is, else as JSON) to a path below `/a2p/v1`, signed. */
  async send(method: string, path: string, body: unknown, twist: Twist = {}): Promise<A2pAnswer> {
    const { init, url } = await this.request(method, path, body, twist)
    return readAnswer(await this.#fetch(url, init))
  }

  /** The same request, to be sent by the test as often as it likes. */
  async request(method: string, path: string, body: unknown, twist: Twist = {}) {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const whole = `/a2p/v1${path}`
    const honest = await this.#sign(method, whole, text, twist)
    const authorization = twist.authorization ? twist.authorization(honest) : honest
    const init: RequestInit = {
      method,
      headers: {
        ...defined({ authorization }),
        ...(text === '' ? {} : { 'content-type': 'application/json' }),
        ...twist.headers,
      },
      ...(text === '' ? {} : { body: text }),
    }
    return { url: `${this.#base}${whole}`, init }
  }

  async #sign(method: string, path: string, body: string, twist: Twist): Promise<string> {
    const { did = this.did, nonce = newNonce(), dialect = 'instant' } = twist
    const isSeconds = dialect === 'seconds'
    const nowS = Math.floor(Date.now() / 1000)
    const ts = twist.ts ?? (isSeconds ? String(nowS) : new Date().toISOString())
    const exp = twist.exp ?? (isSeconds ? String(nowS + 300) : undefined)
    const hashed = await sha256(utf8(twist.signedBody ?? body))
    const aud = twist.aud === null ? undefined : (twist.aud ?? this.#audience)
    const headers = new Headers(twist.signedHeaders ?? twist.headers)
    const named = Object.entries({
      aud,
      'x-daybook-book': headers.get('x-daybook-book') ?? undefined,
      'daybook-receipt': headers.get('daybook-receipt') ?? undefined,
    })
    const covered = named.flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`]))
    const head = [twist.signedMethod ?? method, twist.signedPath ?? path]
    const digest = await sha256(utf8([...head, ts, nonce, hex(hashed), ...covered].join('\n')))
    const signed = {
      instant: digest,
      text: utf8(hex(digest)),
      seconds: utf8(
        [...head, body === '' ? '' : base64(hashed), ts, nonce, exp ?? '', ...covered].join('\n'),
      ),
    }[dialect]
    const sig = base64(new Uint8Array(await crypto.subtle.sign('Ed25519', this.#key, signed)))
    const fields = Object.entries({ did, sig, ts, nonce, exp, aud }).filter(
      ([, value]) => value !== undefined,
    )
    return `A2P-Signature ${fields.map(([name, value]) => `${name}="${value}"`).join(',')}`
  }
}

/** A caller with a key of the host's own, as its user has one. */
export function bearerClient(key: string | null, base: string, fetch: Fetch) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    readAnswer(
      await fetch(`${base}/a2p/v1${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
}

export async function readAnswer(response: Response): Promise<A2pAnswer> {
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, body: (text === '' ? {} : JSON.parse(text)) as A2pAnswer['body'] }
}
