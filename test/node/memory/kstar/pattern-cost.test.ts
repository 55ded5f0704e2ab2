// What patterns may cost: judged before they run, and held against counting the steps of a matcher that goes back.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { patternCost } from '../../../../src/memory/kstar/json-schema/pattern-cost.ts'
import { parsePattern, type Pattern } from '../../../../src/memory/kstar/json-schema/pattern-parse.ts'

const harmless = [
  '',
  '^$',
  '^a+$',
  '^[a-z]+(-[a-z]+)*$',
  '^\\d{3}-\\d{4}$',
  '^\\p{L}+( \\p{L}+)*$',
  '^https?://',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  '^([0-9a-f]{2}:){5}[0-9a-f]{2}$',
  '^(?:[0-9a-f]{8})+$',
  '^\\+?[1-9]\\d{1,14}$',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:\\d{2})$',
  '^[\\w.+-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$',
  '^(?<year>\\d+)/[\\]x]?$',
]
const slowly = ['foo.*bar', '^[^@]+@[^@]+\\.[^@]+$', '^(?=.*\\d).{8,}$', '^\\s*(.*?)\\s*$', 'a*b']
const endless = [
  '^(a+)+$',
  '^(a|a)*$',
  '(x+x+)+y',
  '^(\\w+\\s?)*$',
  '^(a*)*$',
  '^(a?b?)*$',
  '^(a|b|ab)*c$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '^([a-zA-Z0-9._%-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,6})*$',
  '^(a?){30}$',
  `${'a?'.repeat(29)}${'a'.repeat(29)}`,
  '^(?=(a+)+$)',
  '.*.*.*.*x',
  '^(a{0,2})*$',
  '^(ä|[\\u00c0-\\u00ff])*$',
  '^(\\u{1f642}|[🙂])*$',
  '^(\\p{Script=Thai}|\\p{Script=Thai})*$',
  // No loop, but hundreds of thousands of ways at each place.
  '(?:a{0,2}(?:(?:a{1,3}){1,3}a{0,2}){2}a{1,3}|)',
]

describe('the cost of a pattern', () => {
  test.each(harmless)('is small: %s', (source) => {
    expect(patternCost(source)).toEqual({ maxTextLength: expect.any(Number) as number })
    expect((patternCost(source) as { maxTextLength: number }).maxTextLength).toBeGreaterThan(100_000)
  })

  test.each(slowly)('bounds the text: %s', (source) => {
    const { maxTextLength } = patternCost(source) as { maxTextLength: number }
    expect(maxTextLength).toBeGreaterThanOrEqual(50)
    expect(maxTextLength).toBeLessThan(10_000)
  })

  test.each([...endless, '^(.)\\1$', '^(?<a>.)\\k<a>$', '^(?i:a)$', 'a'.repeat(2000)])(
    'is too much: %s',
    (source) => {
      expect(patternCost(source)).toEqual({ fault: expect.any(String) as string })
    },
  )

  test('is never more than what was said, on texts made to be slow', () => {
    let [slow, refused] = [0, 0]
    fc.assert(
      fc.property(source, (text) => {
        const cost = patternCost(text)
        const pattern = parsePattern(text)
        if ('fault' in cost || !pattern) {
          refused += 1
          return
        }
        for (const round of ['a', 'b', 'ab', 'aab', 'ba']) {
          const long = `${round.repeat(Math.ceil(30 / round.length))}c`
          const taken = countSteps(pattern, long, budget)
          expect({ text, long, taken: Math.min(taken, budget) }).toEqual({ text, long, taken })
          if (taken > 5000) slow += 1
        }
      }),
      { numRuns: 1500 },
    )
    // Guards the generator: it makes both, and some that are slow within bounds.
    expect(slow).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(100)
  })
})

/**
 * What patterns that are let in stay below on 30 characters: 31 beginnings, 100,000 positions come to from each, and about
 * four parts of the pattern that are looked at for each position. Doubling goes far beyond.
 */
const budget = 12_500_000

const { source } = fc.letrec<{ source: string; choice: string; sequence: string; term: string }>((tie) => ({
  source: fc
    .tuple(fc.constantFrom('', '^'), tie('choice'), fc.constantFrom('', '$'))
    .map((parts) => parts.join('')),
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((parts) => `(?:${parts.join('|')})`),
  sequence: fc.array(tie('term'), { minLength: 0, maxLength: 3 }).map((parts) => parts.join('')),
  term: fc
    .tuple(
      fc.oneof(
        { maxDepth: 3, depthIdentifier: 'pattern' },
        fc.constantFrom('a', 'b', '[ab]', '.', '[^a]'),
        tie('choice'),
      ),
      fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,3}', '{2,}', '{3,20}'),
    )
    .map((parts) => parts.join('')),
}))

const atoms = new Map<string, RegExp>()
function takes(source: string, char: string): boolean {
  let atom = atoms.get(source)
  if (!atom) atoms.set(source, (atom = new RegExp(`^(?:${source})$`, 'u')))
  return atom.test(char)
}

/** How many steps a matcher takes that tries each way in turn and goes back, as those of JavaScript do; at most `most`. */
function countSteps(pattern: Pattern, text: string, most: number): number {
  let steps = 0
  type Next = (at: number) => boolean
  const run = (node: Pattern, at: number, next: Next): boolean => {
    if (++steps > most) return true
    switch (node.type) {
      case 'start':
        return at === 0 && next(at)
      case 'empty':
        return at === text.length && next(at)
      case 'look':
        return run(node.body, at, () => true) && next(at)
      case 'character':
        return at < text.length && takes(node.source, text[at] ?? '') && next(at + 1)
      case 'sequence':
        return node.items.reduceRight<Next>((after, one) => (from) => run(one, from, after), next)(at)
      case 'choice':
        return node.items.some((one) => run(one, at, next))
      case 'repeat': {
        const more = (count: number, from: number): boolean => {
          if (++steps > most) return true
          const once = () =>
            count < node.max &&
            run(node.body, from, (to) => (to === from && count >= node.min ? false : more(count + 1, to)))
          return once() || (count >= node.min && next(from))
        }
        return more(0, at)
      }
    }
  }
  for (let from = 0; from <= text.length; from++) if (run(pattern, from, (at) => at > text.length)) break
  return steps
}
