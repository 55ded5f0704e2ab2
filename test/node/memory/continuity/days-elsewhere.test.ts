// Days of a persona in other books and other hands: carried over whole, told by a language model, merged from two devices that
// had registered the same name apart, and left by whoever was idle.
import { afterEach, describe, expect, it } from 'vitest'
import type { Carrier, Llm } from '../../../../src/core/ports.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

const user = { User: 'Casey' } as never

/** Two devices of one book, which have each registered Alice before they met. */
async function registerApart() {
  const { ports, pass } = createTestTime()
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const [one, two] = [openSite(ports, { carrier }), openSite(ports, { carrier })]
  const older = await one.book.personas.register({ name: 'Alice' })
  await pass(5000)
  const younger = await two.book.personas.register({ name: 'Alice' })
  return { one, two, older, younger, now: ports.clock.now }
}

describe('a persona elsewhere', () => {
  it('has the same Markdown of its snapshot in a fresh book', async () => {
    const { ports, pass } = createTestTime()
    const { book } = openSite(ports)
    const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
    for (const content of ['When is the audit?', 'Who pays?'])
      await alice.conversation.store({ message: { content, source: user } })
    await alice.thoughts.decide({ decision: 'Use Podman', reasoning: 'no daemon' })
    const { markdown, id } = await alice.snapshots.capture({ focus: 'the audit' })
    const fresh = openSite(ports)
    await pass(1000)
    await fresh.book.import(await new Response(await book.export()).text())
    const { snapshot } = await fresh.book.snapshots.restore({ persona: 'Alice' })
    expect(snapshot).toMatchObject({ id, markdown })
    expect(markdown).toContain('Decision: Use Podman')
  })

  it('that two devices registered apart is one persona once they have met, under the id of the older one', async () => {
    const { one, two, older, younger } = await registerApart()
    expect(younger.ci_id).not.toBe(older.ci_id)
    await one.book.with(older.scope).thoughts.learn({ knowledge: 'Learned on the first.' })
    await two.book.with(younger.scope).thoughts.learn({ knowledge: 'Learned on the second.' })
    for (const { book } of [one, two]) await book.days.sundown({ persona: 'Alice' })
    for (const { book } of [one, two, one, two]) await book.sync()
    for (const { book } of [one, two]) {
      expect(await book.personas.whoami({ persona: 'Alice' })).toMatchObject({ ci_id: older.ci_id })
      expect((await book.thoughts.recent({ persona: 'Alice' })).records).toHaveLength(2)
      await book.days.sundown({ persona: 'Alice' })
    }
    for (const { book } of [one, two, one]) await book.sync()
    for (const { book } of [one, two]) {
      const { digests } = await book.days.list({ persona: younger.ci_id })
      expect(digests).toMatchObject([{ raw: 2 }])
      expect(digests[0]?.text).toContain('Learned on the first.')
      expect(digests[0]?.text).toContain('Learned on the second.')
      expect((await book.conflicts.list()).conflicts).toEqual([])
    }
  })

  it('keeps its days and sessions on its own handle too, whichever of its ids has begun them', async () => {
    const { one, two, older, younger, now } = await registerApart()
    const there = two.book.with(younger.scope)
    const left = await there.sessions.start()
    await two.book.with(left.scope).turns.begin()
    const timestamp = new Date(now() - 20 * 86_400_000).toISOString()
    await there.conversation.store({ message: { content: 'Long ago.', source: user, timestamp } })
    await there.thoughts.learn({ knowledge: 'From the second.' })
    await there.days.sundown()
    for (const { book } of [one, two, one, two]) await book.sync()

    const here = one.book.with(older.scope)
    await here.thoughts.learn({ knowledge: 'From the first.' })
    expect((await here.days.sundown()).digest).toMatchObject({ raw: 2 })
    expect(await here.turns.end({ session: left.session })).toMatchObject({ count: 1 })
    const ended = await here.sessions.end({ session: left.session })
    expect(ended).toMatchObject({ state: 'ended', archived: 1 })

    // Another persona changes nothing of it, nor does an agent without a persona.
    const [digest] = (await here.days.list()).digests
    const bob = one.book.with((await one.book.personas.register({ name: 'Bob' })).scope)
    for (const other of [bob, one.book.with({ agent: 'other' })]) {
      const refused = other.days.rebuild({ id: digest?.id ?? '', force: true })
      await expect(refused).rejects.toMatchObject({ code: 'forbidden' })
    }
  })

  it('rebuilds and forgets its days and patterns on its own handle too, whichever of its ids has begun them', async () => {
    const { one, two, older, younger, now } = await registerApart()
    const there = two.book.with(younger.scope)
    const learned: string[] = []
    for (const days of [5, 4, 3, 2]) {
      const timestamp = new Date(now() - days * 86_400_000).toISOString()
      const message = { content: 'The project Apollo needs a budget.', source: user, timestamp }
      learned.push((await there.conversation.store({ message })).id ?? '')
    }
    const { digests, patterns } = await there.days.consolidate()
    // Four days and a week.
    expect([digests.length, patterns.length > 0]).toEqual([5, true])
    for (const { book } of [one, two, one]) await book.sync()
    const here = one.book.with(older.scope)
    const [pattern = ''] = patterns
    expect(await here.days.rebuild({ id: pattern, force: true })).toMatchObject({ result: 'rebuilt' })

    for (const id of learned) await one.book.records.forget({ id })
    for (const id of [...digests, ...patterns])
      expect((await here.days.rebuild({ id, force: true })).result).toMatch(/forgotten|absent/)
  })

  it('keeps a pattern of its last year when it is rebuilt, though earlier days name other subjects more often', async () => {
    const { ports } = createTestTime()
    const { book } = openSite(ports)
    const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
    const earlier = 'basalt cedar copper granite juniper lantern maple marble orchid pewter saffron'
    const learn = async (content: string, daysAgo: number) => {
      const timestamp = new Date(ports.clock.now() - daysAgo * 86_400_000).toISOString()
      await alice.conversation.store({ message: { content, source: user, timestamp } })
    }
    for (const daysAgo of [424, 423, 422, 421, 420]) await learn(`The shelf holds ${earlier}.`, daysAgo)
    for (const daysAgo of [4, 3, 2]) await learn('The crate goes to Zanzibar.', daysAgo)
    const { patterns } = await alice.days.consolidate()
    expect(patterns.length).toBeGreaterThan(0)
    for (const id of patterns)
      expect(await alice.days.rebuild({ id, force: true })).toMatchObject({ result: 'rebuilt' })
  })

  it('whose session is idle for half an hour has it ended, and its day told', async () => {
    const { ports, pass } = createTestTime()
    const { book } = openSite(ports)
    await book.personas.register({ name: 'Alice' })
    const { session, scope } = await book.sessions.start({ persona: 'Alice' })
    await pass(20 * 60_000)
    await book.with(scope).thoughts.learn({ knowledge: 'Still here.' })
    await pass(25 * 60_000)
    const open = async () => (await book.sessions.list({ persona: 'Alice', state: 'open' })).sessions
    expect(await open()).toHaveLength(1)
    await pass(20 * 60_000)
    expect(await open()).toEqual([])
    expect((await book.sessions.list({ persona: 'Alice' })).sessions).toMatchObject([
      { session, state: 'ended', reason: 'idle' },
    ])
    expect((await book.days.list({ persona: 'Alice' })).digests).toMatchObject([{ raw: 1 }])
  })
})

