// Who can do what is asked: patterns of places, held against an oracle and against each other.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coversResource, coveringCapabilities } from '../../../../src/commons/pool/rule/capability-pattern.ts'

/** The same said plainly, as a regular expression. */
const oracle = (pattern: string, place: string) => {
  const source = pattern
    .split(/(\*{2,}|\*)/)
    .map((part) => (part === '*' ? '[^/]*' : part.startsWith('**') ? '[^]*' : part.replaceAll(/[.]/g, '\\.')))
    .join('')
  return new RegExp(`^(?:${source})$`, 'u').test(place)
}
const letters = fc.constantFrom('a', 'b', '/', '.')
const plain = fc.array(letters, { maxLength: 8 }).map((all) => all.join(''))
const pattern = fc
  .array(fc.oneof(letters, fc.constantFrom('*', '**')), { maxLength: 8 })
  .map((all) => all.join(''))
/** Places that a pattern stands for. */
const within = (asked: string, filling: readonly string[]) => {
  let next = 0
  return asked.replaceAll(/\*{2,}|\*/g, (stars) => {
    const text = filling[next++ % Math.max(1, filling.length)] ?? ''
    return stars === '*' ? text.replaceAll('/', '') : text
  })
}

describe('patterns of places', () => {
  it('match a place as a regular expression does', () => {
    fc.assert(
      fc.property(pattern, plain, (wide, place) => {
        expect(coversResource(wide, place)).toBe(oracle(wide, place))
      }),
      { numRuns: 2000 },
    )
  })

  it('cover another pattern only if they cover every place of it', () => {
    fc.assert(
      fc.property(
        pattern,
        pattern,
        fc.array(plain, { minLength: 1, maxLength: 4 }),
        (wide, narrow, filling) => {
          fc.pre(coversResource(wide, narrow))
          expect(oracle(wide, within(narrow, filling))).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('cover another pattern whenever they cover what nobody has thought of', () => {
    fc.assert(
      fc.property(pattern, pattern, (wide, narrow) => {
        const strange = narrow.replaceAll(/\*{2,}|\*/g, (stars) => (stars === '*' ? 'ζ' : 'ζ/ζ'))
        if (oracle(wide, strange) && !narrow.includes('**')) expect(coversResource(wide, narrow)).toBe(true)
        expect(coversResource(narrow, narrow)).toBe(true)
        expect(coversResource('**', narrow)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('take no time to speak of, whatever they say', () => {
    const wide = '*a'.repeat(100)
    expect(coversResource(wide, 'a'.repeat(199) + 'b')).toBe(false)
  })
})

describe('who can', () => {
  const announced = [
    'logs.read:/var/log/app/*',
    'db.read:orders,customers',
    'incident.runbook:v2',
    'memory.search',
    'cache.read:',
  ]
  it.each([
    ['logs.read:/var/log/app/*', ['logs.read:/var/log/app/*']],
    ['logs.read:/var/log/app/web.log', ['logs.read:/var/log/app/*']],
    ['logs.read:/var/log/app/web/today.log', undefined],
    ['logs.read:/var/log/**', undefined],
    ['logs.read', ['logs.read:/var/log/app/*']],
    ['db.read:orders', ['db.read:orders,customers']],
    ['db.read:customers, orders', ['db.read:orders,customers']],
    ['db.read:orders,invoices', undefined],
    ['incident.runbook:v2', ['incident.runbook:v2']],
    ['incident.runbook:v3', undefined],
    ['memory.search:anything', ['memory.search']],
    ['cache.read:today', undefined],
    ['cache.read', ['cache.read:']],
    ['db.read:', ['db.read:orders,customers']],
    ['memory', undefined],
  ])('%s', (asked, matched) => {
    expect(coveringCapabilities(announced, asked)).toEqual(matched)
  })

  it('takes several of one claw together', () => {
    const both = ['db.read:orders', 'db.read:customers']
    expect(coveringCapabilities(both, 'db.read:orders,customers')).toEqual(both)
  })
})
