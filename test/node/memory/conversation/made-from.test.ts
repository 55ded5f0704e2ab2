// What was made from records that are forgotten or sealed: over several copies of a book, after an upgrade, with a language
// model.
import { afterEach, describe, expect, test } from 'vitest'
import { defined } from '../../../../src/core/defined.ts'
import type { Carrier, Llm } from '../../../../src/core/ports.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, lasting, memory, openSite, type Site } from './site.ts'

const secret = 'The doctor said it is diabetes.'
const source = { type: 'User', id: 'ann', name: 'Ann' }
const said = [
  'The garden wall needs new bricks.',
  secret,
  'The bricks come on Monday.',
  'Then the wall is built.',
].map((content, i) => ({ id: `m-${i}`, source, content, timestamp: `2026-02-01T10:0${i}:00Z` }))

afterEach(closeSites)

/** A mirror and what opens devices of it, all in one time. */
function world() {
  const { ports, pass } = createTestTime()
  const edge = openSite(ports, { role: 'mirror', scope: { agent: 'edge' } })
  const mirror = new SyncMirror({ store: edge.engine.store, ...ports })
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
  const { episodeId: episode = '' } = await one.book.conversation.archive({ session: 's-1' })
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

describe('an episode that comes late, of a message that was forgotten before', () => {
  test('is read by no guest, by its id either, until it is told anew', async () => {
    const { device, pass } = world()
    const [one, two] = [device(), device()]
    const { results } = await one.book.conversation.storeMany({ session: 's-1', messages: said })
    await one.book.sync()
    await two.book.sync()
    const grant = { id: 'reader', agent: 'grader', scope: '**', permissions: ['read'] } as const
    const asGuest = (verb: string, input: object) => one.engine.call(verb, input, { grant })
    await one.book.records.forget({ id: results[1]?.id ?? '' })
    await one.book.sync()
    // It has not heard of that.
    const { episodeId: id = '' } = await two.book.conversation.archive({ session: 's-1' })
    await two.book.sync({ direction: 'push' })
    await one.book.sync()
    expect(JSON.stringify(await one.book.records.get({ id }))).toContain('doctor said')
    const read = async () => [
      await asGuest('kstar:get_record', { id }),
      await asGuest('kstar:query_memory', { filters: { id }, includeOutdated: true }),
    ]
    expect(await read()).toEqual([null, { records: [] }])
    await two.book.close()
    await pass(90_000)
    expect((await read())[0]).toMatchObject({ id, message_count: 3 })
    expect(JSON.stringify(await read())).not.toContain('doctor said')
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
    expect(answer.rebuilt).toHaveLength(1)
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
      ...defined({ takesSensitive }),
      async answer({ instruction, text }) {
        asked.push(text)
        const isSummary = instruction.includes('Summarise')
        return JSON.stringify(isSummary ? { summary: 'A talk.', keywords: [] } : { facts: [] })
      },
    }
    const { ports, pass } = createTestTime()
    return { asked, pass, ...openSite(ports, { llm, vault: openNodeVault(undefined) }) }
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

  test.each([
    { case: 'ends in a new line', stored: `${secret}\n`, line: `${secret}\n` },
    { case: 'has spaces around it', stored: ` ${secret} \n`, line: ` ${secret} \n` },
    { case: 'has a line break that its line lacks', stored: `${secret}\n`, line: secret },
    { case: 'lacks spaces that its line has', stored: secret, line: `  ${secret}\n` },
    { case: 'has other spaces in it', stored: secret, line: secret.replace(' said ', '\r\nsaid\u00a0 ') },
    { case: 'has another case', stored: secret, line: secret.toUpperCase() },
    { case: 'has other punctuation', stored: secret, line: '> "The doctor said: it is diabetes!"' },
    { case: 'lacks an invisible character', stored: secret, line: secret.replace('doctor', 'doc\u200btor') },
    { case: 'has letters of another width', stored: secret, line: secret.replace('doctor', 'ｄｏｃｔｏｒ') },
    { case: 'is a part of its line', stored: secret, line: `Well. ${secret} And now?` },
    { case: 'is short', stored: 'HIV', line: 'hiv.' },
    {
      case: 'has no spaces between words',
      stored: '我每天都吃糖尿病的药',
      line: '他说我每天都吃糖尿病的药。',
    },
    { case: 'has accents', stored: 'Je suis diabétique', line: 'je suis diabe\u0301tique !' },
  ])('is not asked about a sensitive message that $case', async ({ stored, line }) => {
    const { book, asked } = modelled(false)
    await book.conversation.store({ message: { content: stored, source }, sensitivity: 'sensitive' })
    const history = [{ content: line, source }]
    expect(await book.conversation.updateProfile({ history })).toMatchObject({ method: 'patterns' })
    expect(await book.conversation.archive({ history })).toMatchObject({ method: 'extractive' })
    expect(asked).toEqual([])
  })

  test('is not asked about a sensitive message of another time, unless it is short', async () => {
    const { book, asked } = modelled(false)
    const stored = [secret, 'Yes.'].map((content) => ({ content, source, timestamp: '2026-02-01T10:00:00Z' }))
    await book.conversation.storeMany({ messages: stored, sensitivity: 'sensitive' })
    const archive = (content: string, time: string) =>
      book.conversation.archive({ history: [{ content, source, timestamp: time }] })
    expect(await archive(secret, '2026-02-02T10:00:00Z')).toMatchObject({ method: 'extractive' })
    expect(await archive('Yes.', '2026-02-01T10:00:00Z')).toMatchObject({ method: 'extractive' })
    expect(asked).toEqual([])
    expect(await archive('Yes.', '2026-02-02T10:00:00Z')).toMatchObject({ method: 'abstractive' })
  })

  test.each([
    { stored: secret, line: 'The doctor said it is nothing.' },
    { stored: secret, line: 'it is diabetes' },
    { stored: 'Yes.', line: 'Yes, the wall is built.' },
    { stored: 'diabetes', line: 'A question about diabetes.' },
    { stored: 'Ill', line: "I'll" },
    { stored: '😀', line: '😡 no' },
  ])('is asked about $line beside the sensitive $stored', async ({ stored, line }) => {
    const { book, asked } = modelled(false)
    await book.conversation.store({ message: { content: stored, source }, sensitivity: 'sensitive' })
    expect(await book.conversation.archive({ history: [{ content: line, source }] })).toMatchObject({
      method: 'abstractive',
    })
    expect(asked).toHaveLength(1)
  })

  test('is asked to class no text of a sensitive record, unless it may', async () => {
    for (const may of [false, true]) {
      const { book, asked } = modelled(may)
      await book.perceptions.store({ content: 'Takes quokkaline at night', sensitivity: 'sensitive' })
      await book.memories.store({ content: 'Has had diabetes since May', category: 'a2p:health' })
      for (const content of ['takes quokkaline  at night', 'Ann: has had diabetes since May.'])
        expect(await book.memories.classify({ content })).toMatchObject({ by: 'patterns' })
      expect(asked).toHaveLength(may ? 2 : 0)
      await book.memories.classify({ content: 'Takes a walk at night' })
      expect(asked).toHaveLength(may ? 3 : 1)
    }
  })

  test('is asked about no text of a sensitive record of any kind, unless it may', async () => {
    const sensitivity = 'sensitive'
    const stores: Readonly<Record<string, (book: Site['book']) => Promise<unknown>>> = {
      'The bank account is empty now': (book) =>
        book.facts.store({ schema: 'x', data: { note: ['The bank account is empty now'] }, sensitivity }),
      'Order the medicine from the pharmacy': (book) =>
        book.traces.store({
          situation: { domain: 'home' },
          task: { goal: 'Order the medicine from the pharmacy' },
          action: { type: 'buy' },
          sensitivity,
        }),
      'Inject the insulin at dawn': (book) =>
        book.skills.store({
          name: 'dawn',
          definition: { procedure: 'Inject the insulin at dawn' },
          sensitivity,
        }),
      'The lab result came back': (book) =>
        book.inbox.send({ to: 'a', subject: 'q', text: 'The lab result came back', sensitivity }),
      'Takes quokkaline at night': (book) =>
        book.perceptions.store({ content: 'Takes quokkaline at night', sensitivity: 'restricted' }),
    }
    for (const may of [false, true]) {
      const { book, asked } = modelled(may)
      for (const [text, store] of Object.entries(stores)) {
        await store(book)
        const history = [{ content: `> ${text}!`, source }]
        await book.memories.classify({ content: text })
        await book.conversation.archive({ history })
        await book.conversation.updateProfile({ history })
        expect(asked.splice(0), text).toHaveLength(may ? 3 : 0)
      }
    }
  })

  test('is asked about a text that has only labels of a sensitive record', async () => {
    const { book, asked } = modelled(false)
    const message = { content: secret, source: { type: 'User', id: 'ann-7', name: 'Ann Marie Miller' } }
    await book.conversation.store({ message, sensitivity: 'sensitive' })
    await book.facts.store({
      schema: 'bank_account',
      data: { balance_of_june: 'low' },
      source: 'a letter of the bank',
      sensitivity: 'sensitive',
    })
    const content = 'Ann Marie Miller (ann-7) has a letter of the bank: bank account, balance of June.'
    await book.memories.classify({ content })
    expect(asked).toHaveLength(1)
  })

  test('is not asked about a stored message of a person that repeats a sensitive one of another', async () => {
    const { book, asked, pass } = modelled(false)
    await book.conversation.store({ message: { content: secret, source }, sensitivity: 'sensitive' })
    const messages = [secret, 'The wall is built.'].map((content, i) => ({
      id: `b-${i}`,
      content,
      source: 'Bob',
    }))
    const { results } = await book.conversation.storeMany({ session: 's-2', messages })
    expect(await book.conversation.archive({ session: 's-2' })).toMatchObject({ method: 'extractive' })
    // The episode is rebuilt from the first message.
    await book.records.forget({ id: results[1]?.id ?? '' })
    await pass()
    expect((await book.conversation.episodes()).records).toMatchObject([{ message_count: 1 }])
    expect(asked).toEqual([])
  })

  test('is not asked about a day with a thought that repeats a sensitive perception', async () => {
    const { book, asked } = modelled(false)
    await book.personas.register({ name: 'Ann', role: 'dev' })
    const { scope } = await book.sessions.start({ persona: 'Ann' })
    const ann = book.with(scope)
    await ann.turns.begin()
    await ann.thoughts.remember({ content: secret, context: 'critical' })
    await ann.turns.end()
    await book.perceptions.store({ content: secret, sensitivity: 'sensitive' })
    const { digest } = await ann.days.sundown()
    await ann.days.rebuild({ id: digest?.id ?? '', force: true })
    expect(asked).toEqual([])
  })

  test('is not asked about a sensitive message that later repetitions of another follow', async () => {
    const { book, asked } = modelled(false)
    await book.conversation.store({ message: { content: secret, source }, sensitivity: 'sensitive' })
    const messages = Array.from({ length: 1000 }, (_, i) => ({ id: `ok-${i}`, content: 'Okay.', source }))
    await book.conversation.storeMany({ messages: messages.slice(0, 500) })
    await book.conversation.storeMany({ messages: messages.slice(500) })
    const history = [secret, 'Okay.'].map((content) => ({ content, source }))
    expect(await book.conversation.updateProfile({ history })).toMatchObject({ method: 'patterns' })
    expect(await book.conversation.archive({ history })).toMatchObject({ method: 'extractive' })
    expect(asked).toEqual([])
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
