// The algebra of scopes: what a pattern matches, which pattern covers which, and that no text makes matching slow.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  coversScope,
  isConcrete,
  matchesScope,
  parseScope,
  type ScopePattern,
} from '../../../src/core/access/scope.ts'
import { permits, permitsAll } from '../../../src/core/access/permission.ts'

function pattern(text: string): ScopePattern {
  const parsed = parseScope(text)
  if (!parsed) throw new Error(`${text} is no pattern`)
  return parsed
}
const matches = (text: string, name: string) => matchesScope(pattern(text), name)
const covers = (wide: string, narrow: string) => coversScope(pattern(wide), pattern(narrow))

const segment = fc.constantFrom('a', 'b', 'trace', 'x y')
const separator = fc.constantFrom(':', '.')
const joined = (segments: string[], separators: string[]) =>
  segments.map((one, i) => (i === 0 ? one : `${separators[i] ?? ':'}${one}`)).join('')
const anyName = fc
  .tuple(
    fc.array(fc.oneof(segment, fc.constantFrom('', '*', '**')), { minLength: 1, maxLength: 4 }),
    fc.array(separator, { minLength: 4, maxLength: 4 }),
  )
  .map(([segments, separators]) => joined(segments, separators))
const anyPattern = fc
  .tuple(
    fc.array(fc.oneof(segment, fc.constant('*')), { minLength: 0, maxLength: 3 }),
    fc.array(separator, { minLength: 4, maxLength: 4 }),
    fc.boolean(),
  )
  .filter(([segments, , open]) => segments.length > 0 || open)
  .map(([segments, separators, open]) => joined(open ? [...segments, '**'] : segments, separators))

/** The meaning of a pattern, said as a regular expression. */
function oracle(text: string): RegExp {
  const escape = (part: string) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const parts = text.split(/([:.])/)
  const isOpen = parts.at(-1) === '**'
  const closed = isOpen ? parts.slice(0, -2) : parts
  const body = closed.map((part) => (part === '*' ? '[^:.]*' : escape(part))).join('')
  const rest = isOpen ? (closed.length === 0 ? '[^]*' : `(?:${escape(parts.at(-2) ?? '')}[^]*)?`) : ''
  return new RegExp(`^${body}${rest}$`, 'u')
}

describe('scopes', () => {
  it.each([
    ['trace:education.evaluation', 'trace:education.evaluation', true],
    ['trace:education.evaluation', 'trace:education.evaluation.x', false],
    ['trace:education.*', 'trace:education.evaluation', true],
    ['trace:education.*', 'trace:education', false],
    ['trace:education.*', 'trace:education.a.b', false],
    ['trace:education.**', 'trace:education.a.b', true],
    ['trace:education.**', 'trace:education', true],
    ['trace:education.**', 'trace:educational', false],
    ['trace:education.**', 'trace:education:a', false],
    ['trace:**', 'trace', true],
    ['trace:**', 'traces:a', false],
    ['*:CS101', 'course:CS101', true],
    ['**', '', true],
    ['**', 'anything:at.all', true],
    ['course:CS101', 'course.CS101', false],
    ['course:*', 'course:**', true],
    ['a:*:c', 'a:b:c', true],
    ['a:*:c', 'a:b.c', false],
  ])('%s and the name %s: %s', (text, name, expected) => {
    expect(matches(text, name)).toBe(expected)
  })

  it.each([
    '',
    ':',
    'a:',
    ':a',
    'a..b',
    'a*',
    '*a',
    '***',
    '**:a',
    'a:**:b',
    'a:b**',
    'a\0',
    '\ud800',
    'x'.repeat(513),
    `a${':a'.repeat(32)}`,
  ])('takes no %j', (text) => expect(parseScope(text)).toBeUndefined())

  it('matches what the pattern says', () => {
    fc.assert(
      fc.property(anyPattern, anyName, (text, name) => {
        expect(matches(text, name)).toBe(oracle(text).test(name))
      }),
      { numRuns: 3000 },
    )
  })

  it('covers only what matches no more', () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, anyName, (wide, narrow, name) => {
        if (covers(wide, narrow) && matches(narrow, name)) expect(matches(wide, name)).toBe(true)
      }),
      { numRuns: 20_000 },
    )
  })

  it('covers itself, everything that its coverings cover, and what it matches', () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, anyPattern, (a, b, c) => {
        expect(covers(a, a)).toBe(true)
        expect(covers('**', a)).toBe(true)
        if (covers(a, b) && covers(b, c)) expect(covers(a, c)).toBe(true)
        if (isConcrete(pattern(b))) expect(covers(a, b)).toBe(matches(a, b))
      }),
      { numRuns: 5000 },
    )
  })

  it('goes through a text once, however it is made', () => {
    const name = `a${'.a'.repeat(200_000)}!`
    const began = process.cpuUsage()
    for (const text of ['a.*.*.*.*.*.**', `a${'.*'.repeat(31)}`, '*.**', '**']) matches(text, name)
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
  })

  it('takes any text for a name, and for a pattern or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, name) => {
        const parsed = parseScope(text)
        if (parsed) expect(matchesScope(parsed, text)).toBe(true)
        expect(matches('**', name)).toBe(true)
      }),
    )
  })
})

describe('permissions', () => {
  const query = { id: 'kstar:query_traces', permission: 'read' } as const
  it.each([
    [['read'], true],
    [['kstar:query_traces'], true],
    [['kstar:*'], true],
    [['**'], true],
    [['write', 'forget'], false],
    [['kstar:*_traces'], false],
    [['*'], false],
    [['query_traces'], false],
    [['evaluate'], false],
    [[], false],
  ])('%j permit a capability that needs `read`: %s', (permissions, expected) => {
    expect(permits(permissions, query)).toBe(expected)
  })

  it('nothing permits what is the owner’s alone', () => {
    for (const one of ['**', 'kstar:*', 'kstar:purge', 'read'])
      expect(permits([one], { id: 'kstar:purge' })).toBe(false)
  })

  it('what covers a permission permits all that it permits', () => {
    const permission = fc.oneof(
      fc.constantFrom(
        'read',
        'write',
        'evaluate',
        '*',
        '**',
        'kstar:*',
        'kstar:**',
        'kstar:get',
        '*:get',
        'a2p:*',
      ),
      anyPattern,
    )
    const capability = fc.record({
      id: fc.constantFrom('kstar:get', 'kstar:put', 'a2p:get', 'a:b'),
      permission: fc.constantFrom('read', 'write', undefined),
    })
    fc.assert(
      fc.property(permission, permission, capability, (wide, narrow, one) => {
        if (permitsAll([wide], narrow) && permits([narrow], one)) expect(permits([wide], one)).toBe(true)
      }),
      { numRuns: 20_000 },
    )
  })
})
