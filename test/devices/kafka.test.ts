// A page in a real browser as a claw of a pool over a real Apache Kafka: it speaks over the line to its mirror with
// `daybook kafka`, another device of the same book, which speaks with the brokers.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { type Bridge, startBridge } from '../node/hosts/node/kafka/start-bridge.ts'
import { createKafkaWorld, newGroup, openKafkaClaw, skipped } from '../support/kafka/kafka-world.ts'
import { type Device, newBook, openDevice } from './open-device.ts'

const { open, close, kafka, count } = createKafkaWorld()
let device: Device

const openClaw = (group: string, name: string) => openKafkaClaw({ broker: kafka().broker, group, name })

interface Joined extends AsyncDisposable {
  /** The claw of its book. */
  readonly claw: string
  readonly page: Page
  readonly bridge: Bridge
}

/** A page whose book a bridge joins to Kafka. */
async function openPage(group: string): Promise<Joined> {
  const name = newBook()
  const home = await mkdtemp(join(tmpdir(), 'daybook-bridge-'))
  const edge = ['--edge', inject('edgeUrl'), '--book', name]
  const bridge = startBridge({
    broker: kafka().broker,
    group,
    home,
    args: edge,
    env: { DAYBOOK_KEY: 'development' },
  })
  await bridge.said(({ event }) => event === 'started')
  const page = await device.visit()
  await page.evaluate((options) => globalThis.openBook(options), {
    name,
    sync: { url: device.network.url, key: 'development', live: true },
    pool: { edge: true },
  })
  await page.evaluate(async (of) => {
    await globalThis.book?.pool.configure({ group: of, admission: 'anyone' })
    await globalThis.book?.sync()
  }, group)
  return {
    claw: `agent@${name}`,
    page,
    bridge,
    async [Symbol.asyncDispose]() {
      await page.close()
      await bridge[Symbol.asyncDispose]()
      await rm(home, { recursive: true })
    },
  }
}

const active = (page: Page) => page.evaluate(async () => (await globalThis.book?.pool.claws())?.active)
const proposalsIn = (page: Page) =>
  page.evaluate(async () => (await globalThis.book?.pool.listProposals())?.proposals ?? [])
const factsIn = (page: Page) =>
  page.evaluate(async () => (await globalThis.book?.pool.facts({ versions: true }))?.facts ?? [])
const voteIn = (page: Page, proposal: string) =>
  page.evaluate(async (of) => globalThis.book?.pool.vote({ proposal: of, vote: 'yes' }), proposal)

async function together(page: Page, books: readonly Daybook[]): Promise<void> {
  const count = books.length + 1
  for (const book of books) await expect.poll(async () => (await book.pool.claws()).active).toBe(count)
  await expect.poll(() => active(page)).toBe(count)
}

