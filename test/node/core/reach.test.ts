// Reaches taken together, narrowed and compared: none of it ever widens what a caller sees.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKinds, ownNames, scopeNameLimits } from '../../../src/core/kind.ts'
import {
  coversReach,
  isInReach,
  isNamedIn,
  narrowReach,
  patternLimit,
  type Reach,
  reachesName,
  reachText,
  readReach,
  scopeNames,
  seesAll,
  uniteReaches,
} from '../../../src/core/access/reach.ts'
import { matchesScope, overlapsScope, parseScope } from '../../../src/core/access/scope.ts'
import { makeKind } from '../../support/test-store.ts'

const part = fc.constantFrom('a', 'b', 'a2p', 'x y')
const pattern = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: part }, { weight: 1, arbitrary: fc.constant('*') }), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom(':', '.'),
    fc.boolean(),
  )
  .map(([parts, by, isOpen]) => parts.join(by) + (isOpen ? `${by}**` : ''))
const anyPattern = fc.oneof({ weight: 5, arbitrary: pattern }, { weight: 1, arbitrary: fc.constant('**') })
const plain = fc
  .record({
    scope: anyPattern,
    allow: fc.array(anyPattern, { maxLength: 2 }),
    deny: fc.array(anyPattern, { maxLength: 2 }),
  })
  .map((text) => readReach(text) ?? expect.unreachable())
const reach: fc.Arbitrary<Reach> = fc.oneof(
  plain,
  fc.tuple(plain, plain).map(([wide, narrow]) => narrowReach(wide, narrow)),
)
const name = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom(':', '.'))
  .map(([parts, by]) => parts.join(by))
const names = fc.array(name, { maxLength: 4 })
const shown = (...values: unknown[]) => JSON.stringify(values)