describe('a day told by a language model', () => {
  const tellWith = async (answer: () => string) => {
    const { ports } = createTestTime()
    const llm: Llm = { name: 'test', limitChars: 10_000, answer: () => Promise.resolve(answer()) }
    const { book } = openSite(ports, { llm })
    const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
    const { id } = await alice.thoughts.learn({ knowledge: 'The audit is in March.' })
    const { digest, degraded } = await alice.days.sundown()
    return { digest, degraded, id }
  }
  const nothing = { decisions: [], relationships: [], projects: [], open_questions: [] }

  it('has the lines that name records it was given, and no others', async () => {
    const lines = [
      { text: 'An audit comes in March.', from: [1], about: 'audit' },
      { text: 'Invented.', from: [] },
      { text: 'From nowhere.', from: [7] },
    ]
    const { digest, id, degraded } = await tellWith(() => JSON.stringify({ summary: lines, ...nothing }))
    expect(degraded).toEqual([])
    expect(digest).toMatchObject({
      method: 'abstractive',
      summary: [{ text: 'An audit comes in March.', records: [id], about: 'audit' }],
    })
  })

  it('is told by the stated rules when the model’s answer is of no use, and says why', async () => {
    for (const bad of ['no JSON', '{"summary":"text"}', JSON.stringify({ summary: [], ...nothing })]) {
      const { digest, degraded } = await tellWith(() => bad)
      expect(digest).toMatchObject({ method: 'extractive' })
      expect(digest?.text).toContain('The audit is in March.')
      expect(degraded).toHaveLength(1)
    }
  })
})
