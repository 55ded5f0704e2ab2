// Checkpoints in a book: a graph that was killed goes on where it was, many steps stay small, and bad input stores nothing.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Annotation, interrupt, Command, StateGraph } from '@langchain/langgraph'
import { emptyCheckpoint, MemorySaver, uuid6 } from '@langchain/langgraph-checkpoint'
import { expect, it } from 'vitest'
import { DaybookSaver } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'

const open = () => openDaybook({ name: 'saver', path: ':memory:' })
const metadata = { source: 'loop', step: 0, parents: {} } as const

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (old, added) => [...old, ...added], default: () => [] }),
})

/** Asks a person in its second step, and counts how often each step ran. */
function graphWith(saver: DaybookSaver, ran: string[]) {
  const step = (name: string, work: () => string) => () => {
    ran.push(name)
    return { log: [work()] }
  }
  return new StateGraph(State)
    .addNode(
      'first',
      step('first', () => 'first'),
    )
    .addNode(
      'ask',
      step('ask', () => String(interrupt('May I?'))),
    )
    .addNode(
      'last',
      step('last', () => 'last'),
    )
    .addEdge('__start__', 'first')
    .addEdge('first', 'ask')
    .addEdge('ask', 'last')
    .compile({ checkpointer: saver })
}

it('lets a graph go on in another process where it waited for a person', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'saver-'))
  const path = join(folder, 'a.daybook')
  const config = { configurable: { thread_id: 'trip' } }
  const ran: string[] = []
  try {
    {
      await using book = await openDaybook({ name: 'saver', path })
      await graphWith(new DaybookSaver(book), ran).invoke({ log: ['begin'] }, config)
    }
    await using book = await openDaybook({ name: 'saver', path })
    const graph = graphWith(new DaybookSaver(book), ran)
    expect((await graph.getState(config)).next).toEqual(['ask'])
    const { log } = await graph.invoke(new Command({ resume: 'yes' }), config)
    expect(log).toEqual(['begin', 'first', 'yes', 'last'])
    expect(ran).toEqual(['first', 'ask', 'ask', 'last'])
    const steps: number[] = []
    for await (const { metadata: said } of graph.getStateHistory(config)) steps.push(said?.step ?? NaN)
    expect(steps).toEqual([3, 2, 1, 0, -1])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('keeps what only some serializers know: bytes, maps, sets, undefined, and any channel name', async () => {
  await using book = await open()
  const saver = new DaybookSaver(book)
  const values = {
    bytes: new Uint8Array([0, 255, 128]),
    map: new Map([['a', new Set([1])]]),
    list: [new Map([[1, 2]]), { at: 'x'.repeat(500) }, new Set(['y'])],
    mixed: [undefined, null, 1, { a: undefined }],
    long: '\u{1f600}'.repeat(500_000),
    constructor: 'a channel of that name',
  }
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1), channel_values: values }
  const reference = new MemorySaver()
  const config = { configurable: { thread_id: '__proto__ ', checkpoint_ns: '' } }
  const said = await saver.put(config, checkpoint, metadata)
  await reference.put(config, checkpoint, metadata)
  const theirs = await reference.getTuple(config)
  expect((await new DaybookSaver(book).getTuple(config))?.checkpoint).toEqual(theirs?.checkpoint)
  expect(await saver.getTuple(said)).toMatchObject({ config: said, metadata })
})

it('stores a list that grows over 1,000 steps once, and finds the last step at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'saver-'))
  const path = join(folder, 'a.daybook')
  try {
    await using book = await openDaybook({ name: 'saver', path })
    const saver = new DaybookSaver(book)
    const message = (n: number) => ({
      role: 'user',
      id: `m-${n}`,
      content: `Message ${n}. `.padEnd(600, 'lorem '),
    })
    const messages: object[] = []
    let parent: string | undefined
    let plain = 0
    for (let step = 0; step < 1000; step++) {
      if (step % 10 === 0) messages.push(message(step))
      const checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(step),
        channel_values: { messages: [...messages] },
      }
      plain += JSON.stringify(checkpoint).length
      const configurable = { thread_id: 't', checkpoint_ns: '', ...(parent ? { checkpoint_id: parent } : {}) }
      await saver.put({ configurable }, checkpoint, { ...metadata, step })
      parent = checkpoint.id
    }
    const last = await new DaybookSaver(book).getTuple({ configurable: { thread_id: 't' } })
    expect(last?.checkpoint.channel_values['messages']).toEqual(messages)
    expect(last?.metadata).toMatchObject({ step: 999 })
    await book.close()
    // Whole states would be 33 MB.
    expect(plain).toBeGreaterThan(25_000_000)
    expect(statSync(path).size).toBeLessThan(plain / 2)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('sends again what somebody else has deleted meanwhile', async () => {
  await using book = await open()
  const saver = new DaybookSaver(book)
  const config = { configurable: { thread_id: 't', checkpoint_ns: '' } }
  const put = () => {
    const channel_values = { text: 'x'.repeat(1000) }
    return saver.put(config, { ...emptyCheckpoint(), id: uuid6(1), channel_values }, metadata)
  }
  await put()
  await new DaybookSaver(book).deleteThread('t')
  expect((await book.stats()).total).toBe(0)
  const kept = await put()
  const found = await new DaybookSaver(book).getTuple(kept)
  expect(found?.checkpoint.channel_values['text']).toHaveLength(1000)
})

it('refuses a config without a thread in the words of the framework, and stores nothing', async () => {
  await using book = await open()
  const saver = new DaybookSaver(book)
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1) }
  const without = await failure(saver.put({ configurable: {} }, checkpoint, metadata))
  expect(without).toMatchObject({ code: 'invalid-input', details: { path: 'configurable.thread_id' } })
  expect(without.message).toContain('missing a required "thread_id"')
  for (const thread_id of ['', {}, 'x'.repeat(2000), '\ud800']) {
    const error = await failure(saver.put({ configurable: { thread_id } }, checkpoint, metadata))
    expect(error.details).toEqual({ path: 'configurable.thread_id' })
  }
  const bare = await failure(saver.putWrites({ configurable: { thread_id: 't' } }, [['a', 1]], 'task'))
  expect(bare.details).toEqual({ path: 'configurable.checkpoint_id' })
  expect(await saver.getTuple({ configurable: { thread_id: 'nobody' } })).toBeUndefined()
  await saver.deleteThread('nobody')
  expect((await book.stats()).total).toBe(0)
})

