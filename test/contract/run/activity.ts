// Activity on every host that is a device: recalls and contexts as they were asked, with writes and refusals, for the owner alone.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { defined } from '../../../src/core/defined.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure, failures, snapshotOf } from '../book-case.ts'
import { exported } from '../bundle.ts'
import { passphrase } from '../seal.ts'

const question = 'Who mended the harbour lamp?'

async function lampBook(book: Daybook) {
  await book.perceptions.store({ id: 'p-1', content: 'Ruth mended the harbour lamp on Friday.' })
  await book.perceptions.store({ id: 'p-2', content: 'The harbour lamp is green.' })
  return book
}

const asked = async (book: Daybook, query: object = {}) =>
  (await book.activity.list({ sorts: ['recall', 'context'], ...query })).entries

async function grant(book: Daybook, permissions: string[]) {
  const given = { scope: '**', permissions, granted_to: 'helper', expires_at: '2099-01-01T00:00:00Z' }
  return (await book.tokens.grant(given)).token.token_id
}

/** Everything that activity tells of the book. */
async function everything(book: Daybook): Promise<string> {
  const entries = await asked(book, { limit: 1000 })
  const details = await Promise.all(entries.map(({ n }) => book.activity.get({ n })))
  return JSON.stringify([entries, details])
}

