// Memories and proposals of a guarded category: sealed like all that is sensitive, remembered like all that is approved.
import { describe, expect, it } from 'vitest'
import type { Daybook, ImportOptions } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { passphrase } from '../seal.ts'
import { helper } from './proposal.ts'

const text = async (stream: unknown) => new Response(stream as ReadableStream).text()
const contents = (told: readonly { readonly content: string }[]) => told.map(({ content }) => content)

const health = { content: 'Takes insulin before breakfast', category: 'a2p:health.medication' } as const
const financial = { content: 'Pays rent on the first of May', category: 'a2p:financial' } as const
const plain = { content: 'Prefers tea in the morning', category: 'a2p:preferences' } as const

const approved = async (book: Daybook) => contents((await book.memories.query()).memories).toSorted()
const waiting = async (book: Daybook) =>
  (await book.proposals.list({ status: 'pending' })).proposals.map(({ id }) => id)

/** A book with memories and proposals, guarded ones and others, closed and opened again without its passphrase. */
async function openLocked({ book: open, reopen }: BookCase) {
  const first = await open({ passphrase })
  const agent = first.with({ agent: helper })
  const { id: memory } = await first.memories.store(health)
  const { id: other } = await first.memories.store({ ...financial, memory_type: 'semantic' })
  await first.memories.store(plain)
  const { id: secret } = await agent.proposals.propose({ ...health, content: 'Is allergic to nuts' })
  const { id: known } = await agent.proposals.propose({ ...plain, content: 'Prefers trains' })
  return { book: await reopen(first), memory, other, secret, known }
}

