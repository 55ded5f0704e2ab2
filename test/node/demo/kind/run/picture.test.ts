// A run as a picture: the tree of its steps, its bars and stalls, and its sums, without a page.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toolShares } from '../../../../../demo/kind/run/run-figure.ts'
import { treeOf, type TreeEntry } from '../../../../../demo/kind/run/run-tree.ts'
import { type TimedEntry, timeLineOf } from '../../../../../demo/kind/run/time-line.ts'

const entry = (id: string, links: readonly string[] = [], agent = 'main'): TreeEntry => ({
  id,
  kind: 'trace',
  agent,
  metadata: { linked_traces: links },
})
const shape = (entries: readonly TreeEntry[]) =>
  treeOf(entries).map(({ place, level, follows }) => {
    const hint = follows === undefined ? '' : ` after ${entries[follows]?.id}`
    return `${'-'.repeat(level)}${entries[place]?.id}${hint}`
  })

it('continues the branch of a step with its first follower, and starts new branches with later ones', () => {
  expect(
    shape([entry('a'), entry('b', ['a']), entry('c', ['a']), entry('d', ['c']), entry('e', ['b'])]),
  ).toEqual(['a', '-c', '-d', 'b', 'e'])
})

it('says which step a step follows that is not the one before it', () => {
  expect(shape([entry('a'), entry('b'), entry('c', ['a'])])).toEqual(['a', 'b', 'c after a'])
})

it('shows the steps of a sub-agent beneath the step that called it, linked or not', () => {
  const main = [entry('a'), entry('b', ['a'])]
  const linked = [entry('x', ['b'], 'sub'), entry('y', ['x'], 'sub'), entry('c', ['y'])]
  expect(shape([...main, ...linked])).toEqual(['a', 'b', '-x', '-y', 'c'])
  const unlinked = [entry('x', [], 'sub'), entry('c'), entry('y', [], 'sub')]
  expect(shape([...main, ...unlinked])).toEqual(['a', 'b', '-x', '-y', 'c'])
})

it('has each entry once, beneath a row above it, whatever the links are', () => {
  const anyRun = fc.array(
    fc.record({ links: fc.array(fc.nat(30), { maxLength: 3 }), agent: fc.constantFrom('a', 'b', 'c') }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(anyRun, (run) => {
      const entries = run.map(({ links, agent }, i) => entry(`${i}`, links.map(String), agent))
      const rows = treeOf(entries)
      expect(rows.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual(entries.map((_, i) => i))
      for (const [i, { under, level, nth, of }] of rows.entries()) {
        const parent = rows.slice(0, i).find(({ place }) => place === under)
        expect(level).toBe(under === undefined ? 0 : (parent?.level ?? NaN) + 1)
        expect(nth).toBeLessThanOrEqual(of)
      }
    }),
  )
})

const at = (endS: number, s?: number): TimedEntry => ({
  endMs: endS * 1000,
  ms: s === undefined ? undefined : s * 1000,
})

it('finds a stall between measured steps and draws it short, with the bars in their order', () => {
  const { bars, idleMs, stalls, isCut } = timeLineOf([at(1, 1), at(3, 2), at(3605, 2)], true)
  expect({ idleMs, stalls, isCut }).toEqual({ idleMs: 3_600_000, stalls: 1, isCut: true })
  expect(bars[2]?.stall?.ms).toBe(3_600_000)
  expect(bars[1]?.length).toBeCloseTo(2 / 5.625)
  expect((bars[2]?.from ?? 0) + (bars[2]?.length ?? 0)).toBeCloseTo(1)
})

it('takes the time since the entry before for an unmeasured step, and a very long one for a stall', () => {
  const { bars, stalls } = timeLineOf([at(0, 0), at(3), at(6), at(9), at(309)], true)
  expect(bars.map(({ ms, isMeasured, stall }) => [ms, isMeasured, stall?.ms])).toEqual([
    [0, true, undefined],
    [3000, false, undefined],
    [3000, false, undefined],
    [3000, false, undefined],
    [300_000, false, 300_000],
  ])
  expect(stalls).toBe(1)
})

it('has no stall while another agent works, and none in a file without times', () => {
  expect(timeLineOf([at(1, 1), at(61, 60), at(62, 1)], true).stalls).toBe(0)
  const { bars, stalls } = timeLineOf([at(1), at(3000, 1), at(9000)], false)
  expect(bars.map(({ ms }) => ms)).toEqual([undefined, 1000, undefined])
  expect(stalls).toBe(0)
})

it('draws all bars and stalls within the line', () => {
  const anyEntry = fc.record({ gap: fc.nat(100_000), ms: fc.option(fc.nat(50_000), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 40 }), fc.boolean(), (run, hasTimes) => {
      let endMs = 0
      const { bars } = timeLineOf(
        run.map(({ gap, ms }) => ({ endMs: (endMs += gap), ms })),
        hasTimes,
      )
      for (const { from, length, stall } of bars)
        for (const part of [{ from, length }, ...(stall ? [stall] : [])]) {
          expect(part.from).toBeGreaterThanOrEqual(-1e-9)
          expect(part.length).toBeGreaterThanOrEqual(-1e-9)
          expect(part.from + part.length).toBeLessThanOrEqual(1 + 1e-9)
        }
    }),
  )
})

it('sums the time of each tool without its stalls, or its steps where no time is known', () => {
  const step = (tool: string, isFailed = false) => ({ tool, isFailed, tokens: undefined, cost: undefined })
  const steps = [step('edit'), step('bash', true), step('edit')]
  const timed = timeLineOf([at(1, 1), at(4, 3), at(304, 1)], true)
  expect(toolShares(steps, timed.bars)).toEqual({
    isTimed: true,
    tools: [
      { tool: 'bash', steps: 1, failed: 1, ms: 3000, share: 0.6 },
      { tool: 'edit', steps: 2, failed: 0, ms: 2000, share: 0.4 },
    ],
  })
  const untimed = timeLineOf([at(1), at(2), at(3)], false)
  expect(toolShares(steps, untimed.bars).tools.map(({ tool, share }) => [tool, share.toFixed(2)])).toEqual([
    ['edit', '0.67'],
    ['bash', '0.33'],
  ])
})
