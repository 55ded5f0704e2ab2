// Recall over traces, as every host must answer it.
import { expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { type BookCase, failure } from './book-case.ts'

const goals = [
  'Reproduce the rounding bug in the TimeDelta serializer',
  'Open setup.py and install the package locally',
  'Run the test suite for the date parser',
  'Write release notes for version four',
  'Review the rubric for the recursion exercise',
]

export function recallCases({ book: open }: BookCase): void {
  const filled = async () => {
    const book = await open()
    const traces = goals.map((goal, i) =>
      makeTrace({
        id: `g-${i}`,
        session: i < 2 ? 'early' : 'late',
        timestamp: `2026-03-0${i + 1}T10:00:00Z`,
        situation: { domain: 'work', context: {} },
        task: { goal },
        action: { type: 'step' },
        result: { success: true, outcome: {} },
      }),
    )
    await book.traces.storeMany({ traces })
    return book
  }

  it('finds what a natural question is about, and says why', async () => {
    const book = await filled()
    const { hits, legs, degraded } = await book.recall({
      text: 'Which bug did we see when serializing time deltas (rounding)?',
    })
    expect(hits[0]?.record.id).toBe('g-0')
    expect(hits[0]?.because.text).toMatchObject({
      rank: 1,
      words: expect.arrayContaining(['bug', 'rounding']) as string[],
    })
    expect(hits[0]?.because.text?.coverage).toBeGreaterThan(0.3)
    expect(hits[0]?.score).toBeGreaterThan(0)
    expect(hits[0]?.score).toBeLessThanOrEqual(1)
    expect(legs['text']).toBeGreaterThan(0)
    expect(degraded).toEqual([])
  })

  it('explains why one record is a hit or not, and what would help', async () => {
    const book = await filled()
    const text = 'Which bug did we see when serializing time deltas (rounding)?'
    const { hits } = await book.recall({ text })
    expect(await book.recall.explain({ text, id: 'g-0' })).toMatchObject({
      outcome: 'found',
      kind: 'trace',
      rank: 1,
      hits: hits.length,
    })
    const missed = await book.recall.explain({ text, id: 'g-3', session: 'early' })
    expect(missed).toMatchObject({
      outcome: 'missed',
      reasons: [{ code: 'out-of-scope', option: 'session', has: 'late' }, { code: 'no-common-word' }],
    })
    const wordless = await book.recall.explain({ text, id: 'g-3' })
    expect(wordless).toMatchObject({ outcome: 'missed', reasons: [{ code: 'no-common-word' }] })
    const [help] = wordless.outcome === 'missed' ? wordless.suggestions : []
    expect(help).toMatchObject({ code: 'add-word', rank: expect.any(Number) as number })
    const helped = await book.recall({ text: String(help?.set?.['text']) })
    expect(helped.hits[(help?.rank ?? 0) - 1]?.record.id).toBe('g-3')
    expect(await book.recall.explain({ text, id: 'nobody' })).toMatchObject({ outcome: 'unknown-record' })
  })

  it('needs no word to be present: any of them finds', async () => {
    const book = await filled()
    const { hits } = await book.recall({ text: 'installing packages with an unheard-of tool' })
    expect(hits[0]?.record.id).toBe('g-1')
  })

  it('finds by the beginning of a word, when no record has it as it stands', async () => {
    const book = await filled()
    const ask = async (text: string) => (await book.recall({ text })).hits[0]?.record.id
    expect(await ask('what about the serializ?')).toBe('g-0')
    expect((await book.recall({ text: 'packa insta' })).hits[0]?.because.text?.matches).toEqual([
      { question: 'packa', record: 'package' },
      { question: 'insta', record: 'install' },
    ])
    expect(await ask('recurs')).toBe('g-4')
    // Too short to begin one word rather than another, and a word that some record has stays itself.
    expect(await ask('rec')).toBeUndefined()
    await book.traces.store(makeTrace({ id: 'own', task: { goal: 'The recurs tool' } }))
    expect(await ask('recurs')).toBe('own')
    const { token } = await book.tokens.grant({
      scope: 'session:late',
      permissions: ['read'],
      granted_to: 'guest',
      expires_at: '2099-01-01',
    })
    const as = { as: token.token_id }
    expect((await book.recall({ text: 'serializ' }, as)).hits).toEqual([])
    expect((await book.recall({ text: 'parse rubri' }, as)).hits.map(({ record }) => record.id)).toContain(
      'g-4',
    )
  })

  it('takes a word that nobody has for one that differs by a slip, and says so', async () => {
    const book = await filled()
    const first = async (text: string) => (await book.recall({ text })).hits[0]
    const found = await first('the roudning bug')
    expect([found?.record.id, found?.because.text?.corrections]).toEqual(['g-0', { roudning: 'rounding' }])
    expect((await first('realease notes'))?.record.id).toBe('g-3')
    // Another first letter, a short word, and one that is there as it stands, are no slips.
    for (const text of ['vackage', 'nots', 'tesk'])
      expect([text, await first(text)]).toEqual([text, undefined])
    await book.traces.store(makeTrace({ id: 'own', task: { goal: 'The packige format' } }))
    const own = await first('packige')
    expect([own?.record.id, own?.because.text?.corrections]).toEqual(['own', undefined])
    const { token } = await book.tokens.grant({
      scope: 'session:late',
      permissions: ['read'],
      granted_to: 'guest',
      expires_at: '2099-01-01',
    })
    const as = { as: token.token_id }
    expect((await book.recall({ text: 'roudning' }, as)).hits).toEqual([])
    expect((await book.recall({ text: 'realease' }, as)).hits[0]?.record.id).toBe('g-3')
  })

  it('finds a fact by its whole name, however long the rest of the question is', async () => {
    const book = await open()
    for (const [id, name] of [
      ['f-1', 'Valkey'],
      ['f-2', 'The Glass Harbour'],
      ['f-3', 'Harbour master'],
    ] as const)
      await book.facts.store({ id, schema: 'belief', data: { name, content: 'Written down once' } })
    const ask = async (text: string) => (await book.recall({ text })).hits[0]
    const long = await ask(
      'before my sister comes over with the children and the dog and everybody wants dinner: what was Valkey doing in chapter three?',
    )
    expect([long?.record.id, long?.because.name]).toEqual(['f-1', { rank: 1, name: 'Valkey' }])
    const phrase = await ask('who wrote the glass harbours')
    expect([phrase?.record.id, phrase?.because.name?.name]).toEqual(['f-2', 'The Glass Harbour'])
    expect((await ask('a harbour of glass'))?.because.name).toBeUndefined()
  })

  it('answers with the passage of a long record, and does not let it win by saying a little of everything', async () => {
    const book = await open()
    const filler =
      'Plan the work, write down who does what, test it early and look at the numbers every week. '
    const at = 'The certificate of the gateway expires on 3 May.'
    const everything = `${filler.repeat(8)}A certificate is good. ${filler.repeat(8)}A gateway is good. ${filler.repeat(8)}Much expires.`
    const messages = [everything, filler.repeat(9) + at + filler.repeat(9), 'Shall we have lunch'].map(
      (content, i) => ({ id: `m-${i}`, content, source: 'assistant' }),
    )
    await book.conversation.storeMany({ messages, session: 'long' })
    const { hits } = await book.recall({ text: 'when does the certificate of the gateway expire' })
    const found = hits.map(({ record }) => record['msg_id'])
    expect([found[0], found.includes('m-0')]).toEqual(['m-1', true])
    const { path = '', from = 0, to = 0 } = hits[0]?.because.passage ?? {}
    expect(path).toBe('content')
    expect(messages[1]?.content.slice(from, to)).toContain(at)
    expect(to - from).toBeLessThanOrEqual(1200)
    const question = 'when does the certificate of the gateway expire'
    const context = await book.context({ text: question, itemTokens: 200, limit: 1 })
    expect(context.items.map(({ cut }) => cut)).toEqual([true])
    expect(context.text).toContain('> … ')
    expect(context.text).toContain(at)
    const { hits: short } = await book.recall({ text: 'lunch' })
    expect(short[0]?.because.passage).toBeUndefined()
  })

  it('returns only what stands out when the cut is sharp', async () => {
    const book = await filled()
    const text = 'install the package or the rubric of version four'
    const all = await book.recall({ text })
    const sharp = await book.recall({ text: 'install the package locally, write the notes', cut: 'sharp' })
    expect(all.hits.length).toBeGreaterThan(1)
    expect(sharp.hits.map(({ record }) => record.id)).toEqual(['g-1'])
    const { code, details } = await failure(book.recall({ text, cut: 'blunt' as 'sharp' }))
    expect([code, details?.['path']]).toEqual(['invalid-input', 'cut'])
  })

  it('prefers the record in which the words of the question stand side by side', async () => {
    const book = await open()
    const goals = ['The garden behind the red wall', 'A red garden and a wall', 'Wall of the red garden']
    await book.traces.storeMany({
      traces: goals.map((goal, i) => makeTrace({ id: `p-${i}`, timestamp: '2026-03-01', task: { goal } })),
    })
    const { hits } = await book.recall({ text: 'red wall', distinct: false })
    expect(hits[0]?.record.id).toBe('p-0')
  })

  it('names the matched words as the question and the record write them, and the date apart', async () => {
    const book = await open()
    const store = (id: string, goal: string, timestamp: string) =>
      book.traces.store(makeTrace({ id, session: 'words', timestamp, task: { goal } }))
    await store('keys', 'Hid the spare Keys before the BIRTHDAYS of Zoë', '2026-03-04T10:00:00Z')
    await store('tokyo', '東京の旅館に泊まりたいです', '2026-05-01T10:00:00Z')
    const because = async (text: string, id: string) =>
      (await book.recall({ text })).hits.find(({ record }) => record.id === id)?.because
    const keys = await because(
      'Which key, on the Birthday of zoe? And in March, on the 4th, 4 March?',
      'keys',
    )
    expect(keys?.text?.words).toEqual(['key', 'Birthday', 'zoe'])
    expect(keys?.text?.matches).toEqual([
      { question: 'key', record: 'Keys' },
      { question: 'Birthday', record: 'BIRTHDAYS' },
      { question: 'zoe', record: 'Zoë' },
    ])
    expect(keys?.date).toEqual({ day: '2026-03-04', words: ['March', '4'] })
    expect([keys?.window?.words, keys?.session?.words]).toEqual([
      ['key', 'Birthday', 'zoe', 'March', '4'],
      ['key', 'Birthday', 'zoe', 'March', '4'],
    ])
    const misspelt = await because('the Brithday keys', 'keys')
    expect(misspelt?.text?.corrections).toEqual({ Brithday: 'BIRTHDAYS' })
    expect(misspelt?.date).toBeUndefined()
    const tokyo = await because('東京でどこに泊まりたいですか', 'tokyo')
    expect(tokyo?.text?.words).toEqual(['東京', 'に泊まりたいです'])
    expect(tokyo?.text?.matches).toEqual([
      { question: '東京', record: '東京' },
      { question: 'に泊まりたいです', record: 'に泊まりたいです' },
    ])
  })

  it('puts a statement below the later one of the same person that contradicts it, and says so', async () => {
    const book = await open()
    const say = (id: string, content: string, day: number, name: string) => ({
      id,
      content,
      source: { type: 'User', name },
      timestamp: `2026-03-0${day}T10:00:00Z`,
    })
    await book.conversation.storeMany({
      session: 'talk',
      messages: [
        say('old', 'My dentist is Dr Alvarez on Mill Road.', 1, 'Mara'),
        say('other', 'My dentist is Dr Alvarez too.', 2, 'Tom'),
        say('new', 'I changed my dentist to Dr Brandt, because Dr Alvarez retired.', 3, 'Mara'),
      ],
    })
    const { hits } = await book.recall({ text: 'who is my dentist', distinct: false })
    const ids = hits.map(({ record }) => record['msg_id'])
    expect(ids.indexOf('new')).toBeLessThan(ids.indexOf('old'))
    const changed = hits.find(({ record }) => record['msg_id'] === 'new')?.record.id
    expect(hits.map(({ record, because }) => [record['msg_id'], because.later]).toSorted()).toEqual([
      ['new', undefined],
      ['old', changed],
      ['other', undefined],
    ])
  })

  it('finds by the day it happened', async () => {
    const book = await filled()
    expect((await book.recall({ text: 'what happened on 4 March 2026?', limit: 1 })).hits[0]?.record.id).toBe(
      'g-3',
    )
  })

  it('returns nothing when nothing fits', async () => {
    const book = await filled()
    for (const text of ['purple elephants juggling quantum pancakes', '???', '', '   ', 'the of and']) {
      expect([text, (await book.recall({ text })).hits]).toEqual([text, []])
    }
    const weak = await book.recall({ text: 'purple elephants juggling quantum pancakes near the version' })
    expect(weak.hits).toEqual([])
  })

  it('narrows by session, kind and filters before it ranks', async () => {
    const book = await filled()
    const early = await book.recall({ text: 'package recursion rubric', session: 'early' })
    expect(early.hits.map(({ record }) => record.id)).toEqual(['g-1'])
    const filtered = await book.recall({ text: 'test package', filters: { id: 'g-2' }, kinds: ['trace'] })
    expect(filtered.hits.map(({ record }) => record.id)).toEqual(['g-2'])
    const unknown = await failure(book.recall({ text: 'package', kinds: ['trace', 'nothing'] }))
    expect(unknown).toMatchObject({
      code: 'invalid-input',
      details: { path: 'kinds.1', allowed: expect.arrayContaining(['trace']) as string[] },
    })
    expect((await failure(book.recall({ text: 'x', filters: { a: { nope: 1 } } }))).code).toBe(
      'invalid-filter',
    )
    expect((await failure(book.recall({ text: 'x', limit: 0 }))).details).toMatchObject({ path: 'limit' })
  })

  it('prefers the newer of two that say the same', async () => {
    const book = await open()
    const say = (id: string, timestamp: string) => makeTrace({ id, timestamp, result: { success: true } })
    await book.traces.storeMany({
      traces: [say('old', '2020-01-01'), say('new', '2099-01-01'), say('older', '2010-01-01')],
    })
    const { hits } = await book.recall({ text: 'recursion exercise' })
    expect(hits.map(({ record }) => record.id)[0]).toBe('new')
    expect(hits[0]?.because.recency).toBe(1)
  })

  it('finds what only makes sense beside what was said before it, and says so', async () => {
    const book = await open()
    const turns = [
      'Where should we eat on the evening in Lisbon?',
      'The grilled sardines at Ramiro were wonderful.',
      'Then let us book a table there.',
    ]
    const say = (goal: string, i: number, session: string) =>
      makeTrace({
        id: `${session}-${i}`,
        session,
        timestamp: `2026-03-01T10:0${i}:00Z`,
        situation: { domain: 'talk', context: {} },
        task: { goal },
        action: { type: 'say' },
        result: { success: true, outcome: {} },
      })
    const others = [
      'The printer is out of toner.',
      'Lisbon has a new airport terminal.',
      'Sardines are fish.',
    ]
    await book.traces.storeMany({
      traces: [
        ...turns.map((goal, i) => say(goal, i, 'trip')),
        ...others.map((goal, i) => say(goal, i, `o${i}`)),
      ],
    })
    const { hits, legs } = await book.recall({ text: 'which restaurant to eat at in the evening in Lisbon' })
    const answer = hits.find(({ record }) => record.id === 'trip-1')
    expect(answer?.because.text).toBeUndefined()
    expect(answer?.because.window?.rank).toBeLessThanOrEqual(3)
    expect(legs['window'] ?? 0).toBeGreaterThan(legs['text'] ?? 0)
    expect(hits.map(({ record }) => record.id)).not.toContain('o0-0')
    const alone = await book.recall({ text: 'eat evening Lisbon', session: 'o1' })
    expect(alone.hits.map(({ record }) => record.id)).toEqual(['o1-1'])
  })

  it('recalls as of a time: what came later is not seen, and what was recent then is recent', async () => {
    const book = await filled()
    const { hits } = await book.recall({ text: 'rounding package parser notes rubric', at: '2026-03-02' })
    expect(hits.map(({ record }) => record.id).sort()).toEqual(['g-0', 'g-1'])
    expect(hits.every(({ because }) => because.recency > 0.95)).toBe(true)
    expect((await failure(book.recall({ text: 'x', at: 'yesterday' }))).details).toMatchObject({ path: 'at' })
  })
}
