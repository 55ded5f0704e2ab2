// Secrets of known form in the lines of a history: no model on another machine gets them, and nothing derived has them in clear.
import { afterEach, describe, expect, test } from 'vitest'
import { defined } from '../../../../src/core/defined.ts'
import type { Llm } from '../../../../src/core/ports.ts'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, lasting, memory, openSite } from './site.ts'

afterEach(closeSites)

const source = { type: 'User', id: 'ann', name: 'Ann' }
const reply = { content: 'Good, the garden wall waits for its bricks.', source: 'assistant' }
const cases = [
  { secret: 'Xylophone77Quokka', content: 'My password: Xylophone77Quokka please remember it' },
  { secret: 'zebrafishQ9', content: 'use postgres://app:zebrafishQ9@db.other/main ok' },
]

/** A model that repeats all that it reads, word by word. `sees`: the texts that it got. */
function parrot(takesSensitive?: boolean): { readonly llm: Llm; readonly sees: string[] } {
  const sees: string[] = []
  const llm: Llm = {
    name: 'api|test',
    limitChars: 24_000,
    ...defined({ takesSensitive }),
    async answer({ instruction, text }) {
      sees.push(text)
      const words = text.split(/[\s:@/]+/).filter((word) => word.length > 5)
      if (instruction.includes('Summarise'))
        return JSON.stringify({ summary: words.join(' '), keywords: words.slice(0, 30) })
      if (instruction.includes('memory of an assistant')) {
        const quote = text.split('\n')[1]?.replace(/^\w+: /, '') ?? ''
        const facts = words.map((value, i) => ({ attribute: `note ${i}`, value, quote }))
        return JSON.stringify({ facts })
      }
      return JSON.stringify({ memory_type: 'semantic', reason: 'It says so.' })
    },
  }
  return { llm, sees }
}

const models = [
  { model: 'no model', makeModel: () => ({ llm: undefined, sees: [] as string[] }) },
  { model: 'a model elsewhere', makeModel: () => parrot() },
  { model: 'a model that takes sensitive texts', makeModel: () => parrot(true) },
]

describe.each(models)('a line with a secret, with $model', ({ makeModel }) => {
  test.each(cases)('is in no episode or profile in clear: $content', async ({ secret, content }) => {
    const { llm, sees } = makeModel()
    const site = openSite(createTestTime().ports, {
      vault: openNodeVault(undefined),
      ...defined({ llm }),
    })
    const history = [{ content, source }, reply]
    const { episodeId: id = '' } = await site.book.conversation.archive({ session: 's-1', history })
    expect((await site.book.records.get({ id }))?.['keywords']).not.toEqual([])
    await site.book.conversation.updateProfile({ history })
    expect(JSON.stringify(await site.book.records.query({ limit: 100 }))).not.toContain(secret)
    expect(sees.join()).not.toContain(secret)
    expect(site.text()).not.toContain(secret)
  })
})

describe('a model elsewhere', () => {
  test.each(cases)('gets no history or text with a secret: $content', async ({ content }) => {
    const { llm, sees } = parrot()
    const { book } = openSite(createTestTime().ports, { vault: openNodeVault(undefined), llm })
    const degraded = expect.stringContaining('llm.sensitive') as string
    const history = [{ content, source }, reply]
    expect(await book.conversation.archive({ session: 's-1', history })).toMatchObject({
      method: 'extractive',
      degraded,
    })
    expect(await book.conversation.updateProfile({ history })).toMatchObject({ method: 'patterns', degraded })
    expect(await book.memories.classify({ content })).toMatchObject({ by: 'patterns', degraded })
    expect(sees).toEqual([])
  })

  test('gets no day with a secret that was stored without a scan', async () => {
    const [{ content } = { content: '' }] = cases
    const { ports } = createTestTime()
    const db = memory()
    const before = openSite(ports, { db: lasting(db), secrets: 'off' })
    const { scope } = await before.book.personas.register({ name: 'Alice' })
    await before.book.with(scope).conversation.store({ message: { content, source } })
    await before.book.close()
    const { llm, sees } = parrot()
    const { book } = openSite(ports, { db: lasting(db), llm })
    expect((await book.days.sundown({ persona: 'Alice' })).degraded?.join()).toContain('llm.sensitive')
    expect(sees).toEqual([])
  })

  test('gets every line where the owner wants no scan', async () => {
    const [{ secret, content } = { secret: '', content: '' }] = cases
    const { llm, sees } = parrot()
    const { book } = openSite(createTestTime().ports, { llm, secrets: 'off' })
    await book.conversation.archive({ session: 's-1', history: [{ content, source }, reply] })
    expect(sees.join()).toContain(secret)
  })
})

test('the episode of a stored message with a secret is sealed', async () => {
  const [{ secret, content } = { secret: '', content: '' }] = cases
  const site = openSite(createTestTime().ports, { vault: openNodeVault(undefined) })
  await site.book.conversation.store({ session: 's-1', message: { content, source } })
  const { episodeId: id = '' } = await site.book.conversation.archive({ session: 's-1' })
  const episode = await site.book.records.get({ id })
  expect(episode?.sensitivity).toBe('sensitive')
  expect(JSON.stringify(episode)).toContain(secret)
  expect(site.text()).not.toContain(secret)
})