/** Of every host that keeps keys. */
export function sealedConsentCases(cases: BookCase): void {
  const { book: open } = cases

  describe('memories and proposals of health and money', () => {
    it('are restricted and sealed from the first, and told like others while the keys are here', async () => {
      const book = await open()
      for (const one of [health, financial, plain]) await book.memories.store(one)
      await book.memories.store({ content: 'Trusts her sister', category: 'a2p:relationships.family' })
      const { memories } = await book.memories.query()
      const levels = memories.map(({ category, sensitivity }) => [category, sensitivity])
      expect(Object.fromEntries(levels)).toEqual({
        'a2p:health.medication': 'restricted',
        'a2p:financial': 'restricted',
        'a2p:relationships.family': 'sensitive',
        'a2p:preferences': 'standard',
      })
      expect(await book.seal.status()).toMatchObject({ sealed: 3, unreadable: 0 })
      expect(contents((await book.memories.query({ category: 'a2p:health' })).memories)).toEqual([
        health.content,
      ])
      const { memories: lists } = await book.memories.profile({ scopes: ['a2p:financial'] })
      expect(lists['a2p:episodic']).toMatchObject([{ ...financial, sensitivity: 'restricted' }])
      expect((await book.memories.similar({ content: 'takes insulin' })).similar).toMatchObject([
        { memory: { content: health.content }, by: 'words' },
      ])
      expect((await book.recall({ text: 'insulin' })).hits).toMatchObject([
        { record: { content: health.content } },
      ])
    })

    it('wait, are decided and are remembered as guarded as they came', async () => {
      const book = await open()
      const agent = book.with({ agent: helper })
      const { id } = await agent.proposals.propose({ ...health, memory_type: 'procedural' })
      expect(await agent.proposals.propose(health)).toMatchObject({ id, result: 'duplicate' })
      expect(await book.seal.status()).toMatchObject({ sealed: 1 })
      expect((await book.proposals.list({ status: 'pending' })).proposals).toMatchObject([
        { id, ...health, sensitivity: 'restricted' },
      ])
      expect(await agent.proposals.counts()).toMatchObject({ pending: 1 })
      const error = await failure(agent.proposals.review({ id, action: 'approve' }))
      expect(error).toMatchObject({ code: 'forbidden', details: { reason: 'proposer' } })
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      expect(await book.records.get({ id: memory })).toMatchObject({ ...health, sensitivity: 'restricted' })
      expect(await book.seal.status()).toMatchObject({ sealed: 2 })
      await book.proposals.reopen({ id })
      expect(await approved(book)).toEqual([])
      await book.proposals.review({ id, action: 'reject' })
      expect(await book.proposals.counts()).toMatchObject({ pending: 0, rejected: 1 })
    })

    it('are named by ids that tell nothing of what they say', async () => {
      const ids = new Set<string>()
      for (const book of [await open(), await open()]) {
        const { id } = await book.with({ agent: helper }).proposals.propose(health)
        const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
        expect([id, memory]).toEqual([
          expect.stringMatching(/^prop_[A-Za-z0-9]+$/),
          expect.stringMatching(/^mem_[A-Za-z0-9]+$/),
        ])
        ids.add(id).add(memory)
      }
      expect(ids.size).toBe(4)
    })

    it('are sealed when an edit or another class makes them guarded, and no less afterwards', async () => {
      const book = await open()
      const { id } = await book.memories.store(plain)
      await book.memories.reclassify({ id, category: 'a2p:health', reason: 'it is a diet' })
      expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
      await book.memories.reclassify({ id, category: 'a2p:preferences', reason: 'it is not' })
      expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
      const { id: other } = await book.memories.store({ ...plain, content: 'Prefers coffee' })
      const { id: made } = await book.memories.consolidate({ ids: [id, other] })
      expect(await book.records.get({ id: made })).toMatchObject({ sensitivity: 'restricted' })
      const { id: proposal } = await book
        .with({ agent: helper })
        .proposals.propose({ ...plain, content: 'Has a nut allergy' })
      const edited = { category: 'a2p:health' }
      const { memory = '' } = await book.proposals.review({ id: proposal, action: 'edit', edited })
      expect(await book.records.get({ id: memory })).toMatchObject({ sensitivity: 'restricted' })
    })
  })

  describe('memories and proposals of health in a locked book', () => {
    it('are counted where they are left out, and all there again once it is open', async () => {
      const { book, secret, known } = await openLocked(cases)
      expect(await book.memories.query()).toMatchObject({ memories: [plain], sealed: 2 })
      const profile = await book.memories.profile()
      expect(profile).toMatchObject({ memories: { 'a2p:episodic': [plain], 'a2p:semantic': [] }, sealed: 2 })
      expect(await book.memories.similar({ content: 'insulin at breakfast' })).toEqual({
        similar: [],
        sealed: 2,
      })
      expect(await book.proposals.list()).toMatchObject({ proposals: [{ id: known }], sealed: 1 })
      expect(await book.proposals.counts()).toMatchObject({ pending: 1, sealed: 1 })
      await book.seal.unlock({ passphrase })
      expect(await approved(book)).toEqual([financial.content, plain.content, health.content])
      expect((await book.memories.profile()).sealed).toBeUndefined()
      expect((await waiting(book)).toSorted()).toEqual([known, secret].toSorted())
      expect(await book.proposals.counts()).toMatchObject({ pending: 2 })
      expect(await book.proposals.counts()).not.toHaveProperty('sealed')
    })

    it('are neither decided, changed nor made, with a code that says why; nothing has changed', async () => {
      const { book, memory, other, secret } = await openLocked(cases)
      const agent = book.with({ agent: helper })
      const tries: Readonly<Record<string, () => Promise<unknown>>> = {
        review: () => book.proposals.review({ id: secret, action: 'approve' }),
        reject: () => book.proposals.review({ id: secret, action: 'reject' }),
        reopen: () => book.proposals.reopen({ id: secret }),
        withdraw: () => agent.proposals.withdraw({ id: secret }),
        propose: () => agent.proposals.propose(health),
        rest: () => agent.proposals.propose({ ...plain, content: 'x', supersedes: [memory] }),
        store: () => book.memories.store(health),
        edit: () => book.memories.edit({ id: memory, content: 'x' }),
        archive: () => book.memories.archive({ id: memory }),
        consolidate: () => book.memories.consolidate({ ids: [memory, other], content: 'x' }),
        reclassify: () => book.memories.reclassify({ id: memory, category: 'a2p:context', reason: 'r' }),
        similar: () => book.memories.similar({ id: memory }),
      }
      for (const [what, attempt] of Object.entries(tries)) {
        const { code, details } = await failure(attempt())
        expect([what, code, details['reason']]).toEqual([what, 'locked', 'passphrase'])
      }
      expect((await agent.proposals.propose({ ...plain, content: 'Prefers ships' })).result).toBe('proposed')
      await book.seal.unlock({ passphrase })
      expect(await approved(book)).toEqual([financial.content, plain.content, health.content])
      expect(await book.proposals.counts()).toMatchObject({ pending: 3, approved: 0, rejected: 0 })
    })

    it('can be forgotten unread', async () => {
      const { book, memory } = await openLocked(cases)
      expect(await book.memories.forget({ id: memory })).toEqual({ id: memory, forgotten: true })
      await book.seal.unlock({ passphrase })
      expect(await approved(book)).toEqual([financial.content, plain.content])
    })

    it('are left alone by the upkeep', async () => {
      const first = await cases.book({ passphrase })
      const worn = { confidence: 0.2, source: { type: 'user_import' } } as const
      await first.memories.store({ ...health, ...worn })
      await first.memories.store({ ...plain, ...worn })
      const book = await cases.reopen(first)
      expect(await book.memories.maintain()).toEqual({ promoted: 0, flagged: 0, archived: 1 })
      await book.seal.unlock({ passphrase })
      expect(await book.memories.maintain()).toEqual({ promoted: 0, flagged: 0, archived: 1 })
    })
  })

  describe('a bundle with sealed memories and proposals', () => {
    it('of another book leaves out what nobody can lower, unless the owner takes it as it is', async () => {
      const { book: from } = await openLocked(cases)
      const file = await text(await from.export())
      expect(file).not.toMatch(/insulin|rent|nuts/)
      const to = await open()
      expect((await to.import(file)).bundle).toMatchObject({ imported: 2, unreadable: 3, withheld: 3 })
      expect((await to.memories.query({ status: 'pending' })).memories).toMatchObject([plain])
      const { bundle } = await to.import(file, { decisions: 'keep' })
      expect(bundle).toMatchObject({ imported: 3, unreadable: 3 })
      expect(bundle).not.toHaveProperty('withheld')
      expect(await to.memories.query()).toMatchObject({ memories: [], sealed: 2 })
    })

    it('brings no memory that nobody approved, although its key comes later', async () => {
      const first = await open({ passphrase })
      const { id } = await first.memories.store(health)
      const { id: proposal } = await first.with({ agent: helper }).proposals.propose(financial)
      const { memory = '' } = await first.proposals.review({ id: proposal, action: 'approve' })
      const book = await cases.reopen(first)
      const file = await text(await book.export())
      await book.seal.unlock({ passphrase })
      await book.proposals.reopen({ id: proposal })
      await book.memories.forget({ id })
      await book.seal.lock()
      const taken: ImportOptions = { mode: 'replace', kinds: ['memory', 'proposal'], decisions: 'lower' }
      expect((await book.import(file, taken)).bundle).toMatchObject({ unreadable: 3, withheld: 3 })
      await book.seal.unlock({ passphrase })
      expect(await approved(book)).toEqual([])
      expect((await book.import(file, taken)).bundle).toMatchObject({ lowered: 3 })
      expect(await approved(book)).toEqual([])
      // The one that the reopening has brought to an end does not come back at all.
      expect((await book.memories.query({ status: 'pending' })).memories).toMatchObject([{ id }])
      expect(await book.records.get({ id: memory })).toBeNull()
    })
  })
}

/** Of hosts that keep no keys. */
export function keylessConsentCases({ book: open }: BookCase): void {
  describe('memories and proposals of health where no keys are kept', () => {
    it('are refused, nothing is stored, and the log has it; others are not', async () => {
      const book = await open()
      const agent = book.with({ agent: helper })
      for (const attempt of [
        () => book.memories.store(health),
        () => book.memories.store({ ...plain, sensitivity: 'sensitive' }),
        () => agent.proposals.propose(financial),
        () => agent.proposals.propose({ ...plain, sensitivity: 'restricted' }),
      ]) {
        const { code, details } = await failure(attempt())
        expect([code, details['reason']]).toEqual(['locked', 'no-keys-here'])
      }
      expect((await book.stats()).total).toBe(0)
      const { entries } = await book.access.log({ outcome: 'locked' })
      expect(entries.map(({ capability }) => capability).toSorted()).toEqual([
        'a2p:propose',
        'a2p:propose',
        'a2p:store_memory',
        'a2p:store_memory',
      ])
      await book.memories.store(plain)
      expect(await approved(book)).toEqual([plain.content])
    })
  })
}
