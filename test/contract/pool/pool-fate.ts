// What was published to the pool shares the fate of its record: what is forgotten, purged or sealed is in no proposal, vote,
// decision or fact of the book any more.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { defined } from '../../../src/core/defined.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import type { BookCase } from '../book-case.ts'
import { rebuilt } from '../memory/rebuilt.ts'
import { envelopeOf, heardOf, isThere } from './pool.ts'

const word = 'Kreuzfahrtticket'
const content = `Orders need a ${word}`

/** All that is told of `word`, by every way of reading that there is, and of these ids. */
async function toldOf(book: Daybook, ids: readonly string[], as: { as?: string } = {}): Promise<string[]> {
  const asked: Record<string, () => Promise<unknown>> = {
    recall: async () => (await book.recall({ text: word, limit: 50 }, as)).hits.map(({ record }) => record),
    context: async () => (await book.context({ text: word }, as)).items,
    'pool.facts': () => book.pool.facts({ versions: true }, as),
    'pool.listProposals': () => book.pool.listProposals({}, as),
    'records.query': () =>
      book.records.query(
        { limit: 1000, includeSuperseded: true, includeExpired: true, includeOutdated: true },
        as,
      ),
    'records.search': async () => (await book.records.search({ query: word }, as)).records,
    ...(as.as === undefined
      ? {
          'pool.audit': () => book.pool.audit(),
          'bundles.export': () => book.bundles.export({ includeSensitive: true }),
        }
      : {}),
  }
  for (const id of ids) {
    asked[`records.get ${id}`] = () => book.records.get({ id }, as)
    asked[`records.history ${id}`] = () => book.records.history({ id }, as)
  }
  const found: string[] = []
  for (const [name, ask] of Object.entries(asked))
    if (JSON.stringify(await ask().catch(missing)).includes(word)) found.push(name)
  return found
}

function missing(error: unknown): null {
  if (isDaybookError(error, 'not-found')) return null
  throw error
}

const store = async (book: Daybook, said: string) =>
  (await book.perceptions.store({ subject: 'orders', content: said, confidence: 0.9 })).id

/** Votes of two others make it a fact; one of them says why. */
async function approve(book: Daybook, proposalId: string): Promise<void> {
  const made = heardOf(book, ({ type }) => type === 'fact')
  const voted = { proposalId, vote: 'yes' }
  await book.pool.takeIn({ envelope: envelopeOf('claw-1', 'vote', { ...voted, reason: `The ${word}` }) })
  await book.pool.takeIn({ envelope: envelopeOf('claw-2', 'vote', voted) })
  await made
}

async function withOthers(book: Daybook): Promise<Daybook> {
  await book.pool.configure({ verify: 'off', admission: 'anyone' })
  for (const claw of ['claw-1', 'claw-2']) await book.pool.takeIn({ envelope: isThere(claw) })
  return book
}

async function published(book: Daybook, statement?: string) {
  await withOthers(book)
  const source = await store(book, content)
  const said = defined({ statement })
  const { proposal, record } = await book.pool.publish({ record: source, tags: ['ops'], ...said })
  await approve(book, proposal)
  const [fact] = (await book.pool.facts()).facts
  return { source, proposal, record, fact: fact?.record ?? '' }
}

