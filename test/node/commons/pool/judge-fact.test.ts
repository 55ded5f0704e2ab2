// What becomes of a version of a fact that arrives.
import { describe, expect, it } from 'vitest'
import { judgeFact } from '../../../../src/commons/pool/rule/judge-fact.ts'

const said = (version: number, object: string) => ({ version, subject: 's', predicate: 'p', object })

describe('a version of a fact', () => {
  it.each([
    ['nothing is known', undefined, said(2, 'v2'), 'conflict', 'new_fact_must_start_at_v1'],
    ['it is the first', undefined, said(1, 'v1'), 'accepted', 'new_fact'],
    ['it is the next', said(1, 'v1'), said(2, 'v2'), 'accepted', 'sequential_update'],
    ['it is known', said(2, 'v2'), said(2, 'v2'), 'stale', 'duplicate_or_stale'],
    [
      'it says something else',
      said(2, 'v2'),
      said(2, 'vX'),
      'conflict',
      'version_regression_content_mismatch',
    ],
    ['one is missing', said(2, 'v2'), said(4, 'v4'), 'conflict', 'version_gap_2_to_4'],
    ['it has no number', said(1, 'v1'), said(0, 'v0'), 'conflict', 'invalid_version'],
  ])('when %s', (...row) => {
    const [, known, incoming, result, reason] = row
    expect(judgeFact(known, incoming)).toEqual({ result, reason })
  })
})
