// Books that are claws of one pool over a real Apache Kafka.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { newClaw, signedBy, type SigningClaw } from '../../../../support/kafka/backlog.ts'
import { type KafkaWorld, newGroup, openKafkaClaw } from '../../../../support/kafka/kafka-world.ts'

async function together(books: readonly Daybook[], count: number): Promise<void> {
  for (const book of books) await expect.poll(async () => (await book.pool.claws()).active).toBe(count)
}
const proposals = async (book: Daybook) => (await book.pool.listProposals()).proposals
const facts = async (book: Daybook) => (await book.pool.facts({ versions: true })).facts

/** Needs the broker of `world`, which it stops and starts again. */
export function poolCases({ kafka, produce, lying }: KafkaWorld): void {
  const openClaw = (group: string, name: string, path?: string) =>
    openKafkaClaw({ broker: kafka().broker, group, name, path })

  it('finds who can do what, votes, and makes a fact of what a majority confirms', async () => {
    const group = newGroup()
    const [logs, orders, runbook, desk] = (await Promise.all(
      ['claw-1', 'claw-2', 'claw-3', 'claw-4'].map((name) => openClaw(group, name)),
    )) as [Daybook, Daybook, Daybook, Daybook]
    await using ends = new AsyncDisposableStack()
    for (const book of [logs, orders, runbook, desk]) ends.defer(() => book.close())
    await together([logs, orders, runbook, desk], 4)
    await logs.pool.announce({ capabilities: ['logs.read:/var/log/app/*'], displayName: 'Logs' })
    await orders.pool.announce({ capabilities: ['db.read:orders,customers'] })
    await runbook.pool.announce({ capabilities: ['incident.runbook:v2'] })
    await expect
      .poll(async () => (await desk.pool.claws()).claws.flatMap(({ capabilities }) => capabilities).length)
      .toBe(3)
    const who = async (capability: string) =>
      (await desk.pool.whoCan({ capability })).claws.map(({ clawId }) => clawId)
    await expect.poll(() => who('logs.read:/var/log/app/web')).toEqual(['claw-1@claw-1'])
    await expect.poll(() => who('db.read:orders')).toEqual(['claw-2@claw-2'])
    await expect.poll(() => who('incident.runbook:v2')).toEqual(['claw-3@claw-3'])
    expect(await who('db.read:invoices')).toEqual([])

    const { id } = await desk.perceptions.store({
      subject: 'E142',
      content: 'M7 mends it.',
      confidence: 0.9,
    })
    const statement = 'Error E142 with a timeout of the database is mended by M7.'
    const { proposal } = await desk.pool.publish({ record: id, tags: ['ops'], title: 'E142', statement })
    for (const book of [logs, orders, runbook])
      await expect.poll(async () => (await proposals(book)).length).toBe(1)
    await logs.pool.vote({ proposal, vote: 'yes' })
    await orders.pool.vote({ proposal, vote: 'no', reason: 'seen once' })
    await orders.pool.vote({ proposal, vote: 'yes', reason: 'seen again' })
    expect(await facts(logs)).toEqual([])
    await runbook.pool.vote({ proposal, vote: 'yes' })
    for (const book of [logs, orders, runbook, desk]) {
      await expect
        .poll(() => facts(book))
        .toMatchObject([{ version: 1, object: statement, votes: { no: 0 } }])
      // A fact whose votes are all here needs no decision, and may overtake it: they lie in two topics.
      await expect
        .poll(() => proposals(book))
        .toMatchObject([{ state: 'approved', decision: { outcome: 'approved', quorum: 3 } }])
    }
    const { hits } = await runbook.recall({ text: 'what mends E142' })
    expect(hits[0]).toMatchObject({ because: { pool: { votes: { yes: 3, no: 0 }, version: 1 } } })
    // Nobody sends on over Kafka what Kafka has brought: each ballot lies there once.
    const votes = await lying(group, 4, 'votes')
    const keys = votes.map(({ text }) => (JSON.parse(text) as { idempotencyKey: string }).idempotencyKey)
    expect(new Set(keys).size).toBe(keys.length)

    // What the desk has purged leaves the books of all, and its proposal lies before its withdrawal in one topic.
    await desk.records.purge({ id })
    for (const book of [logs, orders, runbook, desk]) {
      await expect.poll(() => facts(book)).toEqual([])
      expect(await proposals(book)).toEqual([])
    }
    const proposed = await lying(group, 2, 'proposals')
    const types = proposed.map(({ text }) => (JSON.parse(text) as { type: string }).type)
    expect(types).toEqual(['proposal', 'withdrawal'])
  })

  it('writes into the audit whatever is no envelope of a known claw, and goes on', async () => {
    const group = newGroup()
    await using a = await openClaw(group, 'a')
    await using b = await openClaw(group, 'b')
    await together([a, b], 2)
    const topic = `group.${group}.knowledge.votes`
    const head = { schemaVersion: 'v1', type: 'vote', traceId: 't', timestamp: new Date().toISOString() }
    const stranger = {
      ...head,
      idempotencyKey: 'k',
      clawId: 'x',
      instanceId: 'i',
      payload: { proposalId: 'p', vote: 'yes' },
    }
    await produce(topic, [
      { value: Buffer.from('not JSON') },
      { value: Buffer.from([0xff, 0x00]) },
      { value: Buffer.from(JSON.stringify({ ...stranger, schemaVersion: 'v9' })) },
      { value: Buffer.from(JSON.stringify(stranger)) },
      { value: Buffer.from(JSON.stringify({ ...stranger, padding: 'x'.repeat(65_536) })) },
      {},
    ])
    const { proposal } = await b.pool.propose({ statement: 'It goes on.', tags: ['ops'] })
    await expect.poll(async () => (await proposals(a)).map((one) => one.proposal)).toEqual([proposal])
    await expect
      .poll(async () => {
        const { entries } = await a.pool.audit({ result: 'rejected' })
        return new Set(entries.map(({ reason }) => reason))
      })
      .toEqual(
        new Set([
          'not JSON',
          'unsupported schemaVersion: v9',
          'signature_required',
          'larger than 65536 bytes',
        ]),
      )
  })

  it('believes no bad, stolen or changed signature, no flood and no clock a day ahead, and goes on', async () => {
    const group = newGroup()
    await using a = await openClaw(group, 'a')
    const [ada, eve, loud] = [newClaw('ada@far'), newClaw('ada@far'), newClaw('loud@far')]
    const say = (claw: SigningClaw, n: number, more: object = {}) => ({
      schemaVersion: 'v1',
      type: 'proposal',
      traceId: 't',
      timestamp: new Date().toISOString(),
      idempotencyKey: `${claw.id}:${n}`,
      clawId: claw.id,
      instanceId: 'i',
      payload: { proposalId: `${claw.id}-${n}`, group, statement: `Statement ${n}.`, tags: ['ops'] },
      ...more,
    })
    const first = signedBy(ada, say(ada, 1))
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
    const flood = Array.from({ length: 130 }, (_, n) => signedBy(loud, say(loud, n)))
    const all = [
      first,
      { ...say(ada, 2), signature: first.signature },
      { ...first, clawId: 'bob@far' },
      signedBy(eve, say(ada, 3)),
      signedBy(ada, say(ada, 4, { timestamp: tomorrow })),
      ...flood,
      signedBy(ada, say(ada, 5)),
    ]
    // They say that they were said a second apart: how many came at once is counted by the clock of the broker.
    const began = Date.now() - all.length * 1000
    await produce(
      `group.${group}.knowledge.proposals`,
      // Of one key, so that they are taken in their order.
      all.map((one, n) => ({
        key: 'k',
        value: Buffer.from(JSON.stringify(one)),
        timestamp: BigInt(began + n * 1000),
      })),
    )
    await expect.poll(async () => (await proposals(a)).map(({ proposal }) => proposal)).toContain('ada@far-5')
    const { entries } = await a.pool.audit({ result: 'rejected' })
    expect(entries.map(({ claw, reason, count }) => `${claw} ${reason} ${count}`).toSorted()).toEqual([
      'ada@far bad_signature 1',
      'ada@far key_changed 1',
      'bob@far bad_signature 1',
      'loud@far flood 30',
    ])
    const { proposals: known } = await a.pool.listProposals({ proposal: 'ada@far-4' })
    expect(Date.parse(known[0]?.proposedAt ?? '')).toBeLessThan(Date.now() + 61_000)
  })

  it('sends pending proposals when the broker is back, and each counts once', async () => {
    const group = newGroup()
    const folder = await mkdtemp(join(tmpdir(), 'daybook-claw-'))
    await using ends = new AsyncDisposableStack()
    ends.defer(() => rm(folder, { recursive: true }))
    const a = ends.use(await openClaw(group, 'a', join(folder, 'a.daybook')))
    const b = ends.use(await openClaw(group, 'b'))
    await together([a, b], 2)
    await kafka().stop()
    const sent = []
    for (let n = 0; n < 20; n += 1)
      sent.push((await a.pool.propose({ statement: `Statement ${n}.`, tags: ['ops'] })).proposal)
    await expect.poll(async () => (await a.status()).degraded?.join(' ') ?? '').toContain('do not answer')
    await kafka().start()
    await expect.poll(async () => (await proposals(b)).length, { timeout: 45_000 }).toBe(20)
    expect((await proposals(b)).map(({ proposal }) => proposal).toSorted()).toEqual(sent.toSorted())
    // A send whose outcome is unknown is repeated, so the topic may have a proposal twice.
    const { entries } = await b.pool.audit({ type: 'proposal' })
    const accepted = entries.filter(({ result }) => result === 'accepted')
    expect(accepted.map(({ count }) => count)).toEqual(Array(20).fill(1))
    expect(entries.filter(({ result }) => result !== 'accepted' && result !== 'duplicate')).toEqual([])
  })
}
