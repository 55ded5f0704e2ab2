// Messages of a conversation, as every host must keep and recall them.
import { expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

const user = { type: 'User', id: 'u-1', name: 'Alice' }
const agent = { type: 'Agent', id: 'contract' }

export function conversationCases({ book: open, reopen }: BookCase): void {
  const filled = async () => {
    const book = await open()
    const said = [
      ['m-1', user, 'I adopted a greyhound called Pixel last week', '2026-02-01T10:00:00Z'],
      ['m-2', agent, 'Congratulations! How is Pixel settling in?', '2026-02-01T10:00:05Z'],
      [
        'm-3',
        user,
        'He sleeps a lot. By the way, my flight to Lisbon leaves on Friday',
        '2026-02-01T10:01:00Z',
      ],
      ['m-4', agent, 'Shall I remind you to pack?', '2026-02-01T10:01:05Z'],
      ['m-5', user, 'Pixel chased a squirrel today', '2026-02-03T18:00:00Z'],
    ] as const
    const messages = said.map(([id, source, content, timestamp]) => ({ id, source, content, timestamp }))
    await book.conversation.storeMany({ messages, session: 's-1' })
    return book
  }

  it('stores a message and lists it as a record', async () => {
    const book = await open()
    const {
      ok,
      result,
      id = '',
    } = await book.conversation.store({
      agent: 'tutor',
      session: 's-1',
      resource: 'user:alice',
      message: {
        id: 'm-1',
        content: 'Hello there',
        source: user,
        timestamp: '2026-02-01T11:00:00+01:00',
        metadata: { channel: 'web' },
      },
    })
    expect([ok, result]).toEqual([true, 'stored'])
    const { records } = await book.conversation.list()
    expect(records).toEqual([
      {
        id,
        kind: 'message',
        agent: 'tutor',
        session: 's-1',
        resource: 'user:alice',
        ver: expect.any(Number),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        msg_id: 'm-1',
        content: 'Hello there',
        source: user,
        timestamp: '2026-02-01T10:00:00.000Z',
        metadata: { channel: 'web' },
      },
    ])
    const again = await reopen(book)
    expect((await again.conversation.list({ agent: 'tutor' })).records).toEqual(records)
    expect((await again.conversation.list({ agent: 'other' })).records).toEqual([])
  })

  it('skips what is empty or known, and says so', async () => {
    const book = await open()
    const store = (message: object, over: object = {}) =>
      book.conversation.store({ message: message as { content: string }, ...over })
    expect(await store({ content: ' \n' })).toEqual({
      ok: true,
      skipped: true,
      result: 'skipped',
      reason: 'empty content',
    })
    const { id } = await store({ id: 'm-1', content: 'one' })
    const twice = { ok: true, skipped: true, result: 'skipped', reason: 'duplicate msg_id', id }
    expect(await store({ id: 'm-1', content: 'one' })).toEqual(twice)
    expect(await store({ id: 'm-1', content: 'another text under the same name' })).toEqual(twice)
    expect((await store({ id: 'm-1', content: 'one' }, { agent: 'other' })).result).toBe('stored')
    const dated = { content: 'no name', timestamp: '2026-02-01', source: user }
    expect((await store(dated)).result).toBe('stored')
    expect((await store(dated)).reason).toBe('duplicate content')
    expect((await store({ ...dated, source: agent })).result).toBe('stored')
    expect((await store({ content: 'ok' })).result).toBe('stored')
    expect((await store({ content: 'ok' })).result).toBe('stored')
    expect((await book.conversation.list()).records).toHaveLength(6)
  })

  it('stores many in their order, and counts what it skipped', async () => {
    const book = await open()
    const messages = ['one', '', 'two', 'three'].map((content) => ({ content }))
    const { stored, skipped, results } = await book.conversation.storeMany({ messages })
    expect([stored, skipped]).toEqual([3, 1])
    expect(results[1]).toEqual({ result: 'skipped', reason: 'empty content' })
    const { messages: recent } = await book.conversation.recall({})
    expect(recent.map(({ content }) => content)).toEqual(['one', 'two', 'three'])
  })

  it('understands every spelling of a source', async () => {
    const book = await open()
    const given = [
      'user',
      'assistant',
      '',
      'bob',
      { User: 'u-1' },
      { Agent: { id: 'a', name: 'Ada' } },
      { System: null },
    ]
    const messages = given.map((source, i) => ({ content: `said ${i}`, source }))
    await book.conversation.storeMany({ messages })
    const { messages: recent } = await book.conversation.recall({ limit: 20 })
    expect(recent.map(({ source }) => source)).toEqual([
      { type: 'User' },
      { type: 'Agent' },
      {},
      { id: 'bob' },
      {
        type: 'User',
        id: 'u-1',
      },
      {
        type: 'Agent',
        id: 'a',
        name: 'Ada',
      },
      { type: 'System' },
    ])
  })

  it('recalls what is about a question, in the order of time and in the shape agreed', async () => {
    const book = await filled()
    const { messages } = await book.conversation.recall({
      query: 'what do you know about my greyhound Pixel?',
    })
    expect(messages[0]).toEqual({
      id: 'm-1',
      content: 'I adopted a greyhound called Pixel last week',
      source: user,
      timestamp: '2026-02-01T10:00:00.000Z',
    })
    expect(messages.map(({ id }) => id)).toEqual(['m-1', 'm-2', 'm-5'])
    const one = await book.conversation.recall({ query: 'greyhound', limit: 1 })
    expect(one.messages.map(({ id }) => id)).toEqual(['m-1'])
  })

  it('recalls by speaker, by day and by part of a word', async () => {
    const book = await filled()
    const ids = async (query: string) =>
      (await book.conversation.recall({ query })).messages.map(({ id }) => id)
    expect(await ids('what did Alice say?')).toEqual(['m-1', 'm-3', 'm-5'])
    expect(await ids('3 February 2026')).toContain('m-5')
    expect(await ids('quirre')).toEqual(['m-5'])
    expect(await ids('quantum pancakes')).toEqual([])
  })

  it('gives the most recent messages when there is no question', async () => {
    const book = await filled()
    const { messages } = await book.conversation.recall({ query: '  ', limit: 2 })
    expect(messages.map(({ id }) => id)).toEqual(['m-4', 'm-5'])
    const { messages: none } = await book.conversation.recall({ agent: 'other' })
    expect(none).toEqual([])
  })

  it('keeps agents, sessions and resources apart', async () => {
    const book = await filled()
    const secret = { content: 'Pixel is an alias of agent seven' }
    await book.conversation.store({
      agent: 'other',
      session: 's-2',
      resource: 'user:bob',
      message: secret,
    })
    const count = async (scope: object) =>
      (await book.conversation.recall({ query: 'Pixel alias', ...scope })).messages.length
    expect(await count({})).toBe(3)
    expect(await count({ agent: 'other' })).toBe(1)
    expect(await count({ agent: 'other', session: 's-1' })).toBe(0)
    expect(await count({ agent: 'other', session: 's-2', resource: 'user:bob' })).toBe(1)
    const { records } = await book.conversation.list({ resource: 'user:bob', filters: { session: 's-2' } })
    expect(records.map(({ content }) => content)).toEqual([secret.content])
  })

  it('pages through a list', async () => {
    const book = await filled()
    const first = await book.conversation.list({ limit: 2, filters: { 'source.type': 'User' } })
    expect(first.records.map(({ msg_id }) => msg_id)).toEqual(['m-5', 'm-3'])
    const { cursor = '' } = first
    const second = await book.conversation.list({ limit: 2, cursor, filters: { 'source.type': 'User' } })
    expect(second.records.map(({ msg_id }) => msg_id)).toEqual(['m-1'])
    expect(second.cursor).toBeUndefined()
    expect(
      (await failure(book.conversation.list({ filters: { a: { nope: 1 } }, session: 's' }))).details,
    ).toEqual({
      path: 'filters.a.nope',
    })
  })

  it('forgets a message by either name, of its own agent only', async () => {
    const book = await filled()
    const error = await failure(book.conversation.forget({ agent: 'other', id: 'm-1' }))
    expect(error).toMatchObject({ code: 'not-found', details: { path: 'id' } })
    expect(await book.conversation.forget({ id: 'm-1' })).toEqual({ ok: true, deletedId: 'm-1' })
    expect((await failure(book.conversation.forget({ id: 'm-1' }))).code).toBe('not-found')
    const { records } = await book.conversation.list({ filters: { msg_id: 'm-5' } })
    await book.conversation.forget({ id: records[0]?.id ?? '' })
    const { messages } = await book.conversation.recall({ query: 'Pixel the greyhound' })
    // What was said to m-2 comes along; what was forgotten does not.
    expect(messages.map(({ id }) => id)).toEqual(['m-2', 'm-3'])
  })

  it('forgets everything of one agent', async () => {
    const book = await filled()
    await book.conversation.store({ agent: 'other', message: { content: 'stays' } })
    expect(await book.conversation.forgetAgent({ agent: 'contract' })).toEqual({
      ok: true,
      agent: 'contract',
      deletedMemories: 5,
      deletedProfiles: 0,
      deletedEpisodes: 0,
    })
    const { records } = await book.conversation.list()
    expect(records.map(({ content }) => content)).toEqual(['stays'])
    expect((await book.conversation.forgetAgent({ agent: 'contract' })).deletedMemories).toBe(0)
  })

  const bad: [string, object, string][] = [
    ['no content', { message: {} }, 'message.content'],
    ['too much content', { message: { content: 'x'.repeat(1_000_001) } }, 'message.content'],
    ['a misspelt field', { message: { content: 'x', contant: 'y' } }, 'message.contant'],
    ['a time that is none', { message: { content: 'x', timestamp: 'noon' } }, 'message.timestamp'],
    ['a source that is none', { message: { content: 'x', source: { name: 7 } } }, 'message.source.name'],
    ['a list as source', { message: { content: 'x', source: ['User'] } }, 'message.source'],
    ['an empty agent', { agent: '', message: { content: 'x' } }, 'agent'],
  ]
  it.each(bad)('refuses a message with %s, and stores nothing', async (_what, input, path) => {
    const book = await open()
    const error = await failure(book.call('ks:store', input as never))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path }, retry: false })
    expect((await book.conversation.list()).records).toEqual([])
  })
}
