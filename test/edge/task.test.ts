// The task queue at the edge, where objects and their timers are thrown away; and the edge's language model.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { edgeLlm } from '../../src/edge/edge-models.ts'
import type { EdgeEnv } from '../../src/edge/edge-env.ts'
import { failure } from '../contract/book-case.ts'
import { newBook, run } from './http/http.ts'

const stubOf = (book: string) => env.MIRROR.getByName(book)
/** Looks into the database without opening the book: that alone would set its tasks going. */
const look = (book: string, sql: string) =>
  runInDurableObject(stubOf(book), (_object, { storage }) => [...storage.sql.exec(sql)])
const alarmOf = (book: string) =>
  runInDurableObject(stubOf(book), (_object, { storage }) => storage.getAlarm())

const message = (content: string) => ({ message: { id: content, content } })
const put = (book: string, content: string, delaySeconds: number) =>
  run<{ id: string }>(book, 'task:add', {
    capability: 'ks:store',
    input: message(content),
    delaySeconds,
  })

describe('tasks at the edge', () => {
  it('are made when they are due though their object was thrown away, by the alarm', async () => {
    const book = newBook()
    await put(book, 'soon', 1)
    await put(book, 'in an hour', 3600)
    const before = (await alarmOf(book)) ?? 0
    expect(before - Date.now()).toBeLessThan(2000)
    await evictDurableObject(stubOf(book))
    const states = 'SELECT state FROM tasks ORDER BY n'
    await expect.poll(() => look(book, states)).toEqual([{ state: 'done' }, { state: 'waiting' }])
    expect(await look(book, "SELECT seq FROM records WHERE kind = 'message'")).toHaveLength(1)
    // Then it rings for the other one.
    await expect.poll(() => alarmOf(book)).toBeGreaterThan(Date.now() + 3_000_000)
    expect((await alarmOf(book)) ?? 0).toBeLessThan(Date.now() + 3_700_000)
  })

  it('that ran when their object was thrown away are made again', async () => {
    const book = newBook()
    const { id } = await put(book, 'cut', 3600)
    const at = new Date(Date.now() + 500).toISOString()
    await runInDurableObject(stubOf(book), async (_object, { storage }) => {
      storage.sql.exec(
        "UPDATE tasks SET state = 'running', owner = 'gone', attempts = 1, lease_until = ? WHERE id = ?",
        at,
        id,
      )
      await storage.deleteAlarm()
    })
    await evictDurableObject(stubOf(book))
    // Any call sets the alarm anew; what was left behind is taken up at once.
    await run(book, 'daybook:status')
    await expect.poll(() => run(book, 'task:get', { id })).toMatchObject({ state: 'done', attempts: 2 })
  })

  it('ring once a day when there is nothing to do', async () => {
    const book = newBook()
    await run(book, 'ks:store', message('hello'))
    const at = (await alarmOf(book)) ?? 0
    expect(Math.abs(at - Date.now() - 86_400_000)).toBeLessThan(60_000)
  })
})

describe('a language model at the edge', () => {
  const settings: Partial<EdgeEnv> = {
    DAYBOOK_LLM_MODEL: 'm',
    DAYBOOK_LLM_URL: 'https://model.example/v1',
    DAYBOOK_LLM_KEY: 'k',
  }
  /** The environment is one object for all that runs here. */
  const archive = (book: string, more: Partial<EdgeEnv>) =>
    runInDurableObject(stubOf(book), async (object) => {
      const own = (object as unknown as { env: Record<string, unknown> }).env
      Object.assign(own, more)
      const history = [{ content: 'The audit is in March.', source: { User: 'ann' } }]
      const answer = await object.call('ks:archive_episode', { history })
      for (const name of Object.keys(more)) Reflect.deleteProperty(own, name)
      return answer
    })

  it('tells episodes when the deployment names one', async () => {
    const answer = { choices: [{ message: { content: '{"summary":"Told at the edge."}' } }] }
    const fetched = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation(() => Promise.resolve(Response.json(answer)))
    try {
      const book = newBook()
      expect(await archive(book, settings)).toMatchObject({ ok: true, value: { method: 'abstractive' } })
      expect(fetched.mock.calls[0]?.[0]).toBe('https://model.example/v1/chat/completions')
      const { records } = await run<{ records: { summary: string }[] }>(book, 'ks:list_episodes')
      expect(records[0]?.summary).toBe('Told at the edge.')
    } finally {
      fetched.mockRestore()
    }
  })

  it('is none by default, and says what is wrong when it is configured wrongly', async () => {
    expect(edgeLlm(env)).toBeUndefined()
    const wrong = edgeLlm({ ...env, DAYBOOK_LLM_MODEL: 'm', DAYBOOK_LLM_URL: 'ftp://x' })
    const error = await failure(
      wrong?.answer({ instruction: '', text: '' }, new AbortController().signal) ?? Promise.resolve(),
    )
    expect([error.code, error.retry]).toEqual(['model-unavailable', false])
    expect(error.message).toContain('llm.url')
  })
})