export function poolFateCases({ book: open }: BookCase, keepsKeys: boolean): void {
  const ways = ['forget', 'purge'] as const

  describe.each(ways)('what was published of a record that the owner wants gone (%s)', (way) => {
    it.each([undefined, `They want a ${word}`])(
      'is nowhere in the book any more (in words: %s)',
      async (words) => {
        const book = await open()
        const { source, record, fact } = await published(book, words)
        const ids = [source, record, fact]
        expect(await toldOf(book, ids)).toEqual(
          expect.arrayContaining(['recall', 'pool.facts', 'pool.listProposals', `records.get ${record}`]),
        )
        const answer = await book.records[way]({ id: source })
        expect(answer.citedBy.toSorted()).toEqual([record, fact].toSorted())
        // They are gone, and nothing of them waits.
        expect(answer.rebuilt).toEqual([])
        expect(await toldOf(book, ids)).toEqual([])
        expect((await book.pool.facts()).facts).toEqual([])
      },
    )

    it('takes no vote, decision or fact of others any more', async () => {
      const book = await open()
      await withOthers(book)
      const source = await store(book, content)
      const { proposal, fact } = await book.pool.publish({ record: source, tags: ['ops'] })
      await book.records[way]({ id: source })
      const late = [
        envelopeOf('claw-1', 'vote', { proposalId: proposal, vote: 'yes', reason: `The ${word}` }),
        envelopeOf('claw-2', 'decision', { proposalId: proposal, outcome: 'approved', yes: 2, no: 0 }),
        envelopeOf('claw-2', 'fact', {
          factId: fact.id,
          group: 'daybook',
          subject: 'statement',
          predicate: 'states',
          object: content,
          version: 1,
          source: 'claw-2',
          proposalId: proposal,
        }),
      ]
      for (const envelope of late)
        expect(await book.pool.takeIn({ envelope })).toEqual({ result: 'stale', reason: 'withdrawn' })
      expect(await toldOf(book, [])).toEqual([])
    })
  })

  it('keeps what another record says, and a version of the fact that another one confirmed', async () => {
    const book = await open()
    const { source, record, fact } = await published(book)
    const other = await store(book, 'Orders need an index')
    const named = (await book.pool.facts()).facts[0]?.fact ?? ''
    const next = await book.pool.publish({ record: other, tags: ['ops'], fact: named })
    await approve(book, next.proposal)
    const answer = await book.records.forget({ id: source })
    expect(answer.citedBy.toSorted()).toEqual([record, fact].toSorted())
    await rebuilt(book, fact)
    const { facts } = await book.pool.facts({ versions: true })
    expect(facts).toMatchObject([{ version: 2, object: 'Orders need an index' }])
    expect(facts[0]?.versions?.map(({ version }) => version)).toEqual([2])
    const { proposals } = await book.pool.listProposals()
    expect(proposals.map(({ proposal }) => proposal)).toEqual([next.proposal])
    // A vote of the other round still says why.
    expect(await toldOf(book, [source, record, fact])).not.toContain('pool.facts')
  })

  it.runIf(keepsKeys)('is nowhere in clear once its record is sealed', async () => {
    const book = await open()
    const { source, record, fact } = await published(book)
    await book.records.setSensitivity({ id: source, sensitivity: 'sensitive' })
    expect(await toldOf(book, [record, fact])).not.toEqual(expect.arrayContaining(['pool.facts']))
    expect((await book.pool.facts()).facts).toEqual([])
    expect((await book.pool.listProposals()).proposals).toEqual([])
  })

  it('is told to no guest from whom its record is kept', async () => {
    const book = await open()
    const { source, record, fact } = await published(book)
    const expiresAt = '2099-01-01T00:00:00Z'
    const grant = { scope: '**', permissions: ['read'], granted_to: 'helper', expires_at: expiresAt }
    const whole = await book.tokens.grant(grant)
    expect(await toldOf(book, [record, fact], { as: whole.token.token_id })).toContain('pool.facts')
    const { token } = await book.tokens.grant({ ...grant, deny: ['perception:**'] })
    expect(await toldOf(book, [source, record, fact], { as: token.token_id })).toEqual([])
  })

  it('leaves the book when the claw that proposed it takes it back, and no other claw can', async () => {
    const book = await withOthers(await open())
    const proposalId = 'kp-of-claw-1'
    const proposal = { proposalId, group: 'daybook', statement: content, tags: ['ops'] }
    const withdrawal = (claw: string) =>
      book.pool.takeIn({ envelope: envelopeOf(claw, 'withdrawal', { proposalId }) })
    // Before the proposal it says nothing yet, and waits for it.
    expect(await withdrawal('claw-2')).toMatchObject({ result: 'accepted', waits: true })
    await book.pool.takeIn({ envelope: envelopeOf('claw-1', 'proposal', proposal) })
    await book.pool.vote({ proposal: proposalId, vote: 'yes', reason: `The ${word}` })
    expect(await withdrawal('claw-2')).toMatchObject({ result: 'conflict', reason: 'not_the_proposer' })
    const record = (await book.pool.listProposals()).proposals[0]?.record ?? ''
    expect(await toldOf(book, [record])).toContain('pool.listProposals')
    expect(await withdrawal('claw-1')).toEqual({ result: 'accepted', reason: 'withdrawn' })
    expect(await toldOf(book, [record])).toEqual([])
    expect(await book.pool.takeIn({ envelope: envelopeOf('claw-1', 'proposal', proposal) })).toEqual({
      result: 'stale',
      reason: 'withdrawn',
    })
    expect(await toldOf(book, [record])).toEqual([])
  })
}
