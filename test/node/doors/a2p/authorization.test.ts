// The header of a signed request, and DIDs in addresses: whatever comes, what is none is refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDaybookError } from '../../../../src/core/errors.ts'
import { parseSignature } from '../../../../src/doors/http/a2p/authorization.ts'
import {
  bookOfDid,
  checkedProfileDid,
  didOfBook,
  parseProfileBooks,
} from '../../../../src/doors/http/a2p/profile-book.ts'
import { isAgentDid, isDid, lacksNamespace, readA2pDid } from '../../../../src/shape/did.ts'

const codeOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    if (isDaybookError(error)) return error.code
    throw error
  }
}

describe('the header of a signed request', () => {
  const value = fc.stringMatching(/^[A-Za-z0-9:._+/=-]{1,60}$/)
  const fields = fc.record({ did: value, sig: value, ts: value, nonce: value, exp: value })

  it('is read in whatever order and spacing its fields come', () => {
    fc.assert(
      fc.property(
        fields,
        fc.shuffledSubarray(['did', 'sig', 'ts', 'nonce', 'exp'] as const, { minLength: 5 }),
        fc.constantFrom(',', ', ', ' ,\n  '),
        (given, order, between) => {
          const text = order.map((name) => `${name}="${given[name]}"`).join(between)
          expect(parseSignature(`A2P-Signature ${text}`)).toEqual(given)
        },
      ),
    )
  })

  it('is refused, and never anything else, when it is another text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (rest) => {
        const said = codeOf(() => parseSignature(`A2P-Signature ${rest}`))
        expect(said).toBe('unauthorized')
      }),
    )
  })

  it('takes no longer for texts that are made to take long', () => {
    const began = performance.now()
    for (const rest of [' '.repeat(3900), '='.repeat(3900), 'did='.repeat(900), `did="${'\\'.repeat(3000)}`])
      expect(codeOf(() => parseSignature(`A2P-Signature ${rest}`))).toBe('unauthorized')
    expect(performance.now() - began).toBeLessThan(500)
  })
})

describe('a DID', () => {
  it('of the protocol has a namespace, and of any other method its own', () => {
    const good = [
      'did:a2p:user:local:alice',
      'did:a2p:agent:gaugid:my-agent.v2',
      'did:a2p:org:x:y_z',
      'did:key:z6MkhaXg',
      'did:web:example.org',
    ]
    const bad = [
      'did:a2p:user:alice',
      'DID:a2p:user:local:x',
      'did:a2p:',
      'did:a2p:user:local:',
      'did:a2p:user::x',
      'did:a2p:user:local:a:b',
      'did:a2p:robot:local:x',
      'did:a2p:user:local:ä',
      'did:a2p:user:local:x ',
      '',
      'did:',
      'did::x',
      'did:key:',
      `did:a2p:user:local:${'x'.repeat(300)}`,
    ]
    expect(good.filter(isDid)).toEqual(good)
    expect(bad.filter(isDid)).toEqual([])
    expect(readA2pDid('did:a2p:user:local:alice')).toEqual({
      sort: 'user',
      namespace: 'local',
      name: 'alice',
    })
    expect(['did:a2p:agent:local:x', 'did:web:x', 'did:a2p:user:local:x'].map(isAgentDid)).toEqual([
      true,
      true,
      false,
    ])
    expect(['did:a2p:user:alice', 'did:a2p:user:local:alice', 'did:a2p:robot:x'].map(lacksNamespace)).toEqual(
      [true, false, false],
    )
  })

  it('stands for one book, and a book for one DID', () => {
    const none = parseProfileBooks('')
    expect(bookOfDid('did:a2p:user:local:garden', none)).toBe('garden')
    expect(didOfBook('garden', none)).toBe('did:a2p:user:local:garden')
    const mapped = parseProfileBooks('did:a2p:user:example:alice=garden, did:web:bob.example=bobs')
    expect(bookOfDid('did:a2p:user:example:alice', mapped)).toBe('garden')
    expect(didOfBook('garden', mapped)).toBe('did:a2p:user:example:alice')
    expect(bookOfDid('did:web:bob.example', mapped)).toBe('bobs')
    expect(codeOf(() => bookOfDid('did:a2p:user:local:garden', mapped))).toBe('not-found')
    expect(bookOfDid('did:a2p:user:local:other', mapped)).toBe('other')
    for (const did of [
      'did:a2p:user:elsewhere:x',
      'did:a2p:agent:local:garden',
      'did:web:x',
      'did:a2p:user:local:.x',
    ])
      expect([did, codeOf(() => bookOfDid(did, none))]).toEqual([did, 'not-found'])
  })

  it('without a namespace is not found in an address, and what is none is wrong there', () => {
    expect(codeOf(() => checkedProfileDid('did:a2p:user:alice'))).toBe('not-found')
    expect(codeOf(() => checkedProfileDid('alice'))).toBe('invalid-input')
  })

  it.each([
    'x',
    'did:a2p:user:local:x',
    'did:a2p:user:local:x=',
    '=x',
    'x=y',
    'did:web:a=b did:web:a=c',
    'did:web:a=b did:web:c=b',
    'did:web:a=b=c',
    'did:web:a=.b',
  ])('is mapped to no book by `%s`, which the deployment is told', (text) => {
    expect(codeOf(() => parseProfileBooks(text))).toBe('internal')
  })

  it('of a book leads back to it, for every book', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/), (book) => {
        expect(bookOfDid(didOfBook(book, new Map()), new Map())).toBe(book)
      }),
    )
  })
})
