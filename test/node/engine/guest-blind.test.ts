// What a guest is told follows from what it sees: two books that differ in hidden records only answer every call alike.
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { readReach } from '../../../src/core/access/reach.ts'
import { makeTrace } from '../../support/trace.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'

interface Step {
  readonly verb: string
  readonly input: object
}

const ids = ['one', 'two', 'three', 'skill::plan', 'inbox::helper::one']
const id = fc.constantFrom(...ids)
const word = fc.constantFrom('red', 'green', 'ocean')
const said = (name: string, content: string) => ({ id: name, content, source: { type: 'User', id: 'ann' } })

/** What may be done to a book, in a place of its own: by its owner out of the guest's sight, or by the guest. */
function steps(place: object, agent: object): fc.Arbitrary<Step> {
  const step = (verb: string, input: (id: string, word: string) => object) =>
    fc.tuple(id, word).map(([one, other]) => ({ verb, input: input(one, other) }))
  const fact = (one: string) => ({ id: one, schema: 's', data: {}, ...place })
  const message = (one: string, text: string) => ({ ...agent, ...place, message: said(one, text) })
  const history = (text: string) => [{ content: `I live in ${text}.`, source: { User: 'ann' } }]
  return fc.oneof(
    step('kstar:store_trace', (one, goal) => makeTrace({ id: one, ...place, task: { goal } })),
    step('kstar:store_trace', (_, goal) => makeTrace({ ...place, task: { goal } })),
    step('kstar:store_fact', fact),
    step('kstar:store_fact', (one) => ({ ...fact(one), id: undefined, supersedes: one })),
    step('kstar:store_perception', (one, content) => ({ content, confidence: 1, evidence: [one], ...place })),
    step('kstar:store_skill', (name, procedure) => ({ name, definition: { procedure }, ...place })),
    step('ks:store', message),
    step('ks:update_profile', (user, home) => ({ ...agent, user_id: user, history: history(home) })),
    step('ks:cache_answer', (one, answer) => ({ ...agent, question: one, answer })),
    step('inbox:send', (key, text) => ({ from: 'helper', key, text })),
    step('kstar:forget', (one) => ({ id: one })),
    step('kstar:set_sensitivity', (one) => ({ id: one, sensitivity: 'public' })),
  )
}

const readings: readonly ((one: string, word: string) => Step)[] = [
  (one) => ({ verb: 'kstar:get_record', input: { id: one } }),
  (one) => ({ verb: 'kstar:history', input: { id: one } }),
  (one) => ({ verb: 'kstar:linked_traces', input: { id: one } }),
  (one) => ({ verb: 'kstar:restore', input: { id: one, version: 1 } }),
  (one) => ({ verb: 'kstar:complete_trace', input: { id: one, result: { success: true } } }),
  (one) => ({ verb: 'kstar:update_perception', input: { id: one, updates: { content: 'x' } } }),
  (one) => ({ verb: 'kstar:supersede_fact', input: { id: one, data: {} } }),
  (one) => ({ verb: 'kstar:forget', input: { id: one, cascade: true } }),
  (one) => ({ verb: 'kstar:get_skill', input: { skillName: one } }),
  (one) => ({ verb: 'kstar:update_skill_maturity', input: { skillName: one, outcome: true } }),
  (one) => ({ verb: 'ks:delete_message', input: { id: one } }),
  (one) => ({ verb: 'ks:get_profile', input: { user_id: one } }),
  (one) => ({ verb: 'ks:cached_answer', input: { question: one } }),
  (one) => ({ verb: 'inbox:acknowledge', input: { ids: [one] } }),
  (one) => ({ verb: 'recall:use', input: { ids: [one] } }),
  (_, text) => ({ verb: 'daybook:recall', input: { text } }),
  (one, text) => ({ verb: 'recall:explain', input: { id: one, text } }),
  (_, text) => ({ verb: 'kstar:search_traces', input: { query: text } }),
  () => ({ verb: 'kstar:query_memory', input: { limit: 3 } }),
  () => ({ verb: 'kstar:get_facts', input: { schema: 's' } }),
  () => ({ verb: 'kstar:get_stats', input: {} }),
  () => ({ verb: 'daybook:status', input: {} }),
  () => ({ verb: 'inbox:take', input: {} }),
  () => ({ verb: 'bundle:export', input: {} }),
]
const reading = fc.tuple(fc.constantFrom(...readings), id, word).map(([make, one, other]) => make(one, other))
const here = { resource: 'course:here', session: 'here' }
const elsewhere = { resource: 'course:else', session: 'else' }
const hidden = steps(elsewhere, { agent: 'helper' }).filter(
  // What these store for somebody else has his name alone: it is no place that a guest of a course sees.
  ({ verb }) => verb !== 'kstar:forget' && verb !== 'kstar:set_sensitivity',
)
const visible = fc.tuple(id, word).map(([one, goal]): Step => {
  return { verb: 'kstar:store_trace', input: makeTrace({ id: `seen-${one}`, ...here, task: { goal } }) }
})
const asked = fc.oneof(
  reading,
  steps({}, {}),
  // Also of what it sees.
  reading.map(({ verb, input }) => ({
    verb,
    input: JSON.parse(JSON.stringify(input).replaceAll(/"(one|two|three)"/g, '"seen-$1"')) as object,
  })),
)

const open: TestEngine[] = []
afterEach(() => {
  for (const { engine } of open.splice(0)) engine.close()
})

/** All that the guest is told in a book of `records`, without what is new in every book: made ids, and when. */
async function told(
  records: readonly Step[],
  { seen, calls, scope }: { seen: readonly Step[]; calls: readonly Step[]; scope: string },
): Promise<string[]> {
  const book = openTestEngine()
  open.push(book)
  const reach = readReach({ scope }) ?? expect.unreachable()
  const permissions = ['read', 'write', 'forget', 'export']
  const caller: Caller = { role: 'guest', token: 'claims', agent: 'helper', reach, permissions, by: 'claims' }
  const outcome = async ({ verb, input }: Step, as?: Caller) =>
    book.engine.call(verb, JSON.parse(JSON.stringify(input)), as ? { caller: as } : {}).then(
      (value) => JSON.stringify(value),
      (error: Error) => JSON.stringify(error),
    )
  for (const one of seen) {
    await outcome(one)
    await book.pass(1000)
  }
  for (const one of records) await outcome(one)
  const answers: string[] = []
  for (const one of calls) {
    await book.pass(1000)
    const answer = (await outcome(one, caller))
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#')
      .replaceAll(/"took":[\d.]+|sha256:[0-9a-f]{64}/g, '')
    answers.push(`${one.verb} ${answer}`)
  }
  return answers
}

it.each(['course:here', 'session:here'])(
  'a guest of %s is told nothing that depends on what it does not see',
  async (scope) => {
    const few = (most: number, one: fc.Arbitrary<Step>) => fc.array(one, { maxLength: most })
    await fc.assert(
      fc.asyncProperty(few(4, visible), few(8, hidden), few(8, hidden), few(12, asked), async (...all) => {
        const [seen, one, other, calls] = all
        expect(await told(one, { seen, calls, scope })).toEqual(await told(other, { seen, calls, scope }))
      }),
      { numRuns: 25 },
    )
  },
  120_000,
)