export function activityCases({ book: open, reopen }: BookCase, keepsKeys: boolean): void {
  describe('activity', () => {
    it('has recalls and contexts as they were asked, with what was found', async () => {
      const book = await lampBook(await open())
      const { hits } = await book.recall({ text: question, kinds: ['perception'], limit: 5 })
      const { text, tokens } = await book.context(
        { text: 'harbour lamp', budgetTokens: 400 },
        { purpose: 'a report' },
      )
      const [context, recall] = await asked(book)
      expect(recall).toMatchObject({
        sort: 'recall',
        caller: 'contract',
        by: 'owner',
        capability: 'daybook:recall',
        question: { text: question, kinds: ['perception'], limit: 5, distinct: true },
        found: hits.length,
        durationMs: expect.any(Number),
      })
      expect(context).toMatchObject({ sort: 'context', purpose: 'a report', tokens, found: 2 })
      const detail = await book.activity.get({ n: recall?.n ?? 0 })
      expect(detail?.hits).toEqual(
        hits.map(({ record, score }) => ({
          id: record.id,
          kind: 'perception',
          score: expect.closeTo(score, 3),
          version: 1,
          now: 'same',
          text: expect.stringContaining('harbour lamp'),
        })),
      )
      expect((await book.activity.get({ n: context?.n ?? 0 }))?.context).toBe(text)
      expect(await book.activity.get({ n: 9999 })).toBeNull()
    })

    it('has the recalls of a conversation and of a persona too, with what they were answered with', async () => {
      const book = await open()
      const { scope } = await book.personas.register({ name: 'Alice' })
      const alice = book.with(scope)
      const { id: lamp } = await alice.thoughts.learn({ knowledge: 'The harbour lamp is green.' })
      const message = { content: 'Who mended the harbour lamp?', source: 'user' }
      const { id: said } = await alice.conversation.store({ message })
      await alice.conversation.recall({ query: 'harbour lamp', limit: 500 })
      await alice.thoughts.relevant({ query: 'lamp', limit: 1 })
      await alice.thoughts.topic({ topic: 'harbour' })
      // By the words of the last messages, which nobody asked.
      await alice.thoughts.relevant()
      // No question.
      await alice.conversation.recall({})
      await alice.thoughts.recent()
      const entries = await asked(book)
      expect(
        entries.map(({ capability, question: words, found }) => [capability, words?.text, found]),
      ).toEqual([
        ['katra:recall_relevant', '', 2],
        ['katra:recall_topic', 'harbour', 2],
        ['katra:recall_relevant', 'lamp', 1],
        ['ks:recall', 'harbour lamp', 1],
      ])
      expect(await book.activity.ofRecord({ id: lamp ?? '' })).toMatchObject({ recalls: 3 })
      expect(await book.activity.ofRecord({ id: said ?? '' })).toMatchObject({ recalls: 3 })
      const again = entries.map(({ question: words }) => book.recall({ text: '', ...words }))
      expect((await Promise.all(again)).map(({ hits }) => hits.length)).toEqual([0, 2, 1, 1])
      await book.records.forget({ id: lamp ?? '' })
      const lost = (await asked(book)).slice(entries.length).map((entry) => entry.missing)
      expect(lost).toEqual(['forgotten', 'forgotten', 'forgotten', undefined])
    })

    it('tells what has become of what was recalled', async () => {
      const book = await lampBook(await open())
      const { result: _result, ...unfinished } = makeTrace({ task: { goal: 'Paint the harbour lamp' } })
      const { id } = await book.traces.store(unfinished)
      await book.recall({ text: 'harbour lamp' })
      await book.traces.complete({
        id,
        replace: true,
        result: { success: false, outcome: { colour: 'red' } },
      })
      const [entry] = await asked(book)
      const { hits = [] } = (await book.activity.get({ n: entry?.n ?? 0 })) ?? {}
      expect(hits.map(({ id: one, now }) => [one === id ? 'trace' : one, now]).sort()).toEqual([
        ['p-1', 'same'],
        ['p-2', 'same'],
        ['trace', 'changed'],
      ])
      const { text } = hits.find((hit) => hit.id === id) ?? {}
      expect(text).toContain('Paint the harbour lamp')
      expect(text).not.toContain('red')
    })

    it('says that a recalled record is superseded, and what holds now in its place', async () => {
      const book = await open()
      const { id: first } = await book.facts.store({ schema: 'home', data: { city: 'Lisbon harbour' } })
      const old = await book.memories.store({
        content: 'The harbour opens at six',
        category: 'a2p:interests',
      })
      const past = await book.perceptions.store({ content: 'The harbour is frozen' })
      await book.recall({ text: 'harbour' })
      const { id: second } = await book.facts.supersede({ id: first, data: { city: 'Porto' } })
      const { id: third } = await book.facts.supersede({ id: second, data: { city: 'Coimbra' } })
      await book.memories.archive({ id: old.id })
      await book.perceptions.update({ id: past.id, updates: { valid_until: '2020-01-01T00:00:00Z' } })
      const [entry] = await asked(book)
      const { hits = [] } = (await book.activity.get({ n: entry?.n ?? 0 })) ?? {}
      const byId = new Map(hits.map((hit) => [hit.id, hit]))
      expect(byId.get(first)).toMatchObject({
        now: 'superseded',
        text: expect.stringContaining('Lisbon harbour'),
        successor: { id: third, text: expect.stringContaining('Coimbra') },
      })
      expect(byId.get(old.id)?.now).toBe('unrecalled')
      expect(byId.get(past.id)?.now).toBe('expired')
      await book.records.forget({ id: third })
      const again = await book.activity.get({ n: entry?.n ?? 0 })
      expect(again?.hits.find(({ id }) => id === first)?.successor?.id).toBe(second)
      await book.records.forget({ id: second })
      const last = await book.activity.get({ n: entry?.n ?? 0 })
      expect(last?.hits.find(({ id }) => id === first)).toMatchObject({ now: 'same' })
    })

    it('lists writes and refusals beside them, page by page, each entry once', async () => {
      const book = await lampBook(await open())
      const as = await grant(book, ['read'])
      await book.recall({ text: 'lamp' }, { as })
      await failure(book.perceptions.store({ content: 'x' }, { as }))
      await failure(book.traces.complete({ id: 'nothing', result: { success: true } }))
      await book.context({ text: 'lamp' })
      const { entries } = await book.activity.list({})
      expect(entries.map(({ sort, caller, capability }) => [sort, caller, capability]).sort()).toEqual([
        ['context', 'contract', 'recall:context'],
        ['recall', 'helper', 'daybook:recall'],
        ['refused', 'helper', 'kstar:store_perception'],
        ['write', 'contract', 'kstar:grant_control_token'],
        ['write', 'contract', 'kstar:store_perception'],
        ['write', 'contract', 'kstar:store_perception'],
      ])
      const paged = []
      let cursor: string | undefined
      do {
        const page = await book.activity.list({ limit: 2, ...defined({ cursor }) })
        paged.push(...page.entries)
        cursor = page.cursor
      } while (cursor !== undefined)
      expect(paged).toEqual(entries)
      const none = await book.activity.list({ from: '2099-01-01T00:00:00Z' })
      expect(none).toEqual({ entries: [] })
      expect((await book.activity.list({ agent: 'helper' })).entries).toHaveLength(2)
      expect((await failure(book.activity.list({ cursor: 'a1.3' }))).code).toBe('invalid-filter')
    })

    it('tells how often a record was recalled, and by whom', async () => {
      const book = await lampBook(await open())
      const as = await grant(book, ['read'])
      await book.recall({ text: question })
      await book.recall({ text: question })
      await book.context({ text: 'the lamp that Ruth mended' }, { as })
      await book.recall({ text: 'an entirely different subject' })
      const seen = await book.activity.ofRecord({ id: 'p-1' })
      expect(seen).toMatchObject({
        recalls: 2,
        contexts: 1,
        callers: [
          { caller: 'contract', by: 'owner', count: 2 },
          { caller: 'helper', by: 'token', count: 1 },
        ],
      })
      expect(await asked(book, { record: 'p-1' })).toHaveLength(3)
      expect(await book.activity.ofRecord({ id: 'p-9' })).toEqual({ recalls: 0, contexts: 0, callers: [] })
    })

    it('is the owner’s alone, whatever a guest may do', async () => {
      const book = await lampBook(await open())
      const as = await grant(book, ['**'])
      await book.recall({ text: question })
      for (const error of await failures([
        book.activity.list({}, { as }),
        book.activity.get({ n: 1 }, { as }),
        book.activity.ofRecord({ id: 'p-1' }, { as }),
      ]))
        expect(error.code).toBe('forbidden')
    })

    it('is there when the book is opened again, and in no export of it', async () => {
      const book = await lampBook(await open())
      await book.recall({ text: question })
      expect(JSON.stringify(await exported(book))).not.toContain('Who mended')
      const again = await reopen(book)
      expect((await asked(again)).map((entry) => entry.question?.['text'])).toEqual([question])
    })

    it('keeps nothing where it is not wanted', async () => {
      const book = await lampBook(await open({ activity: false }))
      await book.recall({ text: question })
      await book.context({ text: question })
      expect(await asked(book)).toEqual([])
    })

    it('has no words of what is forgotten: not what recalled it, nor a question that quotes it', async () => {
      const book = await open()
      const said = 'My locker opens with 4711-zebra.'
      await book.recall({ text: `Please remember. ${said}` })
      await lampBook(book)
      await book.perceptions.store({ id: 'p-3', content: said })
      await book.recall({ text: 'what opens the locker' })
      await book.context({ text: 'zebra locker' })
      await book.recall({ text: question, limit: 1 })
      await book.records.forget({ id: 'p-3' })
      const entries = await asked(book)
      expect(entries.map(({ missing, question: words }) => missing ?? words?.['text'])).toEqual([
        question,
        'forgotten',
        'forgotten',
        'forgotten',
      ])
      expect(await everything(book)).not.toMatch(/locker|zebra|4711/)
      expect(await book.activity.ofRecord({ id: 'p-3' })).toMatchObject({ recalls: 1, contexts: 1 })
    })

    it('is told of live', async () => {
      const book = await lampBook(await open())
      const live = book.live({ method: 'activity.list', input: { sorts: ['recall'] } })
      await snapshotOf(live, ({ status }) => status === 'ready')
      await book.recall({ text: question })
      const { data } = await snapshotOf(live, (now) => (now.data?.entries.length ?? 0) > 0)
      expect(data?.entries[0]?.question?.['text']).toBe(question)
    })

    if (keepsKeys) sealedActivityCases({ book: open, reopen })
  })
}

function sealedActivityCases({ book: open }: Pick<BookCase, 'book' | 'reopen'>): void {
  it('is locked with the book: neither shown nor kept then, and back with the passphrase', async () => {
    const book = await lampBook(await open({ passphrase }))
    await book.perceptions.store({ content: 'A diary entry.', sensitivity: 'sensitive' })
    await book.recall({ text: question })
    await book.context({ text: question })
    expect((await asked(book)).map(({ missing }) => missing)).toEqual([undefined, undefined])
    await book.seal.lock()
    await book.recall({ text: 'asked while it is locked: harbour' })
    expect((await asked(book)).map(({ missing }) => missing)).toEqual(['locked', 'locked', 'locked'])
    expect(await everything(book)).not.toMatch(/Who mended|asked while/)
    await book.seal.unlock({ passphrase })
    expect((await asked(book)).map((entry) => entry.question?.['text'])).toEqual([
      undefined,
      question,
      question,
    ])
    expect(await everything(book)).not.toContain('asked while')
  })
}
