// A segment of postings is what was written: nothing is lost or changed on the way through bytes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { documentAt, frequencyOf } from '../../../../src/store/posting/posting-list.ts'
import { openSegment, writeSegment } from '../../../../src/store/posting/posting-segment.ts'
import { Postings } from '../../../../src/store/posting/postings.ts'

describe('segments of postings', () => {
  test('have the same terms, facts and places byte for byte after a way through bytes', () => {
    const facts = fc.record({
      session: fc.option(fc.string({ maxLength: 12 }), { nil: undefined }),
      happenedAtMs: fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
      isPlain: fc.boolean(),
      isLight: fc.boolean(),
    })
    const term = fc.oneof(
      fc.constantFrom('a', 'b', 'c', 'é', '漢字', '😀'),
      fc.stringMatching(/^[a-z0-9]{1,40}$/),
    )
    const record = fc.record({
      terms: fc.array(term, { maxLength: 30 }),
      repeats: fc.nat(700),
      facts,
      removed: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(record, { maxLength: 40 }), fc.nat(40), (records, split) => {
        const postings = new Postings()
        records.forEach(({ terms, repeats, facts: own }, i) =>
          postings.set(i + 1, [...terms, ...Array.from({ length: repeats }, () => 'often')], own),
        )
        records.forEach(({ removed }, i) => removed && postings.remove(i + 1))
        const middle = Math.min(split, postings.documentCount())
        const parts = [
          writeSegment(postings, 0, middle),
          writeSegment(postings, middle, postings.documentCount()),
        ]
        const back = new Postings()
        for (const segment of parts.map((part) => atOnce(openSegment(part, back)))) atOnce(segment.read())
        expect(back.recordCount()).toBe(postings.recordCount())
        expect(contentOf(back)).toEqual(contentOf(withoutRemoved(records)))
      }),
      { numRuns: 60 },
    )
  })
})

/** All the pieces of some work. */
function atOnce<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

type Facts = Parameters<Postings['set']>[2]

/** The records that stayed, as if there had never been others. */
function withoutRemoved(
  records: readonly {
    readonly terms: readonly string[]
    readonly repeats: number
    readonly facts: Facts
    readonly removed: boolean
  }[],
): Postings {
  const postings = new Postings()
  records.forEach(({ terms, repeats, facts, removed }, i) => {
    if (removed) return
    postings.set(i + 1, [...terms, ...Array.from({ length: repeats }, () => 'often')], facts)
  })
  return postings
}

/** All there is to say of them, by records. */
function contentOf(postings: Postings) {
  const documents = Array.from({ length: postings.documentCount() }, (_, document) => document)
  const entries = (term: string) => {
    const list = postings.list(term)
    return Array.from({ length: list?.length ?? 0 }, (_, at) => {
      const document = list ? documentAt(list, at) : 0
      return [postings.seqOf(document), list && frequencyOf(list, at, document)]
    })
  }
  return {
    records: documents.map((document) => {
      const session = postings.sessions.sessionOf(document)
      return [
        postings.seqOf(document),
        postings.sizes()[document],
        postings.sessions.timeOf(document),
        postings.isPlain(document),
        postings.isLight(document),
        session === 0 ? undefined : postings.sessions.nameOf(session),
      ]
    }),
    terms: [...postings.terms()].sort().map((term) => [term, postings.frequency(term), entries(term)]),
  }
}
