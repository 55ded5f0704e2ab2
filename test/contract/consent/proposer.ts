// The proposer is refused through every door that there is, and each refusal stands in the log of access.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { helper, proposed } from './proposal.ts'

interface Attempt {
  readonly capability: string
  /** Begins with the error's code, then its reason where there is one. */
  readonly refused: string
  readonly run: (book: Daybook, ids: { readonly id: string; readonly memory: string }) => Promise<unknown>
}

const as = (book: Daybook) => book.with({ agent: helper })
const guest = async (book: Daybook) => {
  const permissions = ['**', 'read', 'write', 'propose', 'forget', 'export', 'delegation']
  const { token } = await book.tokens.grant({
    granted_to: helper,
    scope: '**',
    permissions,
    expires_at: '2099-01-01T00:00:00.000Z',
  })
  return book.with({ as: token.token_id })
}
const text = async (stream: unknown) => new Response(stream as ReadableStream).text()

/** `id` waits for a decision; `memory` was made of another proposal of the same agent, which somebody else approved. */
const attempts: Readonly<Record<string, Attempt>> = {
  'approves in the owner’s name': {
    capability: 'a2p:review',
    refused: 'forbidden proposer',
    run: (book, { id }) => as(book).proposals.review({ id, action: 'approve' }),
  },
  'approves with changes in the owner’s name': {
    capability: 'a2p:review',
    refused: 'forbidden proposer',
    run: (book, { id }) => as(book).proposals.review({ id, action: 'edit', edited: { content: 'x' } }),
  },
  'reopens in the owner’s name': {
    capability: 'a2p:reopen',
    refused: 'forbidden proposer',
    run: (book, { id }) => as(book).proposals.reopen({ id }),
  },
  'approves by the short form of its name': {
    capability: 'a2p:review',
    refused: 'forbidden proposer',
    run: (book, { id }) => book.with({ agent: 'assistant' }).proposals.review({ id, action: 'approve' }),
  },
  'approves with a token': {
    capability: 'a2p:review',
    refused: 'forbidden',
    run: async (book, { id }) => (await guest(book)).proposals.review({ id, action: 'approve' }),
  },
  'reopens with a token': {
    capability: 'a2p:reopen',
    refused: 'forbidden',
    run: async (book, { id }) => (await guest(book)).proposals.reopen({ id }),
  },
  'stores it with a token': {
    capability: 'a2p:store_memory',
    refused: 'forbidden',
    run: async (book) =>
      (await guest(book)).memories.store({ content: proposed.content, category: proposed.category }),
  },
  'stores it in the owner’s name': {
    capability: 'a2p:store_memory',
    refused: 'forbidden proposer',
    run: (book) =>
      as(book).memories.store({
        content: ` ${proposed.content.toUpperCase()} `,
        category: proposed.category,
      }),
  },
  'stores a memory that says it comes from itself': {
    capability: 'a2p:store_memory',
    refused: 'forbidden proposer',
    run: (book) =>
      as(book).memories.store({
        content: 'x',
        category: proposed.category,
        source: { type: 'agent_proposal', agentDid: helper },
      }),
  },
  'says otherwise what was approved': {
    capability: 'a2p:edit_memory',
    refused: 'forbidden proposer',
    run: (book, { memory }) => as(book).memories.edit({ id: memory, content: 'x' }),
  },
  'restores an earlier version of its proposal': {
    capability: 'kstar:restore',
    refused: 'forbidden proposer',
    async run(book, { memory }) {
      const proposal = (await book.records.get({ id: memory }))?.['source'] as { proposal: string }
      return as(book).records.restore({ id: proposal.proposal, version: 1 })
    },
  },
}

