// Episodes and profiles without a language model, as every host must make them.
import { expect, it } from 'vitest'
import { type BookCase, failure } from '../book-case.ts'

const alice = { type: 'User', id: 'u-1', name: 'Alice' }
const bot = { type: 'Agent', id: 'contract', name: 'Bot' }
const history = [
  {
    id: 'm-1',
    source: alice,
    content: 'My name is Alice and I live in Berlin. The audit is in March.',
    timestamp: '2026-02-01T10:00:00Z',
  },
  {
    id: 'm-2',
    source: bot,
    content: 'The audit will look at unencrypted invoices first.',
    timestamp: '2026-02-01T10:00:10Z',
  },
  {
    id: 'm-3',
    source: alice,
    content: 'Then encrypt the invoices before the audit.',
    timestamp: '2026-02-01T10:01:00Z',
  },
]

export function episodeCases({ book: open, reopen }: BookCase): void {
  it('archives a history as an episode that is found by its words and keeps its messages', async () => {
    const book = await open()
    await book.conversation.storeMany({ messages: history.slice(0, 2) })
    const { ok, episodeId = '', method } = await book.conversation.archive({ history, session: 's-1' })
    expect([ok, method]).toEqual([true, 'extractive'])
    const { records } = await (await reopen(book)).conversation.episodes()
    expect(records).toMatchObject([
      {
        id: episodeId,
        kind: 'episode',
        agent: 'contract',
        session: 's-1',
        method: 'extractive',
        message_count: 3,
        start_time: '2026-02-01T10:00:00.000Z',
        end_time: '2026-02-01T10:01:00.000Z',
      },
    ])
    const [episode] = records
    expect(episode?.summary).toMatch(
      /^Alice: [^]*\nBot: The audit will look at unencrypted invoices first\.\nAlice: /,
    )
    expect(episode?.keywords).toEqual(expect.arrayContaining(['audit', 'invoices']))
    expect(episode?.messages).toHaveLength(2)
  })

  it('recalls an episode beside the messages', async () => {
    const book = await open()
    await book.conversation.archive({ history })
    await book.conversation.store({
      message: { id: 'm-9', content: 'The audit went well', timestamp: '2026-03-01' },
    })
    const { messages } = await book.conversation.recall({ query: 'what about the audit of invoices?' })
    expect(messages.map(({ source }) => source)).toEqual([{ System: 'episode' }, {}])
    expect(messages[0]?.content).toMatch(/^\[Episode\] /)
    expect(messages[0]?.timestamp).toBe('2026-02-01T10:01:00.000Z')
  })

  it('archives the same history once, and nothing as nothing', async () => {
    const book = await open()
    const first = await book.conversation.archive({ history })
    expect(await book.conversation.archive({ history })).toEqual({
      ok: true,
      episodeId: first.episodeId,
      method: 'extractive',
      skipped: true,
      reason: 'duplicate history',
    })
    const nothing = await book.conversation.archive({ history: [{ content: ' … ' }] })
    expect(nothing).toEqual({ ok: true, skipped: true, reason: 'empty history' })
    expect((await book.conversation.episodes()).records).toHaveLength(1)
    await book.conversation.forgetEpisode({ id: first.episodeId ?? '' })
    expect((await book.conversation.episodes()).records).toEqual([])
    const again = await failure(book.conversation.forgetEpisode({ id: first.episodeId ?? '' }))
    expect(again).toMatchObject({ code: 'not-found', details: { path: 'id' } })
  })

  it('archives what a session has that is not archived yet', async () => {
    const book = await open()
    await book.conversation.storeMany({ session: 's-1', messages: history.slice(0, 2) })
    await book.conversation.storeMany({ session: 's-2', messages: [{ content: 'Something else entirely.' }] })
    await book.conversation.archive({ session: 's-1' })
    await book.conversation.storeMany({ session: 's-1', messages: history.slice(2) })
    await book.conversation.archive({ session: 's-1' })
    const { records } = await book.conversation.episodes({ session: 's-1', orderBy: 'end_time' })
    expect(records.map(({ message_count, messages }) => [message_count, messages.length])).toEqual([
      [2, 2],
      [1, 1],
    ])
    expect((await book.conversation.archive({ session: 's-1' })).reason).toBe('empty history')
    expect(await failure(book.conversation.archive({}))).toMatchObject({
      code: 'invalid-input',
      details: { path: 'history' },
    })
  })

  it('learns what users say about themselves, and keeps what was said before', async () => {
    const book = await open()
    await book.conversation.storeMany({ messages: history })
    const first = await book.conversation.updateProfile({ history })
    expect(first).toMatchObject({
      ok: true,
      profilesUpdated: 1,
      method: 'patterns',
      profiles: [{ user_id: 'u-1', learned: 2 }],
    })
    expect((await book.conversation.profile({ user_id: 'u-1' })).profile).toBe('home: Berlin\nname: Alice')
    const moved = [{ role: 'user', content: 'I moved to Munich!', timestamp: '2026-05-01' }]
    const second = await book.conversation.updateProfile({ user_id: 'u-1', history: moved })
    expect(second.profiles).toMatchObject([{ learned: 1, superseded: 1 }])
    const { profile, facts, earlier } = await (await reopen(book)).conversation.profile()
    expect(profile).toBe('home: Munich\nname: Alice')
    expect(facts.map(({ attribute, stated_at }) => [attribute, stated_at.slice(0, 10)])).toEqual([
      ['home', '2026-05-01'],
      ['name', '2026-02-01'],
    ])
    expect(facts[1]?.messages).toHaveLength(1)
    expect(earlier).toMatchObject([
      { value: 'Berlin', superseded_by: 'Munich', superseded_at: '2026-05-01T00:00:00.000Z' },
    ])
  })

  it('says when there is nothing new, and keeps users and agents apart', async () => {
    const book = await open()
    await book.conversation.updateProfile({ history })
    expect((await book.conversation.updateProfile({ history })).profilesUpdated).toBe(0)
    const other = [
      { source: { User: 'u-2' }, content: 'I live in Oslo' },
      { source: alice, content: 'I speak Danish' },
      { source: bot, content: 'I live in the cloud' },
    ]
    expect((await book.conversation.updateProfile({ history: other })).profilesUpdated).toBe(2)
    expect((await book.conversation.profile({ user_id: 'u-2' })).profile).toBe('home: Oslo')
    expect((await book.conversation.profile({ agent: 'other', user_id: 'u-1' })).profile).toBe('')
    expect((await book.conversation.profile({ user_id: 'u-1' })).profile).toBe(
      'home: Berlin\nname: Alice\nspeaks: Danish',
    )
  })

  it.each([
    {
      case: 'a value that changed',
      said: ['I live in Berlin', 'I moved to Zurich'],
      profile: 'home: Zurich',
    },
    { case: 'a denial taken back', said: ["I'm not vegan.", 'I have become vegan.'], profile: 'diet: vegan' },
  ])('takes the order of lines without times as that of what they say: $case', async ({ said, profile }) => {
    const book = await open()
    await book.conversation.updateProfile({
      user_id: 'chat',
      history: said.map((content) => ({ role: 'user', content })),
    })
    expect((await book.conversation.profile({ user_id: 'chat' })).profile).toBe(profile)
  })

  it('takes the time of a line without one from its message, and puts unknown lines before the next', async () => {
    const book = await open()
    const source = { User: 'chat' }
    const said = (content: string, timestamp?: string) => ({
      source,
      content,
      ...(timestamp && { timestamp }),
    })
    await book.conversation.storeMany({
      messages: [said('I live in Oslo', '2025-01-01'), said('I moved to Zurich', '2026-01-01')],
    })
    const profileOf = async (lines: readonly string[]) => {
      await book.conversation.updateProfile({ history: lines.map((content) => said(content)) })
      return (await book.conversation.profile({ user_id: 'chat' })).profile
    }
    expect(await profileOf(['I moved to Berlin', 'I moved to Zurich'])).toBe('home: Zurich')
    expect(await profileOf(['I live in Oslo'])).toBe('home: Zurich')
    expect(await profileOf(['I moved to Rome'])).toBe('home: Rome')
  })

  it('puts profiles into what is recalled, as long as there is room', async () => {
    const book = await open()
    await book.conversation.updateProfile({ history })
    await book.conversation.store({
      message: { id: 'm-7', content: 'Invoices are encrypted now', timestamp: '2026-02-02' },
    })
    const { messages } = await book.conversation.recall({ query: 'invoices' })
    expect(messages.map(({ content }) => content)).toEqual([
      'Invoices are encrypted now',
      '[Profile] home: Berlin\nname: Alice',
    ])
    expect(messages[1]?.source).toEqual({ System: 'profile' })
    const one = await book.conversation.recall({ query: 'invoices', limit: 1 })
    expect(one.messages.map(({ id }) => id)).toEqual(['m-7'])
  })

  it('forgets episodes and profiles with everything of their agent', async () => {
    const book = await open()
    await book.conversation.archive({ history })
    await book.conversation.updateProfile({ history })
    expect(await book.conversation.forgetAgent({ agent: 'contract' })).toMatchObject({
      deletedMemories: 0,
      deletedProfiles: 1,
      deletedEpisodes: 1,
    })
    expect((await book.conversation.profile({ user_id: 'u-1' })).facts).toEqual([])
  })

  it.each([
    ['ks:archive_episode', { history: 'text' }, 'history'],
    ['ks:archive_episode', { history: [{ source: alice }] }, 'history.0.content'],
    ['ks:archive_episode', { history: [{ content: 'x', timestamp: 'noon' }] }, 'history.0.timestamp'],
    ['ks:archive_episode', { history: Array.from({ length: 1001 }, () => ({ content: 'x' })) }, 'history'],
    ['ks:archive_episode', { history: [{ content: 'x'.repeat(399_999) }, { content: 'xx' }] }, 'history'],
    ['ks:update_profile', { history: [{ content: 'x', source: 7 }] }, 'history.0.source'],
    ['ks:update_profile', {}, 'history'],
  ] as const)('refuses %s with a wrong history, at its place', async (id, input, path) => {
    const book = await open()
    expect(await failure(book.call(id as string, input))).toMatchObject({
      code: 'invalid-input',
      details: { path },
    })
  })
}
