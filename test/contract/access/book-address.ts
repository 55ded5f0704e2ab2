// However an address is spelt, the book that somebody was let in to is the book that is opened.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import type { RawRequest } from '../../support/server/raw-request.ts'

export interface AddressHost {
  /** The key of the whole edge. */
  readonly key: string
  /** A JSON Web Token that this edge trusts, with these claims. */
  sign(claims: object): Promise<string>
  /** The request as it is, byte for byte. */
  ask(request: RawRequest): Promise<{ readonly status: number; readonly text: string }>
}

const hex = (byte: number, isUpper: boolean) => {
  const text = byte.toString(16).padStart(2, '0')
  return `%${isUpper ? text.toUpperCase() : text}`
}
/** What somebody may write in place of a character, or around it. */
const spellings: readonly ((char: string) => string)[] = [
  (char) => char,
  (char) => hex(char.charCodeAt(0), true),
  (char) => hex(char.charCodeAt(0), false),
  (char) => hex(char.charCodeAt(0), true).replace('%', '%25'),
  (char) => hex(char.charCodeAt(0), true).replace('%', '%2525'),
  (char) => char.toUpperCase(),
  // UTF-8 in two bytes where one would do, which no decoder may take.
  (char) => hex(0xc0 | (char.charCodeAt(0) >> 6), true) + hex(0x80 | (char.charCodeAt(0) & 63), true),
  (char) => `${char}%ff`,
  (char) => `${char}%00`,
  (char) => `${char};x`,
  (char) => `${char}%zz`,
  (char) => `${char}%`,
]
const separators = [
  '/',
  '//',
  '/./',
  '/%2e/',
  '%2f',
  '%2F',
  '/%2e%2e/',
  '/x/../',
  '\\',
  '%5c',
  '/%252e%252e/',
]

/** A path whose characters, and what stands between its segments, are spelt in some way; mostly as they are. */
export const spelt = (path: string) => {
  const mostly = <Value>(usual: Value, others: readonly Value[]) =>
    fc.oneof(
      { weight: 20, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    )
  const pieces = [...path].map((char) =>
    char === '/'
      ? mostly('/', separators)
      : mostly(spellings[0] ?? String, spellings).map((spell) => spell(char)),
  )
  const ends = fc.constantFrom('', '', '', '/', '?book=alice', '#alice', '%3f', ';', '%00')
  return fc.tuple(fc.tuple(...pieces), ends).map(([parts, end]) => parts.join('') + end)
}

/** The same with one run of characters encoded: the shortest way to say one thing to a parser and another to a router. */
export const encodedRun = (path: string) =>
  fc
    .tuple(fc.nat(path.length - 1), fc.integer({ min: 1, max: 4 }), fc.boolean())
    .map(([from, length, isUpper]) =>
      [...path]
        .map((char, i) =>
          char !== '/' && i >= from && i < from + length ? hex(char.charCodeAt(0), isUpper) : char,
        )
        .join(''),
    )

export function bookAddressCases({ key, sign, ask }: AddressHost): void {
  const secret = 'what only alice may read'
  const at = (book: string, verb: string) => `/v1/books/${book}/${verb}`
  const sync = {
    p: 1,
    device: 'd_address',
    epoch: null,
    ackedMid: 0,
    schema: 1,
    ops: [],
    pull: {
      cursor: 0,
      limit: 100,
      maxBytes: 5e5,
    },
  }
  const requests = [
    { verb: 'capabilities/kstar:query_traces', body: {} },
    { verb: 'capabilities/daybook:create_access_key', body: { name: 'stolen', owner: true } },
    { verb: 'sync', body: sync },
    { verb: 'live', body: { device: 'd_address' } },
    { verb: 'inbox', body: { text: 'from mallory' } },
  ]
  const run = (book: string, id: string, body: unknown) =>
    ask({ target: at(book, `capabilities/${id}`), key, body })
  const open = async () => {
    expect((await run('alice', 'kstar:store_trace', makeTrace({ task: { goal: secret } }))).status).toBe(200)
    expect((await run('mallory', 'daybook:status', {})).status).toBe(200)
    return sign({ sub: 'm', daybook: { books: ['mallory'], owner: true } })
  }
  /** What of alice's book somebody else could have changed. */
  const stateOf = async (book: string) => {
    const answers = [
      await run(book, 'daybook:list_access_keys', {}),
      await run(book, 'inbox:list', { agent: 'edge', state: 'all' }),
    ]
    return answers.map(({ text }) => text.split('\r\n\r\n')[1]).join('\n')
  }
  const reads = (answer: { readonly text: string }) => answer.text.includes(secret)

  it('is open to its own book, and to no other under its plain name', async () => {
    const token = await open()
    for (const { verb, body } of requests) {
      const own = await ask({ target: at('mallory', verb), key: token, body })
      expect([verb, own.status]).toEqual([verb, verb === 'inbox' ? 201 : 200])
      expect((await ask({ target: at('alice', verb), key: token, body })).status).toBe(403)
    }
    // As clients write it that encode what may stand in a query.
    const encoded = at('mallory', 'capabilities/kstar%3Aquery_traces')
    expect((await ask({ target: encoded, key: token, body: {} })).status).toBe(200)
  })

  it.each([
    ['a letter of books', '/v1/%62ooks/alice/'],
    ['a letter of v1', '/%761/books/alice/'],
    ['a digit of v1', '/v%31/books/alice/'],
    ['a letter of the book', '/v1/books/%61lice/'],
    ['a letter of books and of the book', '/v1/b%6f%6Fks/mallor%79/'],
    ['an absolute address', 'http://127.0.0.1/v1/%62ooks/alice/'],
  ])('is refused when %s is encoded, whoever asks', async (_name, start) => {
    const token = await open()
    const before = await stateOf('alice')
    for (const { verb, body } of requests)
      for (const bearer of [token, key]) {
        const answer = await ask({ target: start + verb, key: bearer, body })
        expect([verb, answer.status, reads(answer)]).toEqual([verb, 400, false])
        expect(answer.text).toContain('"code":"invalid-input"')
      }
    const line = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13' }
    const headers = { ...line, 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
    expect((await ask({ method: 'GET', target: `${start}live`, headers })).status).toBe(400)
    expect(await stateOf('alice')).toBe(before)
  })

  it('is the same book for who lets in and for who opens, however it is spelt', async () => {
    const token = await open()
    const before = await stateOf('alice')
    const path = fc.oneof(
      spelt(at('alice', '')),
      encodedRun(at('alice', '')),
      spelt(at('mallory/../alice', '')),
    )
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom(...requests), async (start, { verb, body }) => {
        const answer = await ask({ target: start + verb, key: token, body })
        expect(reads(answer)).toBe(false)
        expect([0, 400, 401, 403, 404, 405]).toContain(answer.status)
      }),
      { seed: 20_261_122, numRuns: 250 },
    )
    expect(await stateOf('alice')).toBe(before)
  })
}
