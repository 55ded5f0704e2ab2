// Vectors of records at the edge: off unless the deployment says so, beside the writes, and going on after an object was
// thrown away.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { EmbedStatus } from '../../src/core/capability/status.ts'
import type { RecallResult } from '../../src/core/capability/port/recall-port.ts'
import type { EdgeEnv } from '../../src/edge/edge-env.ts'
import { Mirror } from '../../worker/mirror-object.ts'
import { meaningOf } from '../support/meaning-embedder.ts'
import { makeTrace } from '../support/trace.ts'
import { newBook } from './http/http.ts'

const AI: NonNullable<EdgeEnv['AI']> = {
  run: (_model, { text }) => Promise.resolve({ data: text.map((one) => [...meaningOf(one)]) }),
}
const trace = (id: string, goal: string) => ({
  ...makeTrace({ id, task: { goal } }),
  action: { type: 'note' },
})

/** A mirror with settings of its own, on the storage of a new book. */
function withMirror(
  settings: Partial<EdgeEnv>,
  work: (mirror: Mirror, again: () => Mirror, state: DurableObjectState) => Promise<void>,
): Promise<void> {
  return runInDurableObject(env.MIRROR.getByName(newBook()), (_object, state) => {
    const open = () => new Mirror(state, { ...env, ...settings })
    return work(open(), open, state)
  })
}
async function call<Value>(mirror: Mirror, id: string, input: unknown): Promise<Value> {
  const outcome = await mirror.call(id, input, {})
  if (!outcome.ok) throw new Error(outcome.error.message)
  return outcome.value as Value
}
const status = (mirror: Mirror) => call<EmbedStatus>(mirror, 'embed:status', {})
const isReady = (mirror: Mirror) =>
  vi.waitFor(async () => expect(await status(mirror)).toMatchObject({ state: 'ready', behind: 0 }), 30_000)

describe('vectors of records at the edge', () => {
  it('are off by default, whatever `POST /embed` has', () =>
    withMirror({ AI }, async (mirror) => {
      expect(await status(mirror)).toMatchObject({ provider: 'none', state: 'off' })
    }))

  it('follow the writes, and recall finds by meaning', () =>
    withMirror({ AI, DAYBOOK_EMBED_RECORDS: 'true' }, async (mirror) => {
      await call(mirror, 'kstar:store_trace', trace('t-1', 'ask a physician'))
      await call(mirror, 'kstar:store_trace', trace('t-2', 'count the salary'))
      await isReady(mirror)
      expect((await status(mirror)).fingerprint).toBe('workers-ai|@cf/baai/bge-small-en-v1.5|4|true')
      const { hits, degraded } = await call<RecallResult>(mirror, 'daybook:recall', { text: 'hospital' })
      expect([hits.map(({ record }) => record.id), degraded]).toEqual([['t-1'], []])
    }))

  it('are gone on with by the alarm when their object was thrown away', () =>
    withMirror({ AI, DAYBOOK_EMBED_RECORDS: 'true' }, async (mirror, again, { storage }) => {
      await call(mirror, 'kstar:store_trace', trace('t-1', 'ask a physician'))
      const [job] = storage.sql.exec("SELECT at_ms FROM due_jobs WHERE job = 'embed'").toArray()
      expect(Number(job?.['at_ms'])).toBeGreaterThan(Date.now() + 20_000)
      storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'embed'")
      const second = again()
      await second.alarm()
      expect(await status(second)).toMatchObject({ state: 'ready', embedded: 1 })
      expect(storage.sql.exec("SELECT job FROM due_jobs WHERE job = 'embed'").toArray()).toEqual([])
    }))

  it('that fail keep nothing from being stored or found, and are tried again later', () => {
    const broken = { run: () => Promise.reject(new Error('a secret')) }
    return withMirror({ AI: broken, DAYBOOK_EMBED_RECORDS: 'true' }, async (mirror, again, { storage }) => {
      await call(mirror, 'kstar:store_trace', trace('t-1', 'ask a physician'))
      await vi.waitFor(async () => expect((await status(mirror)).state).toBe('failing'), 30_000)
      const { hits, degraded } = await call<RecallResult>(mirror, 'daybook:recall', { text: 'physician' })
      expect([hits[0]?.record.id, degraded.length]).toEqual(['t-1', 1])
      expect(JSON.stringify([await status(mirror), degraded])).not.toContain('secret')
      storage.sql.exec("UPDATE due_jobs SET at_ms = 1 WHERE job = 'embed'")
      const second = again()
      await second.alarm()
      const [job] = storage.sql.exec("SELECT at_ms FROM due_jobs WHERE job = 'embed'").toArray()
      expect(Number(job?.['at_ms'])).toBeGreaterThan(Date.now() + 200_000)
    })
  })

  it.each([
    ['no embedder', {}, 'no embedder is'],
    ['no model', { DAYBOOK_EMBED_KEY: 'k' }, 'model'],
    ['no binding', { DAYBOOK_EMBED_PROVIDER: 'workers-ai' }, 'binding'],
    ['no address', { DAYBOOK_EMBED_PROVIDER: 'http' }, 'url'],
    ['no such provider', { DAYBOOK_EMBED_PROVIDER: 'magic' }, 'workers-ai'],
  ])('with %s say what the deployment lacks, and the book opens', (_what, settings, message) =>
    withMirror({ ...settings, DAYBOOK_EMBED_RECORDS: 'true' }, async (mirror) => {
      await call(mirror, 'kstar:store_trace', trace('t-1', 'ask a physician'))
      await vi.waitFor(async () => {
        const { state, lastError } = await status(mirror)
        expect([state, lastError?.message]).toEqual(['failing', expect.stringContaining(message)])
      }, 30_000)
    }),
  )
})
