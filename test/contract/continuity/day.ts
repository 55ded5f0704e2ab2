// Days as digests, with the records that each line rests on; what is told of them in the morning; and what is archived.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { settledTask } from '../task.ts'

const dayMs = 86_400_000
/** Noon UTC, so many days ago. */
const noon = (daysAgo: number, later = 0) =>
  new Date(Math.floor((Date.now() - daysAgo * dayMs) / dayMs) * dayMs + dayMs / 2 + later).toISOString()
const dayOf = (daysAgo: number) => noon(daysAgo).slice(0, 10)

export function dayCases(
  { book: open }: BookCase,
  { keepsKeys, cancels }: { readonly keepsKeys: boolean; readonly cancels: boolean },
): void {
  const persona = async () => {
    const book = await open()
    const { scope } = await book.personas.register({ name: 'Alice' })
    return { book, alice: book.with(scope) }
  }
  let said = 0
  const say = (
    alice: Daybook,
    daysAgo: number,
    content: string,
    source: object | string = { User: 'Casey' },
  ) =>
    alice.conversation.store({
      session: 's',
      message: { content, source, timestamp: noon(daysAgo, ++said) } as never,
    })

  describe('a day', () => {
    it('is told once, by stated rules, and every line names the records it rests on', async () => {
      const { alice } = await persona()
      const asked = await say(alice, 1, 'When is the audit?')
      await say(alice, 1, 'In March.', 'agent')
      const open = await say(alice, 1, 'We moved the offices. Who pays for the movers?')
      const failed = await alice.traces.store(
        makeTrace({
          timestamp: noon(1),
          task: { goal: 'Book the movers' },
          result: { outcome: { said: 'no answer' }, success: false },
        }),
      )
      const good = await alice.traces.store(
        makeTrace({
          timestamp: noon(1),
          situation: { domain: 'audit' },
          task: { goal: 'Collect the invoices' },
          result: { outcome: { said: 'all there' }, success: true },
        }),
      )
      await alice.days.sundown()
      const { digests } = await alice.days.list()
      expect(digests).toHaveLength(1)
      const [digest] = digests
      expect(digest).toMatchObject({ period: 'day', period_id: dayOf(1), raw: 5, method: 'extractive' })
      expect(digest?.open_questions).toMatchObject([
        { text: 'Who pays for the movers?', records: [open.id] },
        { text: 'Not done: Book the movers', records: [failed.id] },
      ])
      expect(digest?.projects).toMatchObject([
        { text: 'audit: Collect the invoices: all there', records: [good.id], about: 'audit' },
      ])
      expect(digest?.relationships[0]).toMatchObject({ about: 'Casey' })
      expect(digest?.relationships[0]?.records).toEqual(expect.arrayContaining([asked.id, open.id]))
      const lines = [...(digest?.summary ?? []), ...(digest?.open_questions ?? [])]
      for (const { records } of lines) expect(records.length).toBeGreaterThan(0)
      // Nothing new: nothing is told again.
      expect((await alice.days.sundown()).written).toEqual([])
      await say(alice, 1, 'Casey pays.', 'agent')
      expect((await alice.days.sundown()).written).toEqual([dayOf(1)])
      expect((await alice.days.list()).digests).toHaveLength(1)
      expect((await alice.days.list()).digests[0]?.open_questions.map(({ text }) => text)).toEqual([
        'Not done: Book the movers',
      ])
    })

    it('that passed while nobody was here has its digest at the next start, and is what the persona wakes up to', async () => {
      const { book, alice } = await persona()
      await say(alice, 3, 'The roof leaks.')
      const first = await book.sessions.start({ persona: 'Alice' })
      expect(first.sunrise).toMatchObject({ day: dayOf(3), yesterday: dayOf(1), isYesterday: false })
      expect(first.sunrise.digest?.text).toContain('The roof leaks.')
      await say(alice, 1, 'Who mends the roof?')
      const second = await book.sessions.start({ persona: 'Alice' })
      expect(second.sunrise).toMatchObject({ day: dayOf(1), isYesterday: true })
      expect(second.sunrise.open_questions.map(({ text }) => text)).toEqual(['Who mends the roof?'])
      expect(await alice.days.sunrise()).toEqual(second.sunrise)
      await failure(book.days.sunrise({ persona: 'Nobody' }))
    })

    it('is told anew when that is asked for, although nothing that it rests on is gone', async () => {
      const book = await open()
      await book.personas.register({ name: 'Alice' })
      await book.thoughts.learn({ persona: 'Alice', knowledge: 'Water boils at 100 °C.' })
      const { digest } = await book.days.sundown({ persona: 'Alice' })
      const id = digest?.id ?? ''
      expect(await book.days.rebuild({ id })).toEqual({ id, result: 'current' })
      expect(await book.days.rebuild({ id, force: true })).toEqual({ id, result: 'rebuilt' })
      expect((await book.days.list({ persona: 'Alice' })).digests).toHaveLength(1)
    })

    it('forgets what is forgotten: its digest is told anew, or goes with its last record', async () => {
      const { alice } = await persona()
      const { id: secret } = await say(alice, 1, 'My diagnosis is private.')
      const { id: other } = await say(alice, 1, 'The garden is green.')
      await alice.days.sundown()
      await alice.snapshots.capture()
      const [before] = (await alice.days.list()).digests
      expect(before?.text).toContain('diagnosis')
      await alice.records.forget({ id: secret ?? '' })
      const told = async () => (await alice.days.list()).digests
      expect((await told()).every(({ text }) => !text.includes('diagnosis'))).toBe(true)
      expect((await alice.days.sunrise()).digest?.text ?? '').not.toContain('diagnosis')
      await alice.days.rebuild({ id: before?.id ?? '' })
      expect((await told())[0]).toMatchObject({ raw: 1 })
      expect((await told())[0]?.text).toContain('garden')
      const { snapshot } = await alice.snapshots.restore()
      expect(snapshot?.markdown ?? '').not.toContain('diagnosis')
      await alice.records.forget({ id: other ?? '' })
      await alice.days.rebuild({ id: before?.id ?? '' })
      expect(await told()).toEqual([])
    })

    it.each(['forget', 'purge'] as const)(
      'quotes nothing of it in what its end answered, nor when it is ended again: after a %s',
      async (how) => {
        const { book, alice } = await persona()
        const { id } = await say(alice, 0, 'My diagnosis is private.')
        const { id: task } = await book.tasks.add({
          capability: 'katra:sundown',
          input: { persona: 'Alice' },
        })
        expect(JSON.stringify((await settledTask(book, task))?.result)).toContain('diagnosis')
        const twice = { requestId: 'evening' }
        expect((await alice.days.sundown({}, twice)).digest?.text).toContain('diagnosis')
        await alice.sessions.start({ persona: 'Alice' })
        await alice.snapshots.capture({ focus: 'diagnosis' })
        await (how === 'forget'
          ? alice.records.forget({ id: id ?? '' })
          : book.records.purge({ id: id ?? '' }))
        expect(JSON.stringify(await book.tasks.list({}))).not.toContain('diagnosis')
        for (const again of [alice.days.sundown({}, twice), alice.days.sundown(), alice.days.sunrise()])
          expect(JSON.stringify(await again)).not.toContain('diagnosis')
      },
    )

    it('is archived when it has been told, but for what is personal, kept or pinned; a dry run says so before', async () => {
      const { alice } = await persona()
      const plain = await say(alice, 20, 'An old remark about nothing much.')
      const personal = await say(alice, 20, 'Casey is getting married.')
      const keep = await say(alice, 20, 'The contract number is 7.')
      const pinned = await say(alice, 20, 'House rules.')
      const fresh = await say(alice, 2, 'A new remark.')
      await alice.thoughts.mark({ memoryId: personal.id ?? '', personal: true })
      await alice.thoughts.mark({ memoryId: keep.id ?? '', keep: true })
      await alice.records.mark({ id: pinned.id ?? '', pinned: true })
      const dry = await alice.days.consolidate({ dryRun: true })
      expect(dry).toMatchObject({ dryRun: true, digests: [dayOf(20), dayOf(2)], archived: 0 })
      expect(dry.retained).toMatchObject({ undigested: 1, personal: 1, keep: 1, pinned: 1, recent: 1 })
      expect((await alice.days.list()).digests).toEqual([])
      const done = await alice.days.consolidate()
      expect(done.archived).toBe(1)
      expect(done.retained).toEqual({ personal: 1, keep: 1, pinned: 1, recent: 1 })
      const listed = (await alice.conversation.list()).records.map(({ id }) => id)
      expect(listed).not.toContain(plain.id)
      expect(new Set(listed)).toEqual(new Set([personal.id, keep.id, pinned.id, fresh.id]))
      expect(
        (await alice.thoughts.topic({ topic: 'old remark about nothing' })).records.map(({ id }) => id),
      ).not.toContain(plain.id)
      // Archived is kept: it is there by its id, and its digest still names it.
      expect(await alice.records.get({ id: plain.id ?? '' })).toMatchObject({
        content: 'An old remark about nothing much.',
      })
      expect(await alice.days.consolidate()).toMatchObject({ digests: [], archived: 0 })
    })

    it('becomes part of its week once that is over, and what comes back on three days becomes a pattern', async () => {
      const { alice } = await persona()
      for (const daysAgo of [17, 16, 15]) await say(alice, daysAgo, `The audit goes on, day ${daysAgo}.`)
      const done = await alice.days.consolidate()
      const { digests } = await alice.days.list({ period: 'week' })
      expect(digests.length).toBeGreaterThan(0)
      expect(digests.reduce((sum, { raw }) => sum + raw, 0)).toBe(3)
      expect(done.patterns.length).toBeGreaterThan(0)
      const topics = (await alice.thoughts.topic({ topic: 'Casey audit' })).records
      expect(topics.map(({ kind }) => kind)).toContain('pattern')
    })

    it('is a snapshot of at most 8,000 characters under its six headings, whatever was said', async () => {
      const { alice } = await persona()
      for (let i = 0; i < 40; i++)
        await say(
          alice,
          0,
          `Question number ${i}: ${'what about that, and that, '.repeat(14)}and number ${i}?`,
        )
      const { markdown, context, id } = await alice.snapshots.capture({ focus: 'f'.repeat(2000) })
      expect(markdown.length).toBeLessThanOrEqual(8000)
      expect(markdown.match(/^## .*$/gm)).toEqual([
        '## Current focus',
        '## Recent topics',
        '## Active projects',
        '## People',
        '## Decisions and discoveries',
        '## Open questions',
      ])
      const quoted = Object.values(context)
        .flat()
        .map(({ text }) => text)
      for (const line of markdown.match(/^- .*$/gm) ?? []) expect(quoted).toContain(line.slice(2))
      expect((await alice.snapshots.restore({ id })).snapshot?.markdown).toBe(markdown)
      expect((await failure(alice.snapshots.restore({ id: 'no-such' }))).code).toBe('not-found')
    })

    it('tells what its user approved, takes it back with the memory, and names what waits without saying it', async () => {
      const { book, alice } = await persona()
      await say(alice, 0, 'Good morning.')
      const propose = (content: string, category = 'a2p:preferences.communication') =>
        alice.proposals.propose({ content, category })
      const liked = await propose('Casey prefers short answers')
      const waits = await propose('Casey collects stamps', 'a2p:interests')
      const { memory = '' } = await book.proposals.review({ id: liked.id, action: 'approve' })
      const { digest } = await alice.days.sundown()
      expect(digest?.decisions).toMatchObject([{ text: 'Casey prefers short answers', records: [memory] }])
      const waiting = { text: 'Waits for an answer: a proposal about interests', records: [waits.id] }
      expect(digest?.open_questions).toEqual([waiting])
      // No user has agreed to it: recall finds digests by their words.
      expect(digest?.text).not.toContain('stamps')
      const { context } = await alice.snapshots.capture()
      expect(context.questions).toEqual([waiting])
      const { open_questions: open } = await alice.days.sunrise()
      expect(open).toEqual([{ text: 'Waits for an answer: Casey collects stamps', records: [waits.id] }])
      await book.proposals.review({ id: waits.id, action: 'reject' })
      expect((await alice.days.sunrise()).open_questions).toEqual([])
      expect((await alice.snapshots.capture()).context.questions).toEqual([])
      const known = async () =>
        (await alice.thoughts.relevant({ query: 'short answers' })).records.filter(
          ({ kind }) => kind === 'memory',
        )
      expect(await known()).toMatchObject([{ id: memory, content: 'Casey prefers short answers' }])
      expect((await alice.thoughts.recent()).records.map(({ id }) => id)).toContain(memory)
      await book.records.forget({ id: memory })
      expect(await known()).toEqual([])
      await alice.days.rebuild({ id: digest?.id ?? '' })
      expect((await alice.days.sundown()).digest?.text ?? '').not.toContain('short answers')
    })

    if (keepsKeys) sealedCase({ book: open })

    if (cancels) killedCase({ book: open })
  })
}

