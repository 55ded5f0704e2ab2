// One question to several books: whose answer is first, what is labelled, folded and reported.
import { afterEach, describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { recallAcross } from '../../../src/book/across/across.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

const opened: Daybook[] = []
async function open(name: string, contents: readonly string[] = []): Promise<Daybook> {
  const book = await openDaybook({
    name,
    path: ':memory:',
    agent: 'ana',
    timeZone: 'UTC',
    // The scores below are those of words.
    embedder: { provider: 'none' },
  })
  opened.push(book)
  for (const content of contents) await book.perceptions.store({ content })
  return book
}
afterEach(async () => {
  for (const book of opened.splice(0)) await book.close()
})

const contentsOf = (hits: readonly { readonly record: object }[]) =>
  hits.map(({ record }) => (record as { content?: string }).content)
const numbered = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n))

describe('the order of the hits', () => {
  it('puts the true answer of one book before weak matches of another', async () => {
    // Three words are rare in the own book, so each has much weight there.
    const mine = await open('mine', [
      'The deploy of the service at the gate went well.',
      'Buy bread.',
      'Water the fern.',
    ])
    const team = await open('team', [
      ...numbered(60, (n) => `Deploy ${n} of the service began at gate ${n}.`),
      'Turbot is what Zoe cooks.',
    ])
    const question = { text: 'deploy service gate turbot recipe', limit: 3 }
    const [own, other] = await Promise.all([mine.recall(question), team.recall(question)])
    // By their own scores the weak match would be first.
    expect(own.hits[0]?.score).toBeGreaterThan(other.hits[0]?.score ?? 1)
    const { hits, failed } = await recallAcross([mine, { book: team, name: 'team' }], question)
    expect(contentsOf(hits)[0]).toBe('Turbot is what Zoe cooks.')
    expect(hits[0]).toMatchObject({ book: 'team', trust: 'shared' })
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a))
    expect(failed).toEqual([])
  })

  it('is that of the book, if there is one book', async () => {
    const mine = await open(
      'mine',
      numbered(40, (n) => `The pump ${n} of the harbour leaks since day ${n * 3}.`),
    )
    const question = { text: 'which pump of the harbour leaks?', at: '2100-01-01' }
    const { hits } = await recallAcross([mine], question)
    const { hits: own } = await mine.recall(question)
    expect(hits.map(({ record, score }) => [record.id, score])).toEqual(
      own.map(({ record, score }) => [record.id, score]),
    )
    expect(hits[0]).toMatchObject({ book: 'book 1', trust: 'own' })
  })

  it('has the limit, the least score, the kinds and the sharp cut of all books together', async () => {
    const mine = await open(
      'mine',
      numbered(8, (n) => `Heron ${n} stands in the reed.`),
    )
    const team = await open(
      'team',
      numbered(8, (n) => `Heron ${n + 50} stands in the reed at night.`),
    )
    await team.facts.store({ schema: 'note', data: { text: 'A heron stands in the reed.' } })
    const ask = (more: object) => recallAcross([mine, team], { text: 'heron in the reed', ...more })
    expect((await ask({ limit: 5 })).hits).toHaveLength(5)
    const { hits } = await ask({ limit: 50 })
    expect(new Set(hits.map(({ book }) => book))).toEqual(new Set(['book 1', 'book 2']))
    const least = hits[4]?.score ?? 0
    for (const { score } of (await ask({ limit: 50, minScore: least })).hits)
      expect(score).toBeGreaterThanOrEqual(least)
    expect((await ask({ kinds: ['fact'] })).hits.map(({ record }) => record.kind)).toEqual(['fact'])
    expect((await ask({ cut: 'sharp', limit: 50 })).hits.length).toBeLessThanOrEqual(hits.length)
    expect((await ask({ text: 'what does a giraffe eat for breakfast?' })).hits).toEqual([])
  })

  it('shows what two books say alike once, from the own book', async () => {
    const mine = await open('mine', ['The wombat sleeps in dune 7.'])
    const team = await open('team', ['The wombat sleeps in dune 7!', 'The wombat sleeps in dune 9.'])
    const books = [
      { book: team, name: 'team', trust: 'shared' as const },
      { book: mine, name: 'mine', trust: 'own' as const },
    ]
    const { hits } = await recallAcross(books, { text: 'where does the wombat sleep?' })
    expect(hits.map(({ book, alsoIn }) => [book, alsoIn])).toEqual(
      expect.arrayContaining([
        ['mine', ['team']],
        ['team', undefined],
      ]),
    )
    expect(hits).toHaveLength(2)
    const all = await recallAcross(books, { text: 'where does the wombat sleep?', distinct: false })
    expect(all.hits).toHaveLength(3)
    expect(all.hits.some(({ alsoIn }) => alsoIn)).toBe(false)
  })
})

