// The policy of the inspector, whatever edge it is built for: one origin beside its own, or no page at all.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentPolicy, edgeOrigin, headersFile, metaPolicy } from '../../../scripts/page-headers.mjs'

const directives = (policy: string) =>
  new Map(policy.split('; ').map((one) => [one.split(' ')[0] ?? '', one.split(' ').slice(1)] as const))
const own = directives(contentPolicy({ edge: '' }))

const address = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTPS://', 'ws://', 'javascript:', '//', '/', '/\\', ''),
    fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
      fc.string({ unit: 'binary' }),
    ),
    fc.constantFrom(
      '',
      ':8787',
      ':0',
      ':443',
      '/path',
      '?query',
      '; script-src *',
      ' *',
      '\n  X: y',
      "'self'",
    ),
  )
  .map((parts) => parts.join(''))

it('lets the page talk to its own origin and to one edge, for every address it could be built for', () => {
  fc.assert(
    fc.property(fc.oneof(address, fc.webUrl(), fc.string()), fc.boolean(), (edge, isDev) => {
      let policy: string
      try {
        policy = contentPolicy({ edge, isDev })
      } catch (error) {
        expect(String(error)).toContain('is no address of an edge')
        return
      }
      const found = directives(policy)
      expect([...found.keys()]).toEqual([...own.keys()])
      const reached = found.get('connect-src') ?? []
      expect(reached[0]).toBe("'self'")
      expect([1, 3]).toContain(reached.length)
      for (const one of reached.slice(1)) expect(new URL(one).origin).toBe(one)
      if (reached.length === 3) expect(reached[2]).toBe(reached[1]?.replace(/^http/, 'ws'))
      for (const name of own.keys())
        if (name !== 'connect-src' && !(isDev && name === 'style-src'))
          expect(found.get(name)).toEqual(own.get(name))
      expect(policy).toMatch(/^[\x21-\x7e ]+$/)
    }),
    { numRuns: 2000 },
  )
})

it.each([
  ['', undefined],
  ['/', undefined],
  ['/edge', undefined],
  ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
  ['https://memory.example.com/base?x', 'https://memory.example.com'],
])('takes %j for the edge %j', (edge, origin) => expect(edgeOrigin(edge)).toBe(origin))

it.each([
  'https://*',
  'https://*.example.com',
  'https://a;script-src',
  '//example.com',
  '/\\example.com',
  'x',
  'data:,',
])('builds no page for %j', (edge) => expect(() => edgeOrigin(edge)).toThrow(/is no address of an edge/))

it('says everything of the header in the <meta> but who may frame the page', () => {
  const policy = contentPolicy({ edge: '/' })
  expect([...directives(metaPolicy(policy))]).toEqual(
    [...directives(policy)].filter(([name]) => name !== 'frame-ancestors'),
  )
})

it('keeps to what Cloudflare reads of a `_headers`', () => {
  const policy = contentPolicy({ edge: `https://${'long.'.repeat(40)}example.com` })
  const lines = headersFile(policy).split('\n')
  for (const line of lines) {
    expect(line).toMatch(/^(?:|\/\S*| {2}! [\w-]+| {2}[\w-]+: \S.*)$/)
    expect(line.length).toBeLessThan(2000)
  }
  expect(lines.filter((line) => line.startsWith('/'))).toEqual(['/*', '/assets/*'])
})
