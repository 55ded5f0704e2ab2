// Which agents a pattern stands for, and which scopes mean something.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesScope } from '../../../../../src/core/access/scope.ts'
import { matchesAgent } from '../../../../../src/memory/consent/policy/agent-pattern.ts'
import { patternsOf, scopePatterns } from '../../../../../src/memory/consent/policy/memory-scope.ts'
import { namesOf } from '../../../../support/consent/policy.ts'

describe('the pattern of a policy’s agents', () => {
  it('stands for what the same pattern as a regular expression does', () => {
    const letter = fc.constantFrom('a', 'b', ':', '.', '*', '?')
    const text = fc.string({ unit: letter, maxLength: 10 })
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: fc.constantFrom('a', 'b', ':', '.'), maxLength: 12 }),
        (pattern, agent) => {
          const source = [...pattern].map((one) =>
            one === '*' ? '[^]*' : one === '?' ? '[^]' : one.replace('.', String.raw`\.`),
          )
          expect(matchesAgent(pattern, agent)).toBe(new RegExp(`^${source.join('')}$`).test(agent))
        },
      ),
      { numRuns: 5000 },
    )
  })

  it('takes a thousand stars against a thousand characters without going through all ways', () => {
    const agent = 'a'.repeat(1000)
    expect(matchesAgent(`${'*a'.repeat(499)}*b`, agent)).toBe(false)
    expect(matchesAgent('*'.repeat(1000), agent)).toBe(true)
  })
})

describe('a scope of memories', () => {
  const stands = (scope: string, type: string, category: string) =>
    patternsOf([scope]).some((one) => namesOf({ type, category }).some((name) => matchesScope(one, name)))

  it.each([
    ['a2p:preferences', 'a2p:preferences', true],
    ['a2p:preferences', 'a2p:preferences.ui.colour', true],
    ['a2p:preferences.*', 'a2p:preferences', true],
    ['a2p:preferences.*', 'a2p:preferences.ui', true],
    ['a2p:preferences.*', 'a2p:preferencesX', false],
    ['a2p:preferences.ui', 'a2p:preferences', false],
    ['a2p:*', 'a2p:preferences', true],
    ['ext:*', 'a2p:preferences', false],
    ['ext:*', 'ext:spotify:music.preferences', true],
    ['ext:spotify', 'ext:spotify:music.preferences', true],
    ['ext:spotify:*', 'ext:spotify:music.preferences', true],
    ['ext:spotify:music', 'ext:spotify:music.preferences', true],
    ['ext:spotify:music', 'ext:github:music', false],
  ])('`%s` and a memory of `%s`: %s', (scope, category, expected) => {
    expect(stands(scope, 'semantic', category)).toBe(expected)
  })

  it.each([
    '',
    '*',
    'a2p',
    'a2p:',
    'a2p:.',
    'a2p:a..b',
    'a2p:a\u0000',
    'b2p:x',
    'a2p:**',
    'ext::x',
    'a2p:a:b',
    ' a2p:x',
    'a2p:x\n',
  ])('is refused as %j', (text) => {
    expect(scopePatterns(text)).toEqual([])
  })
})
