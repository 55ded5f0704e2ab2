// What was made from records over several copies of a book, after an upgrade, with a language model; and the law that
// nothing which was made from a forgotten record says it any more.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createDaybook, type Daybook, methodTable } from '../../../../src/book/daybook.ts'
import type { Carrier, Llm, Ports, SqlDatabase } from '../../../../src/core/ports.ts'
import { createLocalDoor } from '../../../../src/doors/local-door.ts'
import { capabilityTable } from '../../../../src/engine/capability-table.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { createMirror } from '../../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../../support/test-engine.ts'

const secret = 'The doctor said it is diabetes.'
const source = { type: 'User', id: 'ann', name: 'Ann' }
const said = [
  'The garden wall needs new bricks.',
  secret,
  'The bricks come on Monday.',
  'Then the wall is built.',
].map((content, i) => ({ id: `m-${i}`, source, content, timestamp: `2026-02-01T10:0${i}:00Z` }))

const memory = () => openNodeDatabase({ path: ':memory:' })
/** Survives the engine over it. */
const lasting = (db: SqlDatabase): SqlDatabase => ({ ...db, close: () => undefined })

interface Site {
  readonly book: Daybook
  readonly engine: Engine
  /** What the tables say, but for the words of the text index. */
  text(): string
}

const open: Daybook[] = []
afterEach(async () => {
  for (const book of open.splice(0)) await book.close()
})

function openSite(ports: Ports, options: Partial<EngineOptions> = {}): Site {
  const engine = createEngine({
    db: memory(),
    ports,
    name: 'shared',
    scope: { agent: 'a' },
    durability: 'memory',
    openMemory: memory,
    ...options,
  })
  const book = createDaybook(
    createLocalDoor(engine, ports.scheduler),
    methodTable(capabilityTable),
    globalThis,
  )
  open.push(book)
  const { db } = engine.store
  return { book, engine, text: () => textOf(db) }
}