describe('reaches', () => {
  it('several grants of one caller are never more than their union', () => {
    fc.assert(
      fc.property(fc.array(reach, { maxLength: 3 }), names, (reaches, of) => {
        if (isNamedIn(uniteReaches(reaches), of))
          expect([shown(reaches, of), reaches.some((one) => isNamedIn(one, of))]).toEqual([
            shown(reaches, of),
            true,
          ])
      }),
      { numRuns: 2000 },
    )
    const both = uniteReaches([read('course:a'), read('course:b', 'a2p:**')])
    expect(isNamedIn(both, ['course:a'])).toBe(true)
    expect(isNamedIn(both, ['course:b', 'a2p:health'])).toBe(false)
    expect(isNamedIn(uniteReaches([]), ['course:a'])).toBe(false)
  })

  it('what was narrowed is in both, and exactly that', () => {
    fc.assert(
      fc.property(reach, reach, names, (wide, narrow, of) => {
        expect(isNamedIn(narrowReach(wide, narrow), of)).toBe(isNamedIn(wide, of) && isNamedIn(narrow, of))
      }),
      { numRuns: 2000 },
    )
  })

  it('one that covers another has all that the other has', () => {
    let covered = 0
    fc.assert(
      fc.property(reach, reach, names, (wide, narrow, of) => {
        if (!coversReach(wide, narrow)) return
        covered += 1
        if (isNamedIn(narrow, of))
          expect([shown(wide, narrow, of), isNamedIn(wide, of)]).toEqual([shown(wide, narrow, of), true])
      }),
      { numRuns: 5000 },
    )
    expect(covered).toBeGreaterThan(100)
    fc.assert(
      fc.property(reach, reach, (wide, narrow) => {
        expect(coversReach(wide, wide)).toBe(true)
        expect(coversReach(wide, narrowReach(wide, narrow))).toBe(true)
      }),
    )
  })

  it('have one text each: two of one text see the same', () => {
    fc.assert(
      fc.property(reach, reach, names, (one, other, of) => {
        if (reachText(one) === reachText(other)) expect(isNamedIn(one, of)).toBe(isNamedIn(other, of))
      }),
      { numRuns: 2000 },
    )
    expect(reachText(read('course:*'))).toBe('course:*')
    expect(new Set([read('a'), read('a', 'b'), narrowReach(read('a'), read('a'))].map(reachText)).size).toBe(
      3,
    )
  })

  it('see everything only with `**`, and nothing denied', () => {
    fc.assert(
      fc.property(reach, fc.array(name, { minLength: 1, maxLength: 4 }), (one, of) => {
        if (seesAll(one)) expect(isNamedIn(one, of)).toBe(true)
      }),
    )
    expect([read('**'), read('**', 'a'), narrowReach(read('a'), read('**'))].map(seesAll)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('are certain of a record by some of its names only where nothing is denied', () => {
    fc.assert(
      fc.property(reach, names, names, (one, some, others) => {
        if (reachesName(one, some)) expect(isNamedIn(one, [...some, ...others])).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('are not read from what is no pattern, or too many', () => {
    expect(readReach({ scope: 'a', allow: ['**.b'] })).toBeUndefined()
    expect(readReach({ scope: 'a', deny: [''] })).toBeUndefined()
    const many = Array.from({ length: patternLimit }, (_, i) => `a:${i}`)
    expect(readReach({ scope: 'a', allow: many })).toBeUndefined()
    expect(readReach({ scope: 'a', allow: many.slice(1), deny: many })).toBeDefined()
    expect(readReach({ scope: 'a', deny: [...many, 'b'] })).toBeUndefined()
  })
})

describe('patterns', () => {
  it('overlap when a name matches both, and else do not', () => {
    fc.assert(
      fc.property(anyPattern, anyPattern, name, (a, b, of) => {
        const one = parseScope(a) ?? expect.unreachable()
        const other = parseScope(b) ?? expect.unreachable()
        const isOverlap = overlapsScope(one, other)
        expect(overlapsScope(other, one)).toBe(isOverlap)
        if (matchesScope(one, of) && matchesScope(other, of)) expect([a, b, isOverlap]).toEqual([a, b, true])
      }),
      { numRuns: 3000 },
    )
    const isOverlap = (a: string, b: string) =>
      overlapsScope(parseScope(a) ?? expect.unreachable(), parseScope(b) ?? expect.unreachable())
    expect(isOverlap('a:*.c', 'a:b.*')).toBe(true)
    expect(isOverlap('a:**', 'a')).toBe(true)
    expect(isOverlap('a.**', 'a:b')).toBe(false)
    expect(isOverlap('a:b', 'a:b.c')).toBe(false)
    expect(isOverlap('**', 'a:b.c')).toBe(true)
  })
})

describe('names of a record', () => {
  const memory = makeKind({
    name: 'memory',
    scopeNames: (body) => (body as { names: string[] }).names,
  })
  const kinds = createKinds([memory])
  const record = (all: unknown[]) => ({ kind: 'memory', agent: 'a', body: { names: all as string[] } })

  it('are those that its kind says, each once, with agent, session and resource', () => {
    const one = { ...record(['memory', 'a2p:semantic', 'memory']), session: 's', resource: 'course:x' }
    expect(scopeNames(one, kinds)).toEqual(['memory', 'a2p:semantic', 'agent:a', 'session:s', 'course:x'])
    expect(scopeNames({ ...one, resource: 'a2p:health' }, kinds)).not.toContain('a2p:health')
    expect(scopeNames({ ...one, resource: 'ext:spotify' }, kinds)).not.toContain('ext:spotify')
  })

  it('are none, and the record in nobody’s reach, where they can’t be relied on', () => {
    const long = `a2p:${'x'.repeat(scopeNameLimits.length)}`
    const many = Array.from({ length: scopeNameLimits.count + 1 }, (_, i) => `a2p:${i}`)
    for (const all of [
      [],
      [long],
      many,
      ['memory', 'agent:b'],
      ['course:x'],
      ['a2p:\ud800'],
      ['a2p:\u0000'],
      [7],
    ]) {
      expect(ownNames(memory, { names: all as string[] })).toEqual([])
      expect(isInReach(read('**'), record(all), kinds)).toBe(false)
    }
    expect(isInReach(read('**'), record(many.slice(1)), kinds)).toBe(true)
  })
})

function read(scope: string, ...deny: string[]): Reach {
  return readReach({ scope, deny }) ?? expect.unreachable()
}
