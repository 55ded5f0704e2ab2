// Language models for a book in a page: the browser's own, through the page, and one over HTTP, from the worker.
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createBrowserLlm } from '../../src/hosts/browser/model/browser-llm.ts'
import { createPageModel } from '../../src/hosts/browser/model/built-in-model.ts'
import type { BrowserLlmOptions } from '../../src/hosts/browser/worker-message.ts'
import { builtInModel, type Daybook, openDaybook } from '../../src/index.ts'
import { failure } from '../contract/book-case.ts'
import { llmContract, plannedAnswer } from '../contract/memory/llm.ts'
import {
  createFakeLanguageModel,
  type FakeLanguageModel,
  quotaChars,
} from '../support/server/fake-language-model.ts'

const page = globalThis as { LanguageModel?: FakeLanguageModel | undefined }
let model = createFakeLanguageModel()
let books: Daybook[] = []
/** Opened once: opening a book takes longer than all that is done with it here. */
let shared: Promise<Daybook> | undefined

beforeEach(() => {
  page.LanguageModel = model = createFakeLanguageModel()
})
afterEach(async () => {
  for (const book of books) await book.close()
  books = []
  // What the shared book has open belongs to a model that is no more.
  model.crash()
  page.LanguageModel = undefined
})
afterAll(async () => (await shared)?.close())

const sharedBook = () =>
  (shared ??= openDaybook({ name: `llm-${crypto.randomUUID()}`, llm: { provider: 'browser' } }))

async function open(llm: BrowserLlmOptions, name = `llm-${crypto.randomUUID()}`): Promise<Daybook> {
  const book = await openDaybook({ name, llm })
  books.push(book)
  return book
}

const history = (topic: string) => [{ content: `The ${topic} is on Monday.`, source: { User: 'ann' } }]
const says = (summary: string) => JSON.stringify({ summary, keywords: ['monday'] })
const hang = () => new Promise<string>(() => undefined)

llmContract("the browser's own", {
  open(plan, deadlineMs) {
    model.reply = {
      answer: () => plannedAnswer,
      nothing: () => '',
      fail: () => Promise.reject(new DOMException('No.', 'OperationError')),
      hang,
      flood: () => 'x'.repeat(1_000_000),
    }[plan]
    const own = createPageModel({})
    const llm = createBrowserLlm(
      { provider: 'browser', deadlineMs },
      { ...own, key: () => Promise.reject(new Error('no key')) },
    )
    if (!llm) throw new Error('no model')
    return Promise.resolve(llm)
  },
})

