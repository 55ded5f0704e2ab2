// The types of a book come from the capability table. What is asserted here is checked by `npm run check`; the run
// only makes sure that the table and the types name the same methods.
import { expect, expectTypeOf, it } from 'vitest'
import { capabilityTable, kinds } from '../../src/engine/capability-table.ts'
import { bookTable } from '../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../src/book/daybook.ts'
import { openDaybook } from '../../src/index.ts'
import type { Hit, LiveSnapshot, RecallResult, RecordOf, Skill, Trace } from '../../src/index.ts'
import { type DaybookError, isDaybookError } from '../../src/core/errors.ts'
import type { DaybookClient } from '../../src/doors/p3394/client.ts'

declare const book: Daybook

it('gives every method its input and output', () => {
  expectTypeOf<Daybook['traces']['get']>().parameter(0).toEqualTypeOf<{ id: string }>()
  expectTypeOf<Daybook['traces']['get']>().returns.resolves.toEqualTypeOf<Trace | null>()
  expectTypeOf<Daybook['recall']>().returns.resolves.toExtend<RecallResult>()
  expectTypeOf<Daybook['traces']['store']>().returns.resolves.toHaveProperty('id').toBeString()
  expectTypeOf<keyof Daybook['traces']>().toEqualTypeOf<
    | 'store'
    | 'storeMany'
    | 'complete'
    | 'get'
    | 'query'
    | 'search'
    | 'linked'
    | 'count'
    | 'forget'
    | 'history'
    | 'categories'
  >()
  expectTypeOf<keyof Daybook['facts']>().toEqualTypeOf<
    'store' | 'supersede' | 'get' | 'query' | 'forget' | 'history' | 'schemas'
  >()
  expectTypeOf<keyof Daybook['facts']['schemas']>().toEqualTypeOf<'register' | 'get' | 'list'>()
  expectTypeOf<keyof Daybook['perceptions']>().toEqualTypeOf<
    'store' | 'get' | 'query' | 'update' | 'forget' | 'history'
  >()
  expectTypeOf<keyof Daybook['skills']>().toEqualTypeOf<
    'store' | 'get' | 'query' | 'recordOutcome' | 'forget' | 'history'
  >()
  expectTypeOf<Daybook['skills']['get']>().returns.resolves.toEqualTypeOf<Skill | null>()
})

it('lets an input with defaults be left out, and no other', () => {
  const calls = () => [
    book.status(),
    book.sync(),
    book.traces.query(),
    // @ts-expect-error a trace is needed
    book.traces.store(),
    // @ts-expect-error a question is needed
    book.recall(),
    // @ts-expect-error there is no such field
    book.traces.store({ situation: { domain: 'd' }, task: { goal: 'g' }, action: { type: 't' }, tusk: 1 }),
  ]
  expectTypeOf(calls).toBeFunction()
})

it('types the generic door by id', () => {
  const call = () => book.call('kstar:get_trace', { id: 'x' })
  expectTypeOf(call).returns.resolves.toEqualTypeOf<Trace | null>()
  const other = () => book.call('some:other_verb', { anything: 1 })
  expectTypeOf(other).returns.resolves.toBeUnknown()
  // @ts-expect-error a known verb takes its own input only
  const wrong = () => book.call('kstar:get_trace', { name: 'x' })
  expectTypeOf(wrong).toBeFunction()
})

it('hangs every capability of the table where its type says', () => {
  const nothing = () => Promise.resolve([])
  const tools = { list: nothing, run: () => Promise.resolve({ value: null, texts: [], isFailure: false }) }
  const door = { tools, call: nothing, on: () => () => undefined, close: async () => undefined }
  const built = createDaybook(door, bookTable(capabilityTable, kinds), globalThis)
  for (const method of capabilityTable.flatMap(({ methods }) => [...methods])) {
    const verb = method
      .split('.')
      .reduce<unknown>((place, name) => (place as Record<string, unknown>)[name], built)
    expect([method, typeof verb]).toEqual([method, 'function'])
  }
})

it('narrows records of any kind by their `kind`', () => {
  const ask = async () => {
    const { hits } = await book.recall({ text: 'recursion' })
    const [hit] = hits
    if (hit?.record.kind === 'trace') {
      expectTypeOf(hit.record.result?.success).toEqualTypeOf<boolean | undefined>()
      expectTypeOf(hit.record).toExtend<RecordOf<'trace'>>()
    }
    const found = await book.records.get({ id: 'x' })
    if (found?.kind === 'message') expectTypeOf(found.content).toBeString()
    // @ts-expect-error no kind has this name
    return found?.kind === 'nothing'
  }
  expectTypeOf(ask).toBeFunction()
})

