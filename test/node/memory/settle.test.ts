// Every kind that tells a part of its bodies from the rest of them: the laws that hold for each, over any body at all.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Kind, settled } from '../../../src/core/kind.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json/path.ts'
import { sameJson } from '../../../src/core/json/same-json.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { tell } from '../../../src/memory/conversation/profile/profile-fact.ts'
import { fitsKind } from '../../../src/sync/conflict/fits-kind.ts'
import { mergeBodies } from '../../../src/sync/conflict/merge.ts'

const settling = [...kinds.values()].filter((kind) => kind.settle)

const time = fc.constantFrom('2026-01-31T15:00:00.000Z', '2026-02-01T00:00:00.000Z', '2025-12-24')
const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const orAnything = <Value>(value: fc.Arbitrary<Value>) => fc.oneof({ weight: 9, arbitrary: value }, anything)
const partly = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>

const skillBody = partly({
  name: orAnything(fc.constantFrom('weed', 'water')),
  description: fc.constantFrom('', 'how'),
  learned_from: fc.constant({}),
  definition: fc.constant({ procedure: 'p' }),
  maturity: orAnything(
    partly({
      level: fc.constantFrom('novice', 'competent', 'proficient', 'expert'),
      success_rate: orAnything(fc.double({ min: 0, max: 1, noNaN: true })),
      usage_count: orAnything(fc.nat(60)),
      successes: orAnything(fc.nat(60)),
      last_used: time,
      more: anything,
    }),
  ),
})
const knownFact = partly({
  attribute: fc.constantFrom('name', 'home', 'likes'),
  value: fc.constantFrom('Ada', 'Graz', 'tea'),
  since: time,
  said_at: time,
  denied_at: time,
  messages: fc.array(fc.stringMatching(/^m[0-9]{1,3}$/), { maxLength: 60 }),
})
const profileBody = partly({
  user_id: fc.constant('ana'),
  content: fc.constantFrom('', 'name: Ada'),
  facts: orAnything(fc.dictionary(fc.constantFrom('name: ada', 'home: graz', 'likes: node.js'), knownFact)),
})
const bodies: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = { skill: skillBody, profile: profileBody }

/** As the writer stores it: a body that fits comes with its defaults. */
const whole = (kind: Kind, body: JsonObject) =>
  settled(kind, (kind.schema['~standard'].validate(body) as { value?: JsonObject }).value ?? body)

describe('what follows from the rest of a body', () => {
  it('is known for skills and profiles', () => {
    expect(settling.map(({ name }) => name).toSorted()).toEqual(['profile', 'skill'])
  })

  describe.each(settling.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
    const body = fc.oneof(
      { weight: 9, arbitrary: bodies[name] ?? fc.constant({}) },
      fc.dictionary(fc.string(), anything) as fc.Arbitrary<JsonObject>,
    )

    it('C14 settling twice says what settling once says', () => {
      fc.assert(
        fc.property(body, (one) => {
          const once = settled(kind, one)
          expect(settled(kind, once)).toEqual(once)
        }),
        { numRuns: 1000 },
      )
    })

    it('C14 makes no body that its kind refuses, and takes nothing away that it does not know', () => {
      let fitting = 0
      fc.assert(
        fc.property(body, (one) => {
          const told = settled(kind, { ...one, 'a later field': 1 })
          expect(told['a later field']).toBe(1)
          if (!fitsKind(kind, one)) return
          fitting += 1
          expect(fitsKind(kind, told)).toBe(true)
        }),
        { numRuns: 1000 },
      )
      expect(fitting).toBeGreaterThan(20)
    })

    it('C14 is the same after a merge, whichever side is called mine, and fits where both did', () => {
      fc.assert(
        fc.property(body, body, body, (...three) => {
          const [base, one, other] = three.map((each) => whole(kind, each)) as [
            JsonObject,
            JsonObject,
            JsonObject,
          ]
          const join = (mine: JsonObject, theirs: JsonObject, mineIsLater: boolean) =>
            settled(kind, mergeBodies({ base, mine, theirs, rules: kind.merge, mineIsLater }).body)
          const here = join(one, other, true)
          expect(sameJson(here, join(other, one, false))).toBe(true)
          const isSound = [base, one, other].every((each) => fitsKind(kind, each))
          if (isSound && isJsonObject(here['maturity']))
            expect(here['maturity']['success_rate']).toBeLessThanOrEqual(1)
        }),
        { numRuns: 1000 },
      )
    })
  })

  it('two devices that learned apart from each other have a profile that tells all of it', () => {
    const kind = kinds.get('profile')
    const known = (attribute: string, value: string, at: string) => ({
      [`${attribute}: ${value.toLowerCase()}`]: { attribute, value, since: at, said_at: at, messages: [] },
    })
    const base = settled(kind, { user_id: 'ana', content: '', facts: known('name', 'Ada', '2026-01-01') })
    const add = (...more: object[]) =>
      settled(kind, { ...base, facts: Object.assign({}, base['facts'], ...more) as JsonObject })
    const phone = add(known('home', 'Graz', '2026-01-02'), known('name', 'Ada', '2026-01-03'))
    const laptop = add(known('likes', 'tea', '2026-01-02'), known('name', 'Ada', '2026-01-04'))
    const { body, clashes } = mergeBodies({
      base,
      mine: phone,
      theirs: laptop,
      rules: kind?.merge,
      mineIsLater: true,
    })
    expect(clashes).toEqual([])
    const met = settled(kind, body)
    expect(met['content']).toBe('name: Ada\nhome: Graz\nlikes: tea')
    const { current } = tell(met['facts'] as never)
    expect(current.map(({ value, said_at }) => [value, said_at])).toEqual([
      ['Ada', '2026-01-04'],
      ['Graz', '2026-01-02'],
      ['tea', '2026-01-02'],
    ])
  })
})