describe("the browser's own model", () => {
  it('tells episodes, each in a session that saw nothing else, and lets go of all of them', async () => {
    model.reply = (text) => says(text.includes('audit') ? 'An audit was planned.' : 'A party was planned.')
    const book = await open({ provider: 'browser' })
    for (const topic of ['audit', 'party'])
      expect(await book.conversation.archive({ history: history(topic) })).toMatchObject({
        method: 'abstractive',
      })
    const { records } = await book.conversation.episodes()
    expect(records.map(({ summary }) => summary).toSorted()).toEqual([
      'A party was planned.',
      'An audit was planned.',
    ])
    expect(model.asked.map(({ before }) => before)).toEqual([0, 0])
    expect(model.asked[1]?.text).not.toContain('audit')
    expect(model.asked[0]?.instruction).toContain('Summarise the conversation')
    // One session with the instruction is kept for the next question; those of the questions are gone.
    expect([model.created, model.live]).toEqual([1, 1])
    await book.close()
    await expect.poll(() => model.live).toBe(0)
  })

  it('serves the other tabs of the book too', async () => {
    model.reply = () => says('Told for a follower.')
    const name = `llm-${crypto.randomUUID()}`
    await open({ provider: 'browser' }, name)
    const follower = await open({ provider: 'none' }, name)
    expect(await follower.conversation.archive({ history: history('audit') })).toMatchObject({
      method: 'abstractive',
    })
  })

  it('is asked again when the browser has ended its session', async () => {
    model.reply = () => says('Told.')
    const book = await sharedBook()
    await book.conversation.archive({ history: history('concert') })
    model.crash()
    expect(await book.conversation.archive({ history: history('picnic') })).toMatchObject({
      method: 'abstractive',
    })
    expect(model.created).toBe(2)
  })

  it('is stood in for, and that is said, when there is none or it gives nothing of use', async () => {
    const book = await sharedBook()
    const cases: [arrange: () => void, reason: RegExp][] = [
      [() => (page.LanguageModel = undefined), /has no language model/],
      [() => (model.state = 'unavailable'), /has no language model/],
      [() => (model.state = 'downloadable'), /downloadable/],
      [() => (model.state = 'downloading'), /downloading/],
      [() => (model.reply = () => Promise.reject(quota())), /too long/],
      [() => (model.reply = () => 'Sure!'), /not JSON/],
    ]
    for (const [i, [arrange, reason]] of cases.entries()) {
      model.crash()
      page.LanguageModel = model = createFakeLanguageModel()
      arrange()
      expect(await book.conversation.archive({ history: history(`meeting ${i}`) })).toMatchObject({
        method: 'extractive',
        degraded: expect.stringMatching(reason) as string,
      })
      // Nothing was fetched behind the user's back.
      expect(model.created).toBe(model.state === 'available' && page.LanguageModel ? 1 : 0)
    }
  })

  it('is fetched when the page asks for it, with progress, and then used', async () => {
    model.state = 'downloadable'
    model.reply = () => says('Told.')
    const book = await sharedBook()
    const shares: number[] = []
    expect(await builtInModel.availability()).toBe('downloadable')
    await builtInModel.download({ onProgress: (share) => shares.push(share) })
    expect(shares).toEqual([0, 0.5, 1])
    expect([await builtInModel.availability(), model.live]).toEqual(['available', 0])
    expect((await book.conversation.archive({ history: history('regatta') })).method).toBe('abstractive')
    expect((await failure(builtInModel.download({ signal: AbortSignal.abort() }))).code).toBe('aborted')
    page.LanguageModel = undefined
    expect(await builtInModel.availability()).toBe('unavailable')
    expect((await failure(builtInModel.download())).code).toBe('model-unavailable')
  })

  it('is told when nobody waits for its answer any more', async () => {
    const heard = Promise.withResolvers<AbortSignal | undefined>()
    model.reply = (_text, signal) => {
      heard.resolve(signal)
      return hang()
    }
    const book = await sharedBook()
    const abort = new AbortController()
    const archived = failure(
      book.conversation.archive({ history: history('retreat') }, { signal: abort.signal }),
    )
    const signal = await heard.promise
    abort.abort()
    expect((await archived).code).toBe('aborted')
    await expect.poll(() => signal?.aborted).toBe(true)
    expect(
      (await book.conversation.episodes({ filters: { summary: { contains: 'retreat' } } })).records,
    ).toEqual([])
  })

  it('gets long histories in parts that it can take', async () => {
    model.reply = (text) => (text.length > quotaChars ? Promise.reject(quota()) : says('A part.'))
    const book = await sharedBook()
    const long = Array.from({ length: 40 }, (_, i) => ({ content: `Line ${i}. ${'word '.repeat(200)}` }))
    expect((await book.conversation.archive({ history: long })).method).toBe('abstractive')
    expect(model.asked.length).toBeGreaterThan(5)
  })
})

describe('a model over HTTP in a page', () => {
  const url = `${location.origin}/test-model/v1`

  it('is asked from the worker, with a key or with one that the page fetches', async () => {
    for (const key of ['test-key', () => Promise.resolve('test-key')]) {
      const book = await open({ provider: 'api', url, model: 'm', key })
      expect(await book.conversation.archive({ history: history('audit') })).toMatchObject({
        method: 'abstractive',
      })
      expect((await book.conversation.episodes()).records[0]?.summary).toBe('Told by m over HTTP.')
    }
  })

  it('is stood in for when it lets nobody in, and refused when it can be none', async () => {
    const book = await open({ provider: 'api', url, model: 'm', key: 'wrong' })
    expect(await book.conversation.archive({ history: history('audit') })).toMatchObject({
      method: 'extractive',
      degraded: expect.stringContaining('401') as string,
    })
    const refused = [
      [{ provider: 'api', url: 'http://example.org', model: 'm' }, 'llm.url'],
      [{ provider: 'oracle' } as unknown as BrowserLlmOptions, 'llm.provider'],
    ] as const
    for (const [llm, path] of refused)
      expect(await failure(open(llm))).toMatchObject({ code: 'invalid-input', details: { path } })
  })
})

const quota = () => new DOMException('Too large.', 'QuotaExceededError')
