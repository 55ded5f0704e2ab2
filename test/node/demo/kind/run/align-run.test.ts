// Two runs side by side: which steps are a pair, which are in one run only, and what differs, without a page.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  alignKeys,
  alignRuns,
  nextDifference,
  type PlacePair,
  toolCalls,
} from '../../../../../demo/kind/run/align-run.ts'
import { type Entry, pictureOf } from '../../../../../demo/kind/run/picture.ts'

const shape = (first: string, second: string) =>
  alignKeys(Array.from(first), Array.from(second))
    .map(
      ({ first: a, second: b }) => `${a === undefined ? '-' : first[a]}${b === undefined ? '-' : second[b]}`,
    )
    .join(' ')

it('pairs equal steps in their order, with those of one run between them', () => {
  expect(shape('abc', 'abc')).toBe('aa bb cc')
  expect(shape('abcd', 'abd')).toBe('aa bb c- dd')
  expect(shape('abd', 'abcd')).toBe('aa bb -c dd')
  expect(shape('axb', 'ayb')).toBe('aa x- -y bb')
  expect(shape('', 'ab')).toBe('-a -b')
  expect(shape('', '')).toBe('')
})

/** The length of the longest common subsequence, by its definition. */
function longest(a: string, b: string): number {
  const [head, other] = [a[0], b[0]]
  if (head === undefined || other === undefined) return 0
  if (head === other) return 1 + longest(a.slice(1), b.slice(1))
  return Math.max(longest(a.slice(1), b), longest(a, b.slice(1)))
}

const keys = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 9 })
const placesOf = (pairs: readonly PlacePair[], side: 'first' | 'second') =>
  pairs.map((pair) => pair[side]).filter((place) => place !== undefined)

it('has each step of both runs once and in order, and pairs as many as can be', () => {
  fc.assert(
    fc.property(keys, keys, (first, second) => {
      const pairs = alignKeys(first, second)
      expect(placesOf(pairs, 'first')).toEqual(first.map((_, i) => i))
      expect(placesOf(pairs, 'second')).toEqual(second.map((_, i) => i))
      const both = pairs.filter((pair) => pair.first !== undefined && pair.second !== undefined)
      for (const pair of both) expect(first[pair.first ?? -1]).toBe(second[pair.second ?? -1])
      expect(both.length).toBe(longest(first.join(''), second.join('')))
    }),
  )
})

it('pairs every step of a run with itself', () => {
  fc.assert(
    fc.property(keys, (run) => {
      expect(alignKeys(run, run)).toEqual(run.map((_, i) => ({ first: i, second: i })))
    }),
  )
})

const trace = (n: number, tool: string, success = true, output = 'fine'): Entry =>
  ({
    kind: 'trace',
    id: `${tool}-${n}-${Math.random()}`,
    agent: 'main',
    timestamp: new Date(n * 1000).toISOString(),
    situation: { domain: 'code', context: {} },
    task: { goal: 'Mend it', constraints: [] },
    action: { type: tool, parameters: {}, tools_used: [] },
    result: { success, outcome: { output, execution_time: n, usage: { total_tokens: n } }, side_effects: [] },
    metadata: { mode: 'interactive', tags: [], linked_traces: [] },
  }) as unknown as Entry

it('tells an outcome and a text that differ, not times, tokens and ids, and goes round from difference to difference', () => {
  const first = pictureOf('a', [
    trace(1, 'bash'),
    trace(2, 'edit'),
    trace(3, 'test', false),
    trace(4, 'bash', true, 'one'),
  ])
  const second = pictureOf('b', [
    trace(5, 'bash'),
    trace(6, 'look'),
    trace(7, 'test'),
    trace(8, 'bash', true, 'two'),
  ])
  const pairs = alignRuns(first, second)
  expect(pairs.map(({ difference }) => difference)).toEqual(['none', 'first', 'second', 'outcome', 'text'])
  expect(pairs[3]?.places).toEqual({ first: 2, second: 2 })
  const places = [-1, 1, 2, 3, 4].map((from) => nextDifference(pairs, from, 1))
  expect(places).toEqual([1, 2, 3, 4, 1])
  expect(nextDifference(pairs, 1, -1)).toBe(4)
  const same = alignRuns(first, first)
  expect(nextDifference(same, -1, 1)).toBeUndefined()
  expect(nextDifference([], -1, 1)).toBeUndefined()
  expect(toolCalls(first.tools, second.tools)).toEqual([
    { tool: 'edit', first: 1, second: 0 },
    { tool: 'look', first: 0, second: 1 },
    { tool: 'bash', first: 2, second: 2 },
    { tool: 'test', first: 1, second: 1 },
  ])
})

it('aligns runs of 5,000 steps that differ throughout', () => {
  const run = (odd: string) => Array.from({ length: 5000 }, (_, i) => (i % 3 === 0 ? odd : `tool-${i % 7}`))
  const pairs = alignKeys(['x', ...run('a'), 'y'], ['v', ...run('b'), 'w'])
  expect(placesOf(pairs, 'first')).toHaveLength(5002)
})