function textOf(db: SqlDatabase): string {
  const tables = db.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
  const rows = tables
    .filter(({ name }) => !name.startsWith('text_'))
    .map(({ name }) => db.all(`SELECT * FROM "${name}"`))
  return JSON.stringify(rows, (_key, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}

/** A mirror and what opens devices of it, all in one time. */
function world() {
  const { ports, pass } = createTestTime()
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = createMirror({ store: edge.engine.store, ...ports })
  const carrier: Carrier = {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
  const device = () => openSite(ports, { carrier, vault: openNodeVault(undefined) })
  return { edge, device, pass }
}

/** Two devices and their mirror, which all have an episode. */
async function archived() {
  const { edge, device, pass } = world()
  const [one, two] = [device(), device()]
  const { results } = await one.book.conversation.storeMany({ session: 's-1', messages: said })
  const { episode_id: episode = '' } = await one.book.conversation.archive({ session: 's-1' })
  await one.book.sync()
  await two.book.sync()
  const summaries = async ({ book }: Site) =>
    (await book.conversation.episodes()).records.map(({ summary }) => summary).join('\n')
  for (const site of [edge, one, two]) expect(await summaries(site)).toContain(secret)
  return { edge, one, two, pass, episode, summaries, id: results[1]?.id ?? '' }
}

describe('what was made from a record that is forgotten on one device', () => {
  test('is out of recall at the mirror and on the others with the forget, before it was told anew', async () => {
    const { edge, one, two, summaries, id } = await archived()
    await one.book.records.forget({ id, cascade: true })
    await one.book.sync()
    await two.book.sync()
    for (const site of [edge, one, two]) {
      expect(await summaries(site)).toBe('')
      expect(JSON.stringify((await site.book.recall({ text: 'doctor diabetes' })).hits)).not.toContain(
        'doctor',
      )
    }
  })

  test('is told anew there and travels', async () => {
    const { edge, one, two, pass, summaries, id } = await archived()
    await one.book.records.forget({ id, cascade: true })
    await pass(500)
    await one.book.sync()
    await two.book.sync()
    for (const site of [edge, one, two]) {
      expect(await summaries(site)).toContain('bricks')
      expect(site.text()).not.toContain('doctor said')
    }
    expect((await two.book.sync()).pushed).toBe(0)
  })

  test('is told anew by another copy when that device does not come back', async () => {
    const { edge, one, two, pass, summaries, id } = await archived()
    await one.book.records.forget({ id })
    await one.book.sync()
    await one.book.close()
    await pass(30_000)
    expect(edge.text()).toContain('doctor said')
    await pass(60_000)
    await two.book.sync()
    await pass(120_000)
    for (const site of [edge, two]) {
      expect(await summaries(site)).toContain('bricks')
      expect(site.text()).not.toContain('doctor said')
    }
  })

  test('is told anew when it was forgotten at the mirror', async () => {
    const { edge, one, pass, summaries, id } = await archived()
    await edge.book.records.forget({ id })
    expect(await summaries(edge)).toBe('')
    await pass(5000)
    expect(await summaries(edge)).toContain('bricks')
    await one.book.sync()
    expect(await summaries(one)).toContain('bricks')
    for (const site of [edge, one]) expect(site.text()).not.toContain('doctor said')
  })

  test('is told anew once more when another device wrote it again, and no conflict keeps it', async () => {
    const { edge, one, two, pass, episode, summaries, id } = await archived()
    await one.book.records.forget({ id })
    await pass(500)
    await pass(1000)
    await two.book.records.setSensitivity({ id: episode, sensitivity: 'public' })
    await one.book.sync()
    await two.book.sync()
    await pass(120_000)
    for (const { book } of [two, one, two, one]) await book.sync()
    for (const site of [edge, one, two]) {
      expect(await summaries(site)).toContain('bricks')
      expect(site.text()).not.toContain('doctor said')
    }
  })

  test('takes a kept answer of another device along', async () => {
    const { one, two, id } = await archived()
    const question = 'What did the doctor say?'
    await two.book.conversation.cacheAnswer({ question, answer: secret, records: [id] })
    await one.book.records.forget({ id })
    await one.book.sync()
    await two.book.sync()
    expect((await two.book.records.query({ kind: 'answer' })).records).toEqual([])
    expect(await two.book.conversation.cachedAnswer({ question })).toEqual({ answer: null })
  })
})

describe('what was made from a record that becomes sensitive on one device', () => {
  test('is sealed at the mirror and on the others with it, and nothing in clear is left', async () => {
    const { edge, one, two, episode, id } = await archived()
    await one.book.records.setSensitivity({ id, sensitivity: 'sensitive' })
    await one.book.sync()
    await two.book.sync()
    for (const site of [edge, one, two]) expect(site.text()).not.toContain('doctor said')
    expect(await one.book.records.get({ id: episode })).toMatchObject({ sensitivity: 'sensitive' })
  })
})

describe('a book of an earlier version', () => {
  test('knows after the upgrade what its episodes were made from', async () => {
    const { ports, pass } = createTestTime()
    const db = memory()
    const before = openSite(ports, { db: lasting(db) })
    const { results } = await before.book.conversation.storeMany({ session: 's-1', messages: said })
    await before.book.conversation.archive({ session: 's-1' })
    await before.book.close()
    db.exec("DROP TABLE sources; DROP TABLE outdated; DELETE FROM book WHERE key LIKE 'derived%'")
    const after = openSite(ports, { db: lasting(db) })
    expect((await after.book.conversation.archive({ session: 's-1' })).reason).toBe('empty history')
    const answer = await after.book.records.forget({ id: results[1]?.id ?? '' })
    expect(answer.told_anew).toHaveLength(1)
    await pass()
    expect(after.text()).not.toContain('doctor said')
  })
})

describe('a language model', () => {
  const modelled = (takesSensitive: boolean | undefined) => {
    const asked: string[] = []
    const llm: Llm = {
      name: 'api|test',
      limitChars: 24_000,
      ...(takesSensitive === undefined ? {} : { takesSensitive }),
      async answer({ instruction, text }) {
        asked.push(text)
        const isSummary = instruction.includes('Summarise')
        return JSON.stringify(isSummary ? { summary: 'A talk.', keywords: [] } : { facts: [] })
      },
    }
    const { ports } = createTestTime()
    return { asked, ...openSite(ports, { llm, vault: openNodeVault(undefined) }) }
  }

  test.each([undefined, false, true])('is asked about sensitive messages only if it may: %s', async (may) => {
    const { book, asked } = modelled(may)
    await book.conversation.storeMany({ session: 's-1', sensitivity: 'sensitive', messages: said })
    const archive = await book.conversation.archive({ session: 's-1' })
    const learned = await book.conversation.updateProfile({ history: said })
    expect(asked).toHaveLength(may === true ? 2 : 0)
    const degraded = expect.stringContaining('llm.sensitive') as string
    if (may === true) expect(archive).toMatchObject({ method: 'abstractive' })
    else {
      expect(archive).toMatchObject({ method: 'extractive', degraded })
      expect(learned).toMatchObject({ method: 'patterns', degraded })
    }
  })

  test('that thinks while a message is forgotten tells of it in no episode', async () => {
    const { ports, pass } = createTestTime()
    const thinking = Promise.withResolvers<string>()
    const asked = Promise.withResolvers<void>()
    let count = 0
    const llm: Llm = {
      name: 'api|test',
      limitChars: 24_000,
      async answer() {
        asked.resolve()
        return ++count === 1
          ? await thinking.promise
          : JSON.stringify({ summary: 'Of bricks.', keywords: ['bricks'] })
      },
    }
    const site = openSite(ports, { llm })
    const { results } = await site.book.conversation.storeMany({ session: 's-1', messages: said })
    const archiving = site.book.conversation.archive({ session: 's-1' })
    await asked.promise
    await site.book.records.forget({ id: results[1]?.id ?? '' })
    thinking.resolve(JSON.stringify({ summary: secret, keywords: ['diabetes'] }))
    await archiving
    expect((await site.book.conversation.episodes()).records).toEqual([])
    await pass()
    expect((await site.book.conversation.episodes()).records).toMatchObject([{ summary: 'Of bricks.' }])
    expect(site.text()).not.toContain('doctor said')
  })
})

describe('the law', () => {
  const word = (n: number) =>
    `Zyx${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}q`
  const shapes = [
    (n: number) => `The ${word(n)} was painted in the evening.`,
    (n: number) => `I live in ${word(n)}.`,
    (n: number) => `Please note that the ${word(n)} is in the cellar.`,
    (n: number) => `I like ${word(n)}.`,
    (n: number) => `My dog is called ${word(n)}.`,
  ] as const
  const messages = fc.array(
    fc.record({
      shape: fc.nat(shapes.length - 1),
      session: fc.nat(1),
      minute: fc.nat(9),
      isSealed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 10 },
  )
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom(
        'archive',
        'learn',
        'answer',
        'forget',
        'purge',
        'idle',
        'archive-late',
      ) as fc.Arbitrary<'archive' | 'learn' | 'answer' | 'forget' | 'purge' | 'idle' | 'archive-late'>,
      at: fc.nat(9),
    }),
    { minLength: 4, maxLength: 14 },
  )

  test('holds: what is forgotten stands in no table, answer of a question, history or context', async () => {
    await fc.assert(
      fc.asyncProperty(messages, steps, async (made, todo) => {
        const { ports, pass } = createTestTime()
        const site = openSite(ports, { vault: openNodeVault(undefined) })
        const { book } = site
        const lines = made.map(({ shape, minute }, n) => ({
          id: `m-${n}`,
          source,
          content: shapes[shape]?.(n) ?? '',
          timestamp: `2026-02-01T10:0${minute}:00Z`,
        }))
        const ids: string[] = []
        for (const [n, message] of lines.entries()) {
          const { session = 0, isSealed } = made[n] ?? {}
          const level = isSealed ? { sensitivity: 'sensitive' as const } : {}
          ids.push((await book.conversation.store({ session: `s-${session}`, message, ...level })).id ?? '')
        }
        const gone = new Map<number, 'forget' | 'purge'>()
        for (const { what, at } of [
          ...todo,
          { what: 'archive' as const, at: 0 },
          { what: 'archive' as const, at: 1 },
        ]) {
          const n = at % lines.length
          if (what === 'archive') await book.conversation.archive({ session: `s-${at % 2}` })
          if (what === 'archive-late')
            await book.tasks.add({ capability: 'ks:archive_episode', input: { session: `s-${at % 2}` } })
          if (what === 'learn')
            await book.conversation.updateProfile({ history: lines.filter((_line, i) => !gone.has(i)) })
          if (what === 'answer' && !gone.has(n)) {
            const episodes = (await book.conversation.episodes()).records.map(({ id }) => id)
            await book.conversation.cacheAnswer({
              question: `What of number ${n}?`,
              answer: lines.flatMap(({ content }, i) => (gone.has(i) ? [] : [content])).join(' '),
              records: [...ids.filter((_id, i) => !gone.has(i)), ...episodes],
            })
          }
          if (what === 'idle') await pass()
          if (what === 'forget' || what === 'purge') {
            await book.records[what]({ id: ids[n] ?? '', cascade: at > 4 })
            gone.set(n, what === 'purge' ? what : (gone.get(n) ?? what))
            // At once, and not only when it was told anew.
            const asked = [
              (await book.recall({ text: word(n), limit: 50 })).hits,
              (await book.conversation.recall({ query: word(n) })).messages,
              (await book.records.query({ limit: 1000 })).records,
              (await book.conversation.profile({ user_id: 'ann' })).profile,
              (await book.conversation.cachedAnswer({ question: `What of number ${n}?` })).answer,
              (await book.context({ text: word(n) })).text,
            ]
            expect(JSON.stringify(asked)).not.toContain(word(n))
          }
        }
        await pass(60_000)
        const live = (await book.records.query({ limit: 1000 })).records
        const histories = await Promise.all(live.map(({ id }) => book.records.history({ id })))
        const plain = site.text() + JSON.stringify([live, histories])
        const indexed = site.engine.store.db.all<{ term: string }>('SELECT term FROM text_words')
        const words = new Set(indexed.map(({ term }) => term))
        for (const [n, how] of gone) {
          expect(plain).not.toContain(word(n))
          if (how === 'purge') expect(words).not.toContain(word(n).toLowerCase())
        }
        // What was not forgotten is still told: an episode is there for each session that has messages.
        const left = new Set(made.flatMap(({ session }, n) => (gone.has(n) ? [] : [`s-${session}`])))
        const told = new Set(live.flatMap((one) => (one.kind === 'episode' ? [one.session] : [])))
        expect(told).toEqual(left)
        expect(site.engine.store.db.all('SELECT * FROM outdated')).toEqual([])
        await book.close()
      }),
      { numRuns: 25 },
    )
  })
})