describe.skipIf(skipped !== '')(`A page among claws over Apache Kafka${skipped}`, () => {
  beforeAll(async () => {
    ;[device] = await Promise.all([openDevice([], true), open()])
  })
  afterAll(async () => {
    await device[Symbol.asyncDispose]()
    await close()
  })

  it('votes on what came over it, sees it become a fact at quorum, and recalls it with its votes, the broker away in the middle', async () => {
    const group = newGroup()
    await using ada = await openClaw(group, 'ada')
    await using bob = await openClaw(group, 'bob')
    await using joined = await openPage(group)
    const { page, claw } = joined
    await together(page, [ada, bob])

    const fact = { subject: 'E142', predicate: 'is mended by', object: 'M7' }
    const statement = 'Error E142 with a timeout of the database is mended by M7.'
    const { proposal } = await ada.pool.propose({ statement, tags: ['ops'], fact })
    await expect.poll(() => proposalsIn(page)).toMatchObject([{ proposal, claw: 'ada@ada', state: 'open' }])
    await expect.poll(async () => (await bob.pool.listProposals()).proposals.length).toBe(1)

    // Both are cast while nobody can hear them.
    await kafka().stop()
    await voteIn(page, proposal)
    await bob.pool.vote({ proposal, vote: 'yes' })
    await joined.bridge.said(({ event }) => event === 'waiting')
    expect(await factsIn(page)).toEqual([])
    await kafka().start()

    const made = [{ ...fact, version: 1, votes: { yes: 2, no: 0 } }]
    await expect.poll(() => factsIn(page), { timeout: 60_000 }).toMatchObject(made)
    for (const book of [ada, bob])
      await expect.poll(async () => (await book.pool.facts()).facts).toMatchObject(made)
    const found = await page.evaluate(async () => globalThis.book?.recall({ text: 'what mends E142' }))
    expect(found?.hits[0]).toMatchObject({ because: { pool: { votes: { yes: 2, no: 0 }, version: 1 } } })
    const told = await page.evaluate(async () => globalThis.book?.context({ text: 'what mends E142' }))
    expect(JSON.stringify(told)).toContain('M7')

    // Each vote, the decision and the fact lie in the topics once, and were counted once.
    const counted = async (type: string) =>
      (await ada.pool.audit({ type })).entries
        .filter(({ result, from }) => result === 'accepted' && from !== undefined)
        .map((entry) => `${entry.claw} ${entry.count}`)
        .toSorted()
    // The fact may have overtaken the decision: they lie in two topics.
    await expect
      .poll(() => proposalsIn(page))
      .toMatchObject([{ state: 'approved', decision: { yes: 2, no: 0, quorum: 2, claw: 'ada@ada' } }])
    expect(await counted('vote')).toEqual([`${claw} 1`, 'bob@bob 1'])
    for (const [what, times] of [
      ['proposals', 1],
      ['votes', 2],
      ['decisions', 1],
      ['facts', 1],
    ] as const)
      expect(`${what} ${await count(group, what)}`).toBe(`${what} ${times}`)
  })

  it('asks whom among four claws it can, and makes a fact of what they confirm', async () => {
    const group = newGroup()
    await using logs = await openClaw(group, 'claw-1')
    await using orders = await openClaw(group, 'claw-2')
    await using runbook = await openClaw(group, 'claw-3')
    // The fourth is at the desk, in a tab.
    await using joined = await openPage(group)
    const { page, claw } = joined
    await together(page, [logs, orders, runbook])
    await logs.pool.announce({ capabilities: ['logs.read:/var/log/app/*'], displayName: 'Logs' })
    await orders.pool.announce({ capabilities: ['db.read:orders,customers'] })
    await runbook.pool.announce({ capabilities: ['incident.runbook:v2'] })
    const who = (capability: string) =>
      page.evaluate(
        async (asked) =>
          (await globalThis.book?.pool.whoCan({ capability: asked }))?.claws.map(({ clawId }) => clawId),
        capability,
      )
    await expect.poll(() => who('logs.read:/var/log/app/web')).toEqual(['claw-1@claw-1'])
    await expect.poll(() => who('db.read:orders')).toEqual(['claw-2@claw-2'])
    await expect.poll(() => who('incident.runbook:v2')).toEqual(['claw-3@claw-3'])
    expect(await who('db.read:invoices')).toEqual([])

    const proposal = await page.evaluate(
      async () =>
        (
          await globalThis.book?.pool.propose({
            statement: 'Error E142 with a timeout of the database is mended by M7.',
            tags: ['ops'],
            fact: { subject: 'E142', predicate: 'is mended by', object: 'M7' },
          })
        )?.proposal ?? '',
    )
    for (const book of [logs, orders, runbook])
      await expect
        .poll(async () => (await book.pool.listProposals()).proposals)
        .toMatchObject([{ proposal, claw, state: 'open' }])
    await logs.pool.vote({ proposal, vote: 'yes' })
    await orders.pool.vote({ proposal, vote: 'no', reason: 'seen once' })
    expect(await factsIn(page)).toEqual([])
    await orders.pool.vote({ proposal, vote: 'yes', reason: 'seen again' })
    await runbook.pool.vote({ proposal, vote: 'yes' })
    const made = [{ subject: 'E142', object: 'M7', version: 1, votes: { yes: 3, no: 0 } }]
    await expect.poll(() => factsIn(page)).toMatchObject(made)
    for (const book of [logs, orders, runbook])
      await expect.poll(async () => (await book.pool.facts()).facts).toMatchObject(made)
    const { hits } = await logs.recall({ text: 'what mends E142' })
    expect(hits[0]).toMatchObject({ because: { pool: { votes: { yes: 3, no: 0 }, version: 1 } } })
    expect(await proposalsIn(page)).toMatchObject([
      { state: 'approved', decision: { outcome: 'approved', quorum: 3, claw } },
    ])
  })
})