export function proposerCases({ book: open }: BookCase): void {
  describe('an agent that', () => {
    const begin = async () => {
      const book = await open()
      const { id } = await as(book).proposals.propose(proposed)
      const other = await as(book).proposals.propose({ ...proposed, content: 'User works at night' })
      const { memory = '' } = await book.proposals.review({ id: other.id, action: 'approve' })
      return { book, id, memory }
    }
    const approved = async (book: Daybook) => (await book.memories.query()).memories

    it.each(Object.entries(attempts))('%s is refused, and that is in the log', async (_what, attempt) => {
      const { book, id, memory } = await begin()
      const before = await approved(book)
      const { code, details } = await failure(attempt.run(book, { id, memory }))
      expect([code, details['reason']].filter(Boolean).join(' ')).toBe(attempt.refused)
      expect(await approved(book)).toEqual(before)
      expect((await book.proposals.list({ id })).proposals).toMatchObject([{ id, status: 'pending' }])
      const { entries } = await book.access.log({ capability: attempt.capability, outcome: 'forbidden' })
      // By the name of the agent that tried, also where it works in the owner's.
      expect(entries.map(({ caller }) => helper.endsWith(caller) && caller !== '')).toEqual([true])
    })

    it('classes otherwise what was approved, or makes one of several, proposes that', async () => {
      const { book, memory } = await begin()
      const before = await approved(book)
      const asked = { id: memory, category: 'a2p:interests', reason: 'r' }
      const { id, result } = await as(book).memories.reclassify(asked)
      expect(result).toBe('proposed')
      expect(await approved(book)).toEqual(before)
      expect((await book.proposals.list({ id })).proposals).toMatchObject([{ status: 'pending' }])
      const { id: other } = await book.memories.store({
        content: 'y',
        category: proposed.category,
        memory_type: 'procedural',
      })
      expect((await as(book).memories.consolidate({ ids: [memory, other] })).result).toBe('proposed')
      expect(await approved(book)).toHaveLength(before.length + 1)
    })

    it('names itself, under whatever spelling, does nothing that is the owner’s alone', async () => {
      const { book, id, memory } = await begin()
      const spellings = [
        helper,
        `${helper}.`,
        helper.toUpperCase(),
        'assistant',
        'Аssistant',
        'ａssistant',
        'other',
      ]
      for (const agent of [...spellings, (await book.records.get({ id: memory }))?.agent ?? '']) {
        const handle = book.with({ agent })
        const unnamed = { scope: { agent: undefined } } as never
        const tried: (() => Promise<unknown>)[] = [
          () => handle.proposals.review({ id, action: 'approve' }),
          () => handle.proposals.review({ id, action: 'approve' }, unnamed),
          () => book.proposals.review({ id, action: 'approve' }, { scope: { agent } }),
          () => handle.with({ session: 's' }).memories.store({ content: 'x', category: 'a2p:context' }),
          () => handle.memories.edit({ id: memory, content: 'x' }),
          () => handle.memories.archive({ id: memory }),
          () =>
            handle.consent.setPolicy({
              forAgents: '*',
              allow: ['a2p:preferences'],
              permissions: ['read_full'],
            }),
          () => handle.accessKeys.create({ name: 'k', owner: true }),
          () => handle.agents.revoke({ did: helper }),
          () => handle.tasks.add({ capability: 'a2p:review', input: { id, action: 'approve' } }),
          () => handle.records.purge({ id: memory }),
        ]
        for (const one of tried) expect((await failure(one())).code).toBe('forbidden')
      }
      expect((await book.consent.policies()).policies).toEqual([])
      expect((await book.accessKeys.list()).keys).toEqual([])
      expect((await approved(book)).map((one) => one.id)).toEqual([memory])
    })

    it('has nobody’s approval in a bundle: the owner imports it', async () => {
      const { book, id, memory } = await begin()
      const from = await open()
      await as(from).proposals.propose({ ...proposed, id: 'prop_elsewhere' })
      const there = await from.proposals.review({ id: 'prop_elsewhere', action: 'approve' })
      const file = await text(await from.export())
      for (const options of [{}, { decisions: 'keep' }] as const)
        expect(await failure(as(book).import(file, options))).toMatchObject({
          code: 'forbidden',
          details: { reason: 'proposer' },
        })
      const { bundle } = await book.import(file)
      expect(bundle).toMatchObject({ lowered: 2, imported: 2 })
      expect((await approved(book)).map((one) => one.id)).toEqual([memory])
      expect(
        (await book.proposals.list({ status: 'pending' })).proposals.map((one) => one.id).toSorted(),
      ).toEqual(['prop_elsewhere', id].toSorted())
      expect((await book.memories.query({ status: 'pending' })).memories.map((one) => one.id)).toEqual([
        there.memory,
      ])
    })
  })

  it('a bundle of another book comes in undecided unless the owner says otherwise, and waits for a review', async () => {
    const [from, book, trusting] = [await open(), await open(), await open()]
    await as(from).proposals.propose({ ...proposed, id: 'prop_elsewhere' })
    const { memory = '' } = await from.proposals.review({ id: 'prop_elsewhere', action: 'approve' })
    const file = await text(await from.export())
    expect((await trusting.import(file, { decisions: 'keep' })).bundle?.lowered).toBeUndefined()
    expect((await trusting.memories.query()).memories).toMatchObject([{ id: memory }])
    expect((await book.import(file, { dryRun: true })).bundle).toMatchObject({ lowered: 2, imported: 2 })
    expect((await book.import(file)).bundle).toMatchObject({ lowered: 2 })
    expect((await book.recall({ text: proposed.content })).hits).toEqual([])
    expect(await book.proposals.counts()).toMatchObject({ pending: 1, memories: 1 })
    expect(await book.proposals.counts({ agent: 'did:a2p:agent:local:x' })).not.toHaveProperty('memories')
    // The same once more changes nothing; and the owner decides about the memory as about a proposal.
    expect((await book.proposals.review({ id: memory, action: 'approve' })).status).toBe('approved')
    expect((await book.memories.query()).memories).toMatchObject([{ id: memory, status: 'approved' }])
    expect((await book.proposals.counts()).memories).toBe(0)
  })

  it('a memory of another book keeps its earlier text if the owner changes it at the review', async () => {
    const [from, book] = [await open(), await open()]
    const { id } = await from.memories.store({ content: 'Lives in Porto', category: 'a2p:identity' })
    await book.import(await text(await from.export()))
    await book.proposals.review({ id, action: 'edit', edited: { content: 'Lives in Lisbon' } })
    const [memory] = (await book.memories.query()).memories
    expect(memory).toMatchObject({ id, content: 'Lives in Lisbon' })
    expect(memory?.metadata['editHistory']).toMatchObject([{ previousContent: 'Lives in Porto' }])
  })

  it('a memory of another book is as sensitive as its category once it is approved', async () => {
    const [from, book] = [await open(), await open()]
    const health = 'a2p:health.conditions'
    const store = (content: string, category: string) =>
      from.memories.store({ content, category, sensitivity: 'standard' })
    const { id: asthma } = await store('Has asthma', health)
    const { id: statins } = await store('Takes statins', 'a2p:context')
    const { id: chosen } = await store('Runs', health)
    await book.import(await text(await from.export()))
    await book.proposals.review({ id: asthma, action: 'approve' })
    await book.proposals.review({ id: statins, action: 'edit', edited: { category: health } })
    await book.proposals.review({ id: chosen, action: 'edit', edited: { sensitivity: 'standard' } })
    const { memories } = await book.memories.query()
    const levels = Object.fromEntries(memories.map(({ id, sensitivity }) => [id, sensitivity]))
    expect(levels).toEqual({ [asthma]: 'restricted', [statins]: 'restricted', [chosen]: 'standard' })
  })
}
