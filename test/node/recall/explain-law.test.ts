// For random books and questions, also for whole answers: a record is found at a rank exactly if recall returns it
// there, a missed one has reasons, and each suggestion with a rank keeps its word.
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import type { Explanation } from '../../../src/recall/explain/explanation.ts'
import { createMeaningEmbedder } from '../../support/meaning-embedder.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'
import { plain } from './embedding-case.ts'

const opened: TestEngine[] = []
afterEach(() => opened.splice(0).forEach(({ engine }) => engine.close()))

const words = 'crane gate harbour violin doctor automobile storm salary the of to be config 12 七月 雨'.split(
  ' ',
)
const phrase = (maxLength: number) =>
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength }).map((list) => list.join(' '))
const optional = <Value>(one: fc.Arbitrary<Value>) => fc.option(one, { nil: undefined, freq: 3 })
const record = fc.record({
  goal: phrase(6),
  session: fc.constantFrom('a', 'b', 'c'),
  day: fc.integer({ min: 1, max: 28 }),
})
/** Beginnings by which recall chooses a whole answer; and none. */
const beginnings = ['', '', '', 'list all ', 'in what order ', 'summarise ']
const question = fc.record({
  text: fc.tuple(fc.constantFrom(...beginnings), phrase(5)).map(([beginning, rest]) => `${beginning}${rest}`),
  want: optional(fc.constantFrom('best', 'all', 'order', 'summary')),
  limit: optional(fc.integer({ min: 1, max: 4 })),
  session: optional(fc.constantFrom('a', 'b')),
  at: optional(fc.constant('2026-03-14')),
  minScore: optional(fc.constantFrom(0.2, 0.6)),
  diversity: optional(fc.constantFrom(0.3, 0.9)),
  cut: optional(fc.constant('sharp')),
  distinct: optional(fc.boolean()),
  filters: optional(fc.constant({ 'task.goal': { contains: 'gate' } })),
})

type Asked = Record<string, unknown>
const isSet = (one: Asked) =>
  Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined))

test.each([['without vectors'], ['with vectors']])(
  'agrees with recall %s',
  async (how) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 14 }),
        fc.array(question, { minLength: 1, maxLength: 2 }),
        async (records, questions) => {
          const embedder = how === 'with vectors' ? createMeaningEmbedder() : undefined
          const test = openTestEngine(embedder ? { embedder: { open: () => embedder } } : {})
          opened.push(test)
          const { engine } = test
          const traces = records.map(({ goal, session, day }, i) => ({
            ...plain(`t-${i}`, goal),
            session,
            timestamp: `2026-03-${String(day).padStart(2, '0')}T10:00:00Z`,
          }))
          await engine.call('kstar:store_traces', { traces })
          await test.pass()
          const recall = async (asked: Asked) => (await engine.call('daybook:recall', asked)) as RecallResult
          const rankIn = ({ hits }: RecallResult, id: string) =>
            hits.findIndex((hit) => hit.record.id === id) + 1
          for (const one of questions.map(isSet)) {
            const result = await recall(one)
            for (const id of traces.map((_, i) => `t-${i}`)) {
              const explained = (await engine.call('recall:explain', { ...one, id })) as Explanation
              const rank = rankIn(result, id)
              if (explained.outcome !== 'unknown-record') expect(explained.want).toBe(result.want)
              if (explained.outcome === 'found')
                expect([explained.rank, explained.hits]).toEqual([rank, result.hits.length])
              else {
                expect([rank, explained.outcome]).toEqual([0, 'missed'])
                if (explained.outcome !== 'missed') continue
                expect(explained.reasons.length).toBeGreaterThan(0)
                expect(explained.reasons.map(({ code }) => code)).not.toContain('changed')
                for (const { rank: promised, set = {}, remove = [] } of explained.suggestions) {
                  if (promised === undefined) continue
                  const changed = Object.entries({ ...one, ...set }).filter(
                    ([name]) => !remove.includes(name),
                  )
                  expect(rankIn(await recall(Object.fromEntries(changed)), id)).toBe(promised)
                }
              }
            }
          }
          engine.close()
        },
      ),
      { numRuns: 25 },
    )
  },
  120_000,
)