it('answers records of the kinds that a query names', () => {
  const ask = async (name: string) => {
    const one = await book.records.query({ kind: 'fact' })
    expectTypeOf(one.records).toEqualTypeOf<RecordOf<'fact'>[]>()
    const two = await book.recall({ text: 'x', kinds: ['fact', 'trace'] })
    expectTypeOf(two.hits).toEqualTypeOf<Hit<'fact' | 'trace'>[]>()
    const any = await book.records.search({ query: 'x', kind: name })
    expectTypeOf(any.records).toEqualTypeOf<RecordOf[]>()
    const { records } = await book.facts.query<{ learning_style: string }>()
    expectTypeOf(records[0]?.data.learning_style).toEqualTypeOf<string | undefined>()
  }
  expectTypeOf(ask).toBeFunction()
})

it('gives each kind its own type', () => {
  expectTypeOf<RecordOf<'trace'>>().toExtend<Trace>()
  expectTypeOf<RecordOf<'skill'>>().toExtend<Skill>()
})

it('narrows the records of live queries and of calls by id to the kinds of the input', () => {
  const ask = () => {
    const recalled = book.live({ method: 'recall', input: { text: 'x', kinds: ['trace'] } })
    const skills = book.live({ method: 'records.query', input: { kind: 'skill' } })
    const every = book.live({ method: 'recall', input: { text: 'x' } })
    // @ts-expect-error `traces.query` takes no kinds
    book.live({ method: 'traces.query', input: { kinds: ['trace'] } })
    return { recalled, skills, every }
  }
  type Asked = ReturnType<typeof ask>
  type Recalled = NonNullable<ReturnType<Asked['recalled']['getSnapshot']>['data']>
  expectTypeOf<Recalled['hits'][number]['record']>().toExtend<RecordOf<'trace'>>()
  type Skills = NonNullable<ReturnType<Asked['skills']['getSnapshot']>['data']>
  expectTypeOf<Skills['records'][number]>().toExtend<RecordOf<'skill'>>()
  type Every = NonNullable<ReturnType<Asked['every']['getSnapshot']>['data']>
  expectTypeOf<Every['hits'][number]['record']>().toEqualTypeOf<RecordOf>()

  const call = () => book.call('daybook:recall', { text: 'x', kinds: ['trace'] })
  expectTypeOf(call).returns.resolves.toHaveProperty('hits').toEqualTypeOf<Hit<'trace'>[]>()
  const any = () => book.call('daybook:recall', { text: 'x' })
  expectTypeOf(any).returns.resolves.toHaveProperty('hits').toEqualTypeOf<Hit[]>()
})

it('narrows the code of an error, and takes undefined for an option', () => {
  const codeOf = (error: unknown) => (isDaybookError(error, 'too-large') ? error.code : undefined)
  expectTypeOf(codeOf).returns.toEqualTypeOf<'too-large' | undefined>()
  const calls = (text: string | undefined, signal: AbortSignal | undefined) => [
    book.recall({ text: 'x' }, { requestId: text, signal }),
    book.import('x', { name: text, signal }),
    openDaybook({ name: 'x', agent: text, signal }),
  ]
  expectTypeOf(calls).toBeFunction()
})

it('lets a live query only read', () => {
  const ask = () => book.live({ method: 'traces.query', input: { limit: 5 } })
  expectTypeOf(ask).toBeFunction()
  // @ts-expect-error it writes
  const write = () => book.live({ method: 'records.forget', input: { id: 'x' } })
  expectTypeOf(write).toBeFunction()
})

it('types a live answer by its status', () => {
  const shown = (snapshot: LiveSnapshot<Trace>) => {
    if (snapshot.status === 'ready') expectTypeOf(snapshot.data).toEqualTypeOf<Trace>()
    else expectTypeOf(snapshot.data).toEqualTypeOf<Trace | undefined>()
    if (snapshot.status === 'error') expectTypeOf(snapshot.error).toEqualTypeOf<DaybookError>()
    else expectTypeOf(snapshot.error).toEqualTypeOf<undefined>()
  }
  expectTypeOf(shown).toBeFunction()
})

it("types the client's verbs as their specification answers", () => {
  const told = (client: DaybookClient) => ({
    receipt: client.send({ capability: 'kstar:store_trace' }),
    traces: client.send({ capability: 'kstar:query_traces' }),
    profile: client.send({ capability: 'ks:update_profile' }),
    own: client.send({ capability: 'kstar:get_trace' }),
    other: client.send({ capability: 'some:other_verb' }),
  })
  type Told = { [Name in keyof ReturnType<typeof told>]: Awaited<ReturnType<typeof told>[Name]> }
  expectTypeOf<Told['receipt']>().toEqualTypeOf<{ readonly trace_id: string; readonly stored_at: string }>()
  expectTypeOf<Told['traces'][number]>().toExtend<Trace>()
  expectTypeOf<Extract<Told['profile'], { ok: boolean }>>().toHaveProperty('profiles_updated').toBeNumber()
  expectTypeOf<Told['own']>().toEqualTypeOf<Trace | null>()
  expectTypeOf<Told['other']>().toBeUnknown()
})
