// The knowledge pool on every host: what comes in from other claws, what is voted on, and what becomes a fact.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import type { PoolNews } from '../../../src/core/capability/event.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { type BookCase, failure } from '../book-case.ts'

let serial = 0

/** An envelope of another claw, without a signature. */
export function envelopeOf(
  claw: string,
  type: string,
  payload: JsonObject,
  more: JsonObject = {},
): JsonObject {
  return {
    schemaVersion: 'v1',
    type,
    traceId: 'tr-test',
    timestamp: new Date(Date.now()).toISOString(),
    idempotencyKey: `test:${type}:${++serial}`,
    clawId: claw,
    instanceId: `${claw}#1`,
    payload,
    ...more,
  }
}

export const isThere = (claw: string) =>
  envelopeOf(claw, 'presence', {
    group: 'daybook',
    status: 'active',
    updatedAt: new Date(Date.now()).toISOString(),
  })

/** Resolves with the next event of the pool that `fits`. */
export function heardOf(book: Daybook, fits: (news: PoolNews) => boolean): Promise<PoolNews> {
  return new Promise((resolve) => {
    const off = book.on('pool', (news) => {
      if (!fits(news)) return
      off()
      resolve(news)
    })
  })
}

const statement = 'Error E142 with a DB time-out maps to mitigation M7'

export function poolCases({ book: open, reopen }: BookCase): void {
  const peers = async (book: Daybook, ...claws: string[]) => {
    await book.pool.configure({ verify: 'off', admission: 'anyone' })
    for (const claw of claws)
      expect(await book.pool.takeIn({ envelope: isThere(claw) })).toEqual({
        result: 'accepted',
        reason: 'active',
      })
  }
  const castBy = (book: Daybook, claw: string, proposalId: string, vote: string) =>
    book.pool.takeIn({ envelope: envelopeOf(claw, 'vote', { proposalId, vote }) })

  it('makes a proposal a fact when a majority of the active claws has voted for it', async () => {
    const book = await open()
    await peers(book, 'claw-1', 'claw-2')
    const fact = { subject: 'E142', predicate: 'maps to', object: 'M7' }
    const { proposal, claw } = await book.pool.propose({ statement, tags: ['ops'], fact })
    expect((await book.pool.listProposals()).proposals).toMatchObject([{ proposal, claw, state: 'open' }])
    await castBy(book, 'claw-1', proposal, 'yes')
    expect((await book.pool.facts()).facts).toEqual([])
    const made = heardOf(book, ({ type }) => type === 'fact')
    await castBy(book, 'claw-2', proposal, 'yes')
    await made
    const { facts } = await book.pool.facts({ versions: true })
    expect(facts).toMatchObject([
      { ...fact, version: 1, votes: { yes: 2, no: 0 }, versions: [{ version: 1, proposal }] },
    ])
    const { proposals } = await book.pool.listProposals({ proposal })
    expect(proposals).toMatchObject([
      { state: 'approved', decision: { outcome: 'approved', yes: 2, no: 0, quorum: 2, claw } },
    ])
    const again = await reopen(book)
    expect((await again.pool.facts()).facts).toMatchObject([{ ...fact, version: 1 }])
  })

  it('promotes nothing while fewer than three claws are there', async () => {
    const book = await open()
    await peers(book, 'claw-1')
    const { proposal } = await book.pool.propose({ statement, tags: ['ops'] })
    expect(await castBy(book, 'claw-1', proposal, 'yes')).toMatchObject({ result: 'accepted' })
    expect(await castBy(book, 'claw-2', proposal, 'yes')).toMatchObject({ result: 'accepted' })
    expect((await book.pool.listProposals()).proposals).toMatchObject([{ state: 'open' }])
    const made = heardOf(book, ({ type }) => type === 'fact')
    await book.pool.takeIn({ envelope: isThere('claw-2') })
    await made
  })

  it('says who is active, stale or stopping, how many votes decide now, and in whose name the caller speaks', async () => {
    const book = await open()
    await peers(book, 'claw-1', 'claw-2', 'claw-3')
    const { own, you, active, quorum } = await book.pool.claws()
    expect({ active, quorum }).toEqual({ active: 4, quorum: { yes: 3, no: 3, least: 3 } })
    expect(you).toBe(own)
    const ada = await book.with({ agent: 'ada' }).pool.claws()
    expect({ own: ada.own, you: ada.you.split('@')[0] }).toEqual({ own, you: 'ada' })

    const updatedAt = new Date(Date.now() + 1000).toISOString()
    const stopping = { group: 'daybook', status: 'stopping', updatedAt }
    await book.pool.takeIn({ envelope: envelopeOf('claw-2', 'presence', stopping) })
    const silent = { ...stopping, status: 'active', updatedAt: new Date(Date.now() - 136_000).toISOString() }
    await book.pool.takeIn({ envelope: envelopeOf('claw-4', 'presence', silent) })
    const after = await book.pool.claws()
    const states = Object.fromEntries(after.claws.map(({ claw, state }) => [claw, state]))
    // Also those that have told nothing about themselves: their votes count.
    expect(states).toEqual({
      'claw-1': 'active',
      'claw-2': 'stopping',
      'claw-3': 'active',
      'claw-4': 'stale',
    })
    expect({ active: after.active, quorum: after.quorum.yes }).toEqual({ active: 3, quorum: 2 })
    expect((await book.pool.claws({ active: false })).claws.map(({ claw }) => claw)).toEqual([
      'claw-2',
      'claw-4',
    ])
    await book.pool.configure({ quorum: { rule: 'fixed', yes: 5, no: 2, minPool: 4 } })
    expect((await book.pool.claws()).quorum).toEqual({ yes: 5, no: 2, least: 4 })
  })

  it('names the record of a proposal', async () => {
    const book = await open()
    const { proposal } = await book.pool.propose({ statement, tags: ['ops'] })
    const { proposals } = await book.pool.listProposals({ proposal })
    const record = await book.records.get({ id: proposals[0]?.record ?? '' })
    expect(record).toMatchObject({ kind: 'pool_proposal', proposal, statement })
  })

  it('refuses a vote on what is not there, by path', async () => {
    const book = await open()
    const error = await failure(book.pool.vote({ proposal: 'kp-none', vote: 'yes' }))
    expect(error).toMatchObject({ code: 'not-found', details: { path: 'proposal' } })
  })
}
