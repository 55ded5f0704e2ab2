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
  'classes otherwise what was approved': {
    capability: 'a2p:reclassify',
    refused: 'forbidden proposer',
    run: (book, { memory }) =>
      as(book).memories.reclassify({ id: memory, category: 'a2p:interests', reason: 'r' }),
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

    it('puts its approval off is refused when its turn comes', async () => {
      const { book, id } = await begin()
      const done = new Promise<string | undefined>((resolve) =>
        book.on('task', ({ state, error }) => {
          if (state === 'dead' || state === 'done') resolve(error?.code)
        }),
      )
      await as(book).tasks.add({ capability: 'a2p:review', input: { id, action: 'approve' } })
      expect(await done).toBe('forbidden')
      expect((await book.proposals.list({ id })).proposals).toMatchObject([{ status: 'pending' }])
      const { entries } = await book.access.log({ capability: 'a2p:review', outcome: 'forbidden' })
      expect(entries.map(({ caller }) => helper.endsWith(caller) && caller !== '')).toContain(true)
    })

    it('imports its approval from a bundle brings it in undecided', async () => {
      const { book, id, memory } = await begin()
      const from = await open()
      await as(from).proposals.propose({ ...proposed, id: 'prop_elsewhere' })
      const there = await from.proposals.review({ id: 'prop_elsewhere', action: 'approve' })
      const file = await text(await from.export())
      const { bundle } = await as(book).import(file)
      expect(bundle).toMatchObject({ lowered: 2, imported: 2 })
      expect((await approved(book)).map((one) => one.id)).toEqual([memory])
      expect(
        (await book.proposals.list({ status: 'pending' })).proposals.map((one) => one.id).toSorted(),
      ).toEqual(['prop_elsewhere', id].toSorted())
      expect((await book.memories.query({ status: 'pending' })).memories.map((one) => one.id)).toEqual([
        there.memory,
      ])
      // Asking for it to be kept is deciding.
      const error = await failure(as(await open()).import(file, { decisions: 'keep' }))
      expect(error).toMatchObject({ code: 'forbidden', details: { reason: 'proposer' } })
    })
  })

  it('a bundle of another book comes in undecided unless the owner says otherwise, and waits for a review', async () => {
    const [from, book, trusting] = [await open(), await open(), await open()]
    await as(from).proposals.propose({ ...proposed, id: 'prop_elsewhere' })
    const { memory = '' } = await from.proposals.review({ id: 'prop_elsewhere', action: 'approve' })
    const file = await text(await from.export())
    expect((await trusting.import(file, { decisions: 'keep' })).bundle?.lowered).toBeUndefined()
    expect((await trusting.memories.query()).memories).toMatchObject([{ id: memory }])
    expect((await book.import(file, { dry_run: true })).bundle).toMatchObject({ lowered: 2, imported: 2 })
    expect((await book.import(file)).bundle).toMatchObject({ lowered: 2 })
    expect((await book.recall({ text: proposed.content })).hits).toEqual([])
    // The same once more changes nothing; and the owner decides about the memory as about a proposal.
    expect((await book.proposals.review({ id: memory, action: 'approve' })).status).toBe('approved')
    expect((await book.memories.query()).memories).toMatchObject([{ id: memory, status: 'approved' }])
  })
}
