import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../../src/core/json/path.ts'
import { hasSameContent } from '../../../src/sync/conflict/conflict-policy.ts'
import { mergeBodies } from '../../../src/sync/conflict/merge.ts'

const rules = { count: 'counter', best: 'max', 'note.text': 'both' } as const
const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom('a', 'b', 'a b', '', 1, 2, -3.5, true, null),
  fc.array(fc.constantFrom('x', 'y', 'z', 1), { maxLength: 4 }),
  fc.array(fc.record({ k: fc.nat(2) }), { maxLength: 2 }),
)
const name = fc.constantFrom('count', 'best', 'title', 'tags', '__proto__', 'toString')
const body = fc.dictionary(
  fc.oneof(name, fc.constant('note')),
  fc.oneof(leaf, fc.dictionary(fc.constantFrom('text', 'more'), leaf)),
) as fc.Arbitrary<JsonObject>

const same = (one: JsonObject, other: JsonObject) =>
  hasSameContent({ op: 'put', body: one }, { op: 'put', body: other })
const merge = (base: JsonObject, mine: JsonObject, theirs: JsonObject, mineIsLater = true) =>
  mergeBodies({ base, mine, theirs, rules, mineIsLater })

describe('C6 merging two edits of one base', () => {
  it('C6 an unchanged side yields: merge(base, x, base) = merge(base, base, x) = merge(base, x, x) = x', () => {
    fc.assert(
      fc.property(body, body, fc.boolean(), (base, x, later) => {
        const counted = typeof x['count'] === 'number' && base['count'] !== x['count']
        for (const merged of [
          merge(base, x, base, later),
          merge(base, base, x, later),
          // What both counted the same has been counted twice.
          ...(counted ? [] : [merge(base, x, x, later)]),
        ]) {
          expect(merged.clashes).toEqual([])
          expect(same(merged.body, x)).toBe(true)
        }
      }),
    )
  })

  it('C6 two that counted the same have counted twice, also where all around the count is the same', () => {
    const below = { 'use.count': 'counter', 'parts.*.count': 'counter' } as const
    const one = { use: { count: 11, text: 'a' }, parts: { 'a.b': { count: 1 } } }
    expect(
      mergeBodies({
        base: { use: { count: 10, text: 'a' } },
        mine: one,
        theirs: one,
        rules: below,
        mineIsLater: true,
      }),
    ).toEqual({ body: { use: { count: 12, text: 'a' }, parts: { 'a.b': { count: 2 } } }, clashes: [] })
  })

  it('C6 a count that both set back is never below zero, unless a side was', () => {
    expect(merge({ count: 20 }, { count: 0 }, { count: 1 }).body).toEqual({ count: 0 })
    expect(merge({ count: 20 }, { count: 0 }, { count: -1 }).body).toEqual({ count: -21 })
  })

  it('C6 of two times the later one counts, or the earlier one, however they are written', () => {
    const rules = { last: 'max', first: 'min' } as const
    const mine = { last: '2026-01-31T15:00:00.000Z', first: '2026-01-31' }
    const theirs = { last: '2026-01-31T15:30:00+01:00', first: '2026-01-30T23:00:00Z' }
    for (const [a, b, mineIsLater] of [
      [mine, theirs, true],
      [theirs, mine, false],
    ] as const) {
      expect(mergeBodies({ base: {}, mine: a, theirs: b, rules, mineIsLater })).toEqual({
        body: { last: '2026-01-31T15:00:00.000Z', first: '2026-01-30T23:00:00Z' },
        clashes: [],
      })
    }
    const noTimes = mergeBodies({
      base: {},
      mine: { last: 'a' },
      theirs: { last: 'b' },
      rules,
      mineIsLater: true,
    })
    expect(noTimes).toEqual({ body: { last: 'a' }, clashes: ['last'] })
  })

  it('C6 what is told from the rest does not clash', () => {
    const sides = {
      base: { rate: 1 },
      mine: { rate: 2 },
      theirs: { rate: 3 },
      rules: { rate: 'derived' } as const,
    }
    expect(mergeBodies({ ...sides, mineIsLater: false })).toEqual({ body: { rate: 3 }, clashes: [] })
  })

  it('C6 is the same whichever side is called mine', () => {
    fc.assert(
      fc.property(body, body, body, (base, one, other) => {
        const [here, there] = [merge(base, one, other, true), merge(base, other, one, false)]
        expect(same(here.body, there.body)).toBe(true)
        expect(here.clashes).toEqual(there.clashes)
      }),
    )
  })

  it('C6 says nothing that neither side said, but for counters, joined texts and joined sets', () => {
    fc.assert(
      fc.property(body, body, body, (base, one, other) => {
        const { body: merged } = mergeBodies({ base, mine: one, theirs: other, mineIsLater: true })
        for (const field of Object.keys(merged)) {
          const value = merged[field]
          if (Array.isArray(value) || isJsonObject(value)) continue
          expect([own(one, field), own(other, field)]).toContainEqual(value)
        }
      }),
    )
  })

  it('C6 keeps what only one side changed, field by field, at any depth', () => {
    const base = { title: 'a', note: { text: 'one', more: 1 }, old: 1 }
    const mine = { title: 'b', note: { text: 'one', more: 2 }, old: 1 }
    const theirs = { title: 'a', note: { text: 'two', more: 1 }, fresh: true }
    expect(merge(base, mine, theirs)).toEqual({
      body: { title: 'b', note: { text: 'two', more: 2 }, fresh: true },
      clashes: [],
    })
  })

  it('C6 sets: what either added is there, what either took away is gone', () => {
    const merged = merge({ tags: ['a', 'b', 'c'] }, { tags: ['a', 'c', 'x'] }, { tags: ['b', 'c', 'w', 'x'] })
    expect(merged).toEqual({ body: { tags: ['c', 'w', 'x'] }, clashes: [] })
  })

  it('C6 declared rules: counters by difference, the greater number, both texts', () => {
    const base = { count: 10, best: 3, note: { text: 'start' } }
    const mine = { count: 12, best: 5, note: { text: 'mine' } }
    const theirs = { count: 9, best: 4, note: { text: 'theirs' } }
    expect(merge(base, mine, theirs, true)).toEqual({
      body: { count: 11, best: 5, note: { text: 'theirs\nmine' } },
      clashes: [],
    })
    // Both counted one more, and are not the same edit.
    const again = merge(base, { ...base, count: 11, best: 4 }, { ...base, count: 11, best: 5 })
    expect(again).toEqual({ body: { ...base, count: 12, best: 5 }, clashes: [] })
    expect(merge(base, { count: 1.7e308 }, { count: 1.7e308, best: 3 }).clashes).toEqual([])
    expect(merge({ count: 0 }, { count: 1.7e308 }, { count: 1.6e308 }).clashes).toEqual(['count'])
  })

  it('C6 what can’t be joined goes to the later edit and is named; a changed field outlives its removal', () => {
    const base = { title: 'a', list: [{ k: 1 }], gone: 'x' }
    const mine = { title: 'b', list: [{ k: 2 }], gone: 'y' }
    const theirs = { title: 'c', list: [{ k: 3 }] }
    expect(merge(base, mine, theirs, true)).toEqual({
      body: { title: 'b', list: [{ k: 2 }], gone: 'y' },
      clashes: ['title', 'list', 'gone'],
    })
    expect(merge(base, mine, theirs, false).body).toEqual({ title: 'c', list: [{ k: 3 }], gone: 'y' })
  })
})

const own = (object: JsonObject, field: string) => (Object.hasOwn(object, field) ? object[field] : undefined)
