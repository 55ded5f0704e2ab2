// The algebra of delegation: whatever is granted below whatever, nothing gets wider, and what ends takes all below along.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { permits, rights } from '../../../src/core/access/permission.ts'
import { matchesScope, parseScope } from '../../../src/core/access/scope.ts'
import { defined } from '../../../src/core/defined.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import {
  parseBearer,
  matchesStored,
  isSameGrant,
  lineageHash,
  linkFault,
  makeSecret,
  signedText,
  toBearer,
} from '../../../src/trust/token.ts'
import { controlToken, type ControlToken, maxAncestors } from '../../../src/trust/token-schema.ts'
import { stateFault, verifyToken } from '../../../src/trust/verify-token.ts'

const time = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`
const day = fc.integer({ min: 1, max: 28 }).map(time)
const scope = fc.constantFrom(
  '**',
  'course:**',
  'course:*',
  'course:CS101',
  'trace:**',
  'trace:a.**',
  'trace:a.*',
  'trace:a.b',
  '*:CS101',
)
const permission = fc.constantFrom(
  'read',
  'write',
  'delegation',
  'evaluate',
  '*',
  '**',
  'kstar:*',
  'kstar:get',
  'a2p:**',
)
const claims = fc.record({
  type: fc.constantFrom('delegation', 'delegation', 'delegation', 'session'),
  scope,
  permissions: fc.uniqueArray(permission, { maxLength: 4 }),
  not_before: fc.option(day, { nil: undefined, freq: 1 }),
  expires_at: day,
})

type Claims = typeof claims extends fc.Arbitrary<infer Value> ? Value : never

function token(id: string, { not_before, ...more }: Claims, parent?: ControlToken): ControlToken {
  return {
    token_id: id,
    granted_by: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    granted_to: id,
    granted_at: time(1),
    lineage_hash: '0'.repeat(64),
    revoked: false,
    signature: 'none',
    delegation_chain: parent ? [parent.token_id, ...parent.delegation_chain] : [],
    ...more,
    ...defined({ not_before }),
  }
}

/** Grants each below the one before it where that is allowed; the line that comes of it, the root first. */
function line(all: readonly Claims[]): ControlToken[] {
  const made: ControlToken[] = []
  for (const [i, one] of all.entries()) {
    const parent = made.at(-1)
    const child = token(`t-${i}`, one, parent)
    if (!parent || linkFault(parent, child) === undefined) made.push(child)
  }
  return made
}

const names = [
  'course:CS101',
  'course:CS102',
  'course',
  'trace:a',
  'trace:a.b',
  'trace:a.b.c',
  'trace:b',
  'agent:x',
  '',
]
const capabilities = [
  ...rights.map((right) => ({ id: 'kstar:get', permission: right })),
  ...rights.map((right) => ({ id: 'a2p:list', permission: right })),
  { id: 'kstar:purge' },
]

describe('delegation', () => {
  it('never widens scope, permissions or time, however long the line', () => {
    let deepest = 0
    fc.assert(
      fc.property(fc.array(claims, { minLength: 2, maxLength: 40, size: 'max' }), (all) => {
        const made = line(all)
        deepest = Math.max(deepest, made.length)
        expect(made.length).toBeLessThanOrEqual(maxAncestors + 1)
        for (const [i, child] of made.entries()) {
          for (const ancestor of made.slice(0, i)) {
            const [wide, narrow] = [parseScope(ancestor.scope), parseScope(child.scope)]
            if (!wide || !narrow) throw new Error('no scope')
            for (const name of names)
              if (matchesScope(narrow, name)) expect(matchesScope(wide, name)).toBe(true)
            const carries = ancestor.type === 'delegation' ? ['delegation'] : []
            for (const one of capabilities)
              if (permits(child.permissions, one))
                expect(permits([...ancestor.permissions, ...carries], one)).toBe(true)
            expect(child.expires_at <= ancestor.expires_at).toBe(true)
            if (ancestor.not_before) expect((child.not_before ?? '') >= ancestor.not_before).toBe(true)
          }
        }
      }),
      { numRuns: 1500 },
    )
    expect(deepest).toBeGreaterThan(3)
  })

  it('stands only while every ancestor does', () => {
    fc.assert(
      fc.property(fc.array(claims, { minLength: 2, maxLength: 6 }), fc.nat(5), day, (all, which, now) => {
        const made = line(all)
        const find = (id: string) => made.find((one) => one.token_id === id)
        const by = { find, isOwnerKey: () => true, ownerAgentsOf: () => ['me'] }
        const last = made.at(-1)
        const ok = made.every((one) => now < one.expires_at && (one.not_before ?? '') <= now)
        expect(stateFault(last, by, now) === undefined).toBe(ok)
        const ended = made[which % made.length]
        if (!ended) return
        made[which % made.length] = { ...ended, revoked: true }
        expect(stateFault(made.at(-1), by, now)).toBe('Token revoked')
        expect(
          stateFault(made.at(-1), { find, isOwnerKey: () => false, ownerAgentsOf: () => ['me'] }, now),
        ).toBe('Token of another book')
      }),
    )
  })
})

describe('a signed chain', () => {
  const sha256 = nodePorts.digest.sha256
  const keys = openNodeKeyring(undefined)
  const signed = async (over: Partial<ControlToken> = {}, parent?: ControlToken) => {
    const signer = await keys.signer()
    if (!signer) throw new Error('no signer')
    const made = {
      ...token(
        'root',
        {
          type: 'delegation',
          scope: 'course:**',
          permissions: ['read'],
          not_before: undefined,
          expires_at: time(20),
        },
        parent,
      ),
      granted_by: signer.key,
      granted_to: over.token_id ?? 'root',
      lineage_hash: await lineageHash(parent, sha256),
      ...over,
    }
    return { ...made, signature: await signer.sign(signedText(made)) }
  }

  it('breaks when any field of any of its tokens is another', async () => {
    const root = await signed()
    const child = await signed({ token_id: 'child', type: 'session', scope: 'course:CS101' }, root)
    const verify = (leaf: ControlToken, ...others: ControlToken[]) =>
      verifyToken(leaf, { scope: 'course:CS101' }, time(2), {
        keys,
        sha256,
        isOwnerKey: () => true,
        ownerAgentsOf: () => ['me'],
        find: (id) => others.find((one) => one.token_id === id),
      })
    expect(await verify(child, root)).toBeUndefined()
    expect(await verify(child)).toBe('Invalid delegation chain')
    const other: Record<string, unknown> = {
      type: 'delegation',
      scope: '**',
      permissions: ['read', 'write'],
      granted_to: 'mallory',
      granted_at: time(3),
      not_before: time(1),
      expires_at: time(28),
      lineage_hash: 'f'.repeat(64),
      granted_by: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp',
    }
    for (const [field, value] of Object.entries(other)) {
      if (field !== 'type') {
        expect([field, await verify(child, { ...root, [field]: value })]).toEqual([
          field,
          'Invalid delegation chain',
        ])
      }
      expect([field, await verify({ ...child, [field]: value } as ControlToken, root)]).toEqual([
        field,
        'Invalid signature',
      ])
    }
    // A link that is signed and yet too wide, or below another chain.
    expect(await verify(await signed({ token_id: 'wide', scope: '**' }, root), root)).toBe(
      'Invalid delegation chain',
    )
    const long = await signed({ token_id: 'long', scope: 'course:CS101', expires_at: time(25) }, root)
    expect(await verify(long, root)).toBe('Invalid delegation chain')
    const astray = await signed(
      { token_id: 'astray', scope: 'course:CS101', delegation_chain: ['root', 'more'] },
      root,
    )
    expect(await verify(astray, root)).toBe('Invalid delegation chain')
  })

  it('is carried whole in a bearer text, and nothing else is read from one', async () => {
    const one = await signed({ granted_to: 'Zoë 🙂 "x"\\' })
    const secret = makeSecret(nodePorts.random.bytes)
    const read = parseBearer(toBearer({ ...one, revoked: true, revocation_reason: 'over' }, secret))
    expect(read && isSameGrant(read.token, one)).toBe(true)
    expect(read?.secret).toBe(secret)
    const text = toBearer(one, secret)
    expect(text).toMatch(/^dbt2\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/)
    for (const bent of [`${text}A`, text.slice(0, -1), `${text}.${secret}`, text.replace('dbt2', 'dbt1')])
      expect(parseBearer(bent)).toBeUndefined()
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `dbt1.${text}`),
          fc.base64String().map((text) => `dbt2.${text}`),
          fc.base64String().map((text) => `dbt2.${text}.${secret}`),
        ),
        (text) => {
          const found = parseBearer(text)
          expect(found === undefined || controlToken.safeParse(found.token).success).toBe(true)
        },
      ),
    )
  })

  it('is presented with its own secret alone', async () => {
    const [own, others] = [makeSecret(nodePorts.random.bytes), makeSecret(nodePorts.random.bytes)]
    const stored = await signed({ secret_hash: await sha256(own) })
    const bare = await signed()
    const present = (token: ControlToken, secret: string, known = stored) =>
      matchesStored({ token, secret }, known, sha256)
    expect(await present(stored, own)).toBe(true)
    expect(await present({ ...stored, revoked: true }, own)).toBe(true)
    expect(await present(stored, others)).toBe(false)
    expect(await present({ ...stored, secret_hash: await sha256(others) }, others)).toBe(false)
    expect(await present(bare, own, bare)).toBe(false)
    await fc.assert(
      fc.asyncProperty(fc.string(), async (secret) => {
        expect(await present(stored, secret)).toBe(secret === own)
        expect(await present(bare, secret, bare)).toBe(false)
      }),
    )
  })
})
