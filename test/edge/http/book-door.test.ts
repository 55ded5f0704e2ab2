// Who was let in to which book, and which book was opened: the same one, for every credential and every spelling.
import fc from 'fast-check'
import { generateKeyPair, exportJWK, SignJWT } from 'jose'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Mirrors, Credentials } from '../../../src/edge/mirror-door.ts'
import { bookOfSubject } from '../../../src/doors/http/request/jwt.ts'
import { isBookName } from '../../../src/core/book.ts'
import { encodedRun, spelt } from '../../contract/access/book-address.ts'
import { call, origin, syncRequest } from './http.ts'

const seed = 20_261_122
const { privateKey, publicKey } = await generateKeyPair('EdDSA')
const keys = [{ ...(await exportJWK(publicKey)), kid: 'a' }]
const claims = { daybook: { books: ['mallory'], owner: true }, sub: 'm', iss: 'https://id.example.org/' }
const token = await new SignJWT({ ...claims, aud: 'daybook', exp: 9_999_999_999 })
  .setProtectedHeader({ alg: 'EdDSA', kid: 'a' })
  .sign(privateKey)
const settings = {
  DAYBOOK_JWKS_URL: 'https://id.example.org/keys',
  DAYBOOK_JWT_ISSUER: 'https://id.example.org/',
  DAYBOOK_JWT_AUDIENCE: 'daybook',
}
beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ keys })))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** Books that note who comes in. */
function watchedBooks() {
  const opened: { readonly book: string; readonly presented: Credentials }[] = []
  const MIRROR: Mirrors = {
    getByName(book) {
      const note = (presented: Credentials) => {
        opened.push({ book, presented })
        return Promise.resolve({ ok: true as const, value: 'null' })
      }
      return {
        admit: (_id, presented) => note(presented).then(() => ({ ok: true, value: undefined })),
        ticket: (_device, presented) => note(presented),
        exchange: (_request, presented = {}) => note(presented),
        erase: (_asked, presented) => note(presented),
        begin: (_asked, presented) => note(presented),
        agentCall: (_ask, presented) => note(presented).then((outcome) => ({ outcome })),
        call: (_id, _input, { bearer, grant }) =>
          note({ ...(bearer && { bearer }), ...(grant && { grant }) }),
        fetch: () => note({}).then(() => Response.json({ code: 'unauthorized' }, { status: 400 })),
      }
    },
  }
  return { opened, MIRROR }
}

const verbs = [
  ['POST', 'sync', syncRequest()],
  ['POST', 'live', { device: 'd_x' }],
  ['POST', 'inbox', { text: 'x' }],
  ['POST', 'embed', { texts: ['x'] }],
  ['POST', 'capabilities/kstar:query_traces', {}],
  ['GET', 'live', undefined],
  ['DELETE', '', { confirm: 'x' }],
  ['PUT', '', { confirm: 'x' }],
] as const
const accessKey = `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}`

it('is one and the same, however the address is spelt', async () => {
  const path = fc.constantFrom(...verbs).chain(([method, verb, body]) => {
    const plain = fc.constantFrom(`/v1/books/alice/${verb}`, `/v1/books/mallory/${verb}`)
    const start = plain.chain((one) => fc.oneof(spelt(one), encodedRun(one), fc.constant(one)))
    return fc.record({ method: fc.constant(method), body: fc.constant(body), start })
  })
  let through = 0
  await fc.assert(
    fc.asyncProperty(
      path,
      fc.constantFrom('development', accessKey, token),
      async ({ method, body, start }, key) => {
        const address = `${origin}/${start.replace(/^\//, '')}`
        const { opened, MIRROR } = watchedBooks()
        const headers = { upgrade: 'websocket' }
        const response = await call(address, { method, key, headers, body, env: { MIRROR, ...settings } })
        expect(response.status).not.toBe(500)
        for (const { book, presented } of opened) {
          // The name of the book stands in the address as it is: nobody can have read another one there.
          expect(new URL(address).pathname.split('/')[3]).toBe(book)
          if (method === 'GET') expect(presented).toEqual({})
          else if (key === token) expect([book, presented.grant?.owner]).toEqual(['mallory', true])
          else expect(presented).toEqual(key === accessKey ? { bearer: accessKey } : {})
          through += 1
        }
      },
    ),
    { seed, numRuns: 3000 },
  )
  // The property says something only if many do get through.
  expect(through).toBeGreaterThan(500)
})

it('belongs to a subject only under its plain name', () => {
  for (const subject of [
    '%61lice',
    '$`x',
    '$&',
    "$'",
    '$$',
    'a/b',
    '../alice',
    'alice ',
    'älice',
    'a|b',
    '',
    'x'.repeat(60),
  ])
    expect([subject, bookOfSubject('user-{sub}', subject)]).toEqual([
      subject,
      subject === '' ? 'user-' : undefined,
    ])
  expect(bookOfSubject('user-{sub}', 'alice')).toBe('user-alice')
  expect(bookOfSubject('{sub}.{sub}', 'a')).toBe('a.a')
  expect(bookOfSubject('', 'alice')).toBeUndefined()
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 70 }),
      fc.string({ minLength: 1, maxLength: 70 }),
      (one, other) => {
        const [a, b] = [one, other].map((subject) => bookOfSubject('user-{sub}', subject))
        expect(a === undefined || (isBookName(a) && a === `user-${one}`)).toBe(true)
        expect(a !== undefined && a === b).toBe(a !== undefined && one === other)
      },
    ),
    { seed, numRuns: 500 },
  )
})