function sealedCase({ book: open }: Pick<BookCase, 'book'>): void {
  it('that has a sealed record has a sealed digest', async () => {
    const book = await open({ passphrase: 'correct horse battery staple' })
    const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
    const message = { content: 'My diagnosis is private.', source: 'user' as const, timestamp: noon(1) }
    await alice.conversation.store({ session: 's', sensitivity: 'sensitive', message })
    await alice.days.sundown()
    const [digest] = (await alice.days.list()).digests
    expect(digest?.text).toContain('diagnosis')
    expect(await alice.records.get({ id: digest?.id ?? '' })).toMatchObject({ sensitivity: 'sensitive' })
  })
}

function killedCase({ book: open }: Pick<BookCase, 'book'>): void {
  it('is finished for whoever was killed in the middle of its end, by the task that waits for it', async () => {
    const book = await open()
    await book.personas.register({ name: 'Alice' })
    const { session, scope } = await book.sessions.start({ persona: 'Alice' })
    const alice = book.with(scope)
    await alice.thoughts.learn({ knowledge: 'Almost lost.' })
    const abort = new AbortController()
    const heard = Promise.withResolvers<void>()
    const off = book.on('progress', ({ subject }) => {
      if (subject === 'digest') heard.resolve()
    })
    const ending = alice.sessions.end({}, { signal: abort.signal }).catch(() => undefined)
    await Promise.race([heard.promise, ending])
    abort.abort()
    await ending
    off()
    const { tasks } = await book.tasks.list()
    const waiting = tasks.find(({ capability }) => capability === 'katra:finish_session')
    expect(waiting).toMatchObject({ input: { session } })
    await book.tasks.retry({ id: waiting?.id ?? '' })
    await settledTask(book, waiting?.id ?? '')
    const { sessions } = await alice.sessions.list()
    expect(sessions).toMatchObject([{ session, state: 'ended', reason: 'request' }])
    expect((await alice.snapshots.list()).snapshots).toHaveLength(1)
  })
}