describe('several books', () => {
  it('answer without one that is closed or fails, which is named', async () => {
    const [mine, team] = [await open('mine', ['The wombat sleeps.']), await open('team')]
    await team.close()
    const broken = { recall: () => Promise.reject(new Error('no network')) } as never
    const { hits, failed, books } = await recallAcross(
      [mine, { book: team, name: 'team' }, { book: broken, name: 'far' }],
      { text: 'does the wombat sleep?' },
    )
    expect(contentsOf(hits)).toEqual(['The wombat sleeps.'])
    expect(failed.map(({ book, error }) => [book, error.code])).toEqual([
      ['team', 'book-closed'],
      ['far', 'internal'],
    ])
    expect(books).toMatchObject([{ book: 'book 1', degraded: [] }])
    expect((await failure(recallAcross([team], { text: 'wombat' }))).code).toBe('book-closed')
  })

  it('refuse what is no book and no question, with its place', async () => {
    const mine = await open('mine')
    const place = async (books: unknown, query: object = { text: 'x' }) => {
      const { code, details } = await failure(recallAcross(books as [Daybook], query as never))
      return [code, details['path']]
    }
    expect(await place([])).toEqual(['invalid-input', 'books'])
    expect(await place([mine, 7])).toEqual(['invalid-input', 'books.1'])
    expect(await place([mine, null])).toEqual(['invalid-input', 'books.1'])
    expect(await place([{ book: mine, trust: 'mine' }])).toEqual(['invalid-input', 'books.0.trust'])
    expect(await place([{ book: mine, name: '' }])).toEqual(['invalid-input', 'books.0.name'])
    expect(await place([mine, { book: mine, name: 'book 1' }])).toEqual(['invalid-input', 'books.1.name'])
    expect(await place([mine, mine], null as never)).toEqual(['invalid-input', 'query'])
    const none = (await failure((recallAcross as (books: unknown) => Promise<unknown>)([mine]))).details
    expect(none['path']).toBe('query')
    const wrongDeadline = recallAcross([mine], { text: 'x' }, { deadlineMs: Number.NaN })
    expect((await failure(wrongDeadline)).details['path']).toBe('options.deadlineMs')
    expect(await place([mine], { text: 7 })).toEqual(['invalid-input', 'text'])
    expect(await place([mine], { text: 'x', limit: 0 })).toEqual(['invalid-input', 'limit'])
  })

  it('answer without one whose recall never ends, by the deadline', async () => {
    const mine = await open('mine', ['The wombat sleeps.'])
    const waiting = { recall: () => new Promise(() => undefined) } as never
    const { hits, failed } = await recallAcross([mine, waiting], { text: 'wombat' }, { deadlineMs: 500 })
    expect(contentsOf(hits)).toEqual(['The wombat sleeps.'])
    expect(failed.map(({ book, error }) => [book, error.code, error.details])).toEqual([
      ['book 2', 'deadline-exceeded', { deadlineMs: 500 }],
    ])
  })

  it.each([
    ['nothing', null, 'its answer is no object'],
    ['an empty object', {}, '`hits`'],
    ['hits without a record', { hits: [{ record: null, score: 1, because: {} }] }, '`hits`'],
    [
      'hits without a score',
      { hits: [{ record: { id: 'x', kind: 'fact' }, score: Number.NaN, because: {} }] },
      '`hits`',
    ],
    ['no list of words', { hits: [], degraded: [], durationMs: 1, words: 'x' }, '`words`'],
    ['no reasons of degraded', { hits: [], durationMs: 1 }, '`degraded`'],
  ])('answer without one that answers %s', async (_name, answer, says) => {
    const mine = await open('mine', ['The wombat sleeps.'])
    const wrong = { recall: () => Promise.resolve(answer) } as never
    const { hits, failed } = await recallAcross([mine, wrong], { text: 'wombat' })
    expect(contentsOf(hits)).toEqual(['The wombat sleeps.'])
    const [{ book, error } = {}] = failed
    expect([book, error?.code, error?.details['path']]).toEqual(['book 2', 'invalid-input', 'books.1.recall'])
    expect(error?.message).toContain(says)
  })

  it('stop at once by a signal', async () => {
    const mine = await open('mine', ['The wombat sleeps.'])
    const controller = new AbortController()
    const waiting = { recall: () => new Promise(() => undefined) } as never
    const answer = failure(recallAcross([mine, waiting], { text: 'wombat' }, { signal: controller.signal }))
    controller.abort()
    expect((await answer).code).toBe('aborted')
    const late = recallAcross([mine], { text: 'wombat' }, { signal: controller.signal })
    expect((await failure(late)).code).toBe('aborted')
  })

  it('answer each with the rights of its handle, and log each its own recall', async () => {
    const [mine, team] = [await open('mine', ['The wombat sleeps.']), await open('team')]
    await team.with({ session: 'zoo' }).perceptions.store({ content: 'The wombat eats.' })
    await team.with({ session: 'den' }).perceptions.store({ content: 'The wombat hides.' })
    const { token } = await team.tokens.grant({
      scope: 'session:zoo',
      permissions: ['read'],
      granted_to: 'guest',
      expires_at: '2099-01-01',
    })
    const guest = team.with({ as: token.token_id })
    const { hits } = await recallAcross([mine, { book: guest, name: 'team' }], {
      text: 'what about the wombat?',
    })
    expect(contentsOf(hits).toSorted()).toEqual(['The wombat eats.', 'The wombat sleeps.'])
    for (const book of [mine, team]) {
      const { entries } = await book.activity.list({ sorts: ['recall'] })
      expect(entries).toHaveLength(1)
    }
    expect((await mine.stats()).total).toBe(1)
    expect(JSON.stringify(await mine.activity.list({}))).not.toContain('zoo')
  })
})