it('leaves no checkpoint to a token for another thread, and none in recall', async () => {
  await using book = await open()
  const put = (thread_id: string) =>
    new DaybookSaver(book).put(
      { configurable: { thread_id } },
      { ...emptyCheckpoint(), id: uuid6(1), channel_values: { text: `balcony ${'x'.repeat(500)}` } },
      metadata,
    )
  await put('alice')
  await put('bob')
  const { token } = await book.tokens.grant({
    granted_to: 'guest',
    scope: 'checkpoint:bob',
    permissions: ['read'],
    expires_at: '2099-01-01',
  })
  const guest = new DaybookSaver(book.with({ as: token.token_id }))
  const seen: string[] = []
  for await (const { config } of guest.list({})) seen.push(String(config.configurable?.['thread_id']))
  expect(seen).toEqual(['bob'])
  expect(
    (await guest.getTuple({ configurable: { thread_id: 'bob' } }))?.checkpoint.channel_values,
  ).toHaveProperty('text')
  expect(await guest.getTuple({ configurable: { thread_id: 'alice' } })).toBeUndefined()
  expect((await book.recall({ text: 'balcony' })).hits).toEqual([])
})

it('takes answers of any size: of a step, between two steps, and in what is said of one', async () => {
  await using book = await open()
  const saver = new DaybookSaver(book)
  const config = { configurable: { thread_id: 'large', checkpoint_ns: '' } }
  const large = `${'\u{1f600}'.repeat(1_000_000)} end`
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1), channel_values: { answer: large } }
  const said = { ...metadata, writes: { answer: large } }
  const put = await saver.put(config, checkpoint, said as never)
  const writes: [string, unknown][] = [
    ['answer', large],
    ['bytes', new Uint8Array(2_000_000).fill(200)],
    ...Array.from({ length: 20 }, (_, i): [string, unknown] => [`middle ${i}`, 'm'.repeat(150_000)]),
    ['small', 'yes'],
  ]
  await saver.putWrites(put, writes, 'task')
  for (const one of [saver, new DaybookSaver(book)]) {
    const found = await one.getTuple(config)
    expect(found?.checkpoint.channel_values['answer']).toBe(large)
    expect(found?.metadata).toEqual(said)
    expect(found?.pendingWrites).toEqual(writes.map(([channel, value]) => ['task', channel, value]))
    const listed = []
    for await (const tuple of one.list(config)) listed.push(tuple.pendingWrites?.length)
    expect(listed).toEqual([writes.length])
  }
  await saver.deleteThread('large')
  expect((await book.stats()).total).toBe(0)
}, 60_000)

it('runs a graph whose step answers more than one record takes', async () => {
  await using book = await open()
  const answer = 'x'.repeat(3_000_000)
  const graph = new StateGraph(State)
    .addNode('only', () => ({ log: [answer] }))
    .addEdge('__start__', 'only')
    .compile({ checkpointer: new DaybookSaver(book) })
  const config = { configurable: { thread_id: 'run' } }
  expect((await graph.invoke({ log: [] }, config)).log[0]).toHaveLength(answer.length)
  expect((await graph.getState(config)).values.log[0]).toBe(answer)
})

it.each([
  ['a function', () => 1],
  ['a symbol', Symbol('s')],
  ['what says it is nothing', { toJSON: () => () => 1 }],
])('leaves out %s, as the saver of the framework does, and the thread can be read', async (_what, value) => {
  await using book = await open()
  const checkpoint = {
    ...emptyCheckpoint(),
    channel_values: {
      value,
      list: [value, { a: value, b: 1 }],
      objects: [{ toJSON: () => value }, { b: 1 }],
      kept: 'yes',
    },
    channel_versions: { value: 1, list: 1, objects: 1, kept: 1 },
  }
  const config = { configurable: { thread_id: 't', checkpoint_ns: '' } }
  const [theirs, ours] = [new MemorySaver(), new DaybookSaver(book)]
  for (const saver of [theirs, ours]) await saver.put(config, checkpoint, metadata)
  const read = await ours.getTuple(config)
  expect(read?.checkpoint).toEqual((await theirs.getTuple(config))?.checkpoint)
  expect(Object.keys(read?.checkpoint.channel_values ?? {})).toEqual(['list', 'objects', 'kept'])
  const placed = { configurable: { ...config.configurable, checkpoint_id: checkpoint.id } }
  await ours.putWrites(
    placed,
    [
      ['value', value],
      ['kept', 'no'],
    ],
    'task',
  )
  expect((await ours.getTuple(config))?.pendingWrites).toEqual([['task', 'kept', 'no']])
})
