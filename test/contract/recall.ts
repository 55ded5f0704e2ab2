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
      words: expect.arrayContaining(['bug', 'round']) as string[],
    })
    expect(hits[0]?.because.text?.coverage).toBeGreaterThan(0.3)
    expect(hits[0]?.score).toBeGreaterThan(0)
    expect(hits[0]?.score).toBeLessThanOrEqual(1)
    expect(legs['text']).toBeGreaterThan(0)
    expect(degraded).toEqual([])
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
    expect((await book.recall({ text: 'packa insta' })).hits[0]?.because.text?.words).toEqual([
      'packag',
      'instal',
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

  it('prefers the record in which the words of the question stand side by side', async () => {
    const book = await open()
    const goals = ['The garden behind the red wall', 'A red garden and a wall', 'Wall of the red garden']
    await book.traces.storeMany({
      traces: goals.map((goal, i) => makeTrace({ id: `p-${i}`, timestamp: '2026-03-01', task: { goal } })),
    })
    const { hits } = await book.recall({ text: 'red wall', distinct: false })
    expect(hits[0]?.record.id).toBe('p-0')
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
      details: { path: 'kinds.1', known: expect.arrayContaining(['trace']) as string[] },
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
