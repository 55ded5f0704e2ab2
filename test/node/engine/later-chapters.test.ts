// Verbs that are loaded when needed, as in a browser's worker: the same verbs and kinds, whatever is loaded when.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { laterVerbFile, laterVerbText } from '../../../scripts/list-later-verbs.mjs'
import { capabilityTable, chapterPorts, kinds } from '../../../src/engine/capability-table.ts'
import { longestLoadMs } from '../../../src/core/load-part.ts'
import type { TaskEntry } from '../../../src/core/capability/task.ts'
import type { Engine, EngineOptions } from '../../../src/engine/engine.ts'
import { chapterList, createLaterTable, type LaterChapter } from '../../../src/engine/later-chapters.ts'
import { openEngine } from '../../../src/engine/open-engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { createTestTime } from '../../support/test-engine.ts'

let opened: Engine | undefined
afterEach(() => opened?.close())

const laterChapters = createLaterTable(chapterList, nodePorts.scheduler)

/** An engine whose later chapters are loaded through `load`. */
function openLater(
  load: (chapter: LaterChapter) => ReturnType<LaterChapter['load']>,
  { db = openNodeDatabase({ path: ':memory:' }), ports = nodePorts }: Partial<EngineOptions> = {},
): Engine {
  const chapters = chapterList.map((chapter) =>
    'load' in chapter ? { ...chapter, load: () => load(chapter) } : chapter,
  )
  opened = openEngine(
    {
      db,
      ports,
      name: 'later',
      scope: { agent: 'tutor' },
      durability: 'memory',
    },
    createLaterTable(chapters, ports.scheduler),
  )
  return opened
}

const memory = { content: 'Prefers the morning', category: 'a2p:preferences' }
const store = (engine: Engine) => engine.call('a2p:store_memory', memory)
const count = async (engine: Engine) =>
  ((await engine.call('daybook:status', {})) as { records: Record<string, number> }).records['memory'] ?? 0

it('lists the facts of each later verb as its chapter declares them', async () => {
  expect(readFileSync(laterVerbFile, 'utf8'), 'Run `node scripts/list-later-verbs.mjs`.').toBe(
    await laterVerbText(),
  )
})

it('has the verbs, kinds and ports of the whole table, in its order', () => {
  const facts = (verbs: typeof laterChapters.facts) =>
    verbs.map(({ id, methods, effect, repeatable, isQueued, secrets }) => ({
      id,
      methods,
      effect,
      repeatable,
      isQueued,
      secrets,
    }))
  expect(facts(laterChapters.facts)).toEqual(facts(capabilityTable))
  expect([...laterChapters.kinds]).toEqual([...kinds])
  expect(Object.keys(laterChapters.ports.read)).toEqual(Object.keys(chapterPorts.read))
  expect(Object.keys(laterChapters.ports.write)).toEqual(Object.keys(chapterPorts.write))
})

it('loads a chapter once for calls that come together, and answers each', async () => {
  const loads: string[] = []
  const engine = openLater((chapter) => {
    loads.push(chapter.name)
    return chapter.load()
  })
  await expect(count(engine)).resolves.toBe(0)
  expect(loads).toEqual([])
  const page = { limit: 1 }
  const [stored, list] = await Promise.all([store(engine), engine.call('a2p:query_memories', page)])
  expect(stored).toMatchObject({ id: expect.any(String) as string })
  expect(list).toBeDefined()
  await store(engine)
  expect(loads).toEqual(['consent'])
})

it('stores nothing where a file can’t be loaded, says so, and tries again at the next call', async () => {
  let isOffline = true
  const engine = openLater((chapter) =>
    isOffline ? Promise.reject(new TypeError('Failed to fetch')) : chapter.load(),
  )
  const refused = { code: 'part-unavailable', retry: true, details: { chapter: 'consent' } }
  const both = await Promise.allSettled([store(engine), store(engine)])
  expect(both).toMatchObject([{ reason: refused }, { reason: refused }])
  await expect(engine.call('daybook:status', {})).resolves.toBeDefined()
  expect(await count(engine)).toBe(0)
  isOffline = false
  await store(engine)
  expect(await count(engine)).toBe(1)
})

it('knows an unknown verb from one that is not loaded', async () => {
  const engine = openLater((chapter) => chapter.load())
  await expect(engine.call('a2p:nothing', {})).rejects.toMatchObject({ code: 'unknown-capability' })
  expect(() => engine.check('a2p:store_memory', { role: 'owner' })).toThrow(
    expect.objectContaining({ code: 'part-unavailable' }) as Error,
  )
})

it('loads a verb that a call queues, and queues it once', async () => {
  const engine = openLater((chapter) => chapter.load())
  const task = { capability: 'a2p:maintain', input: {}, delaySeconds: 3600 }
  const { id } = (await engine.call('task:add', task)) as { id: string }
  const { tasks } = (await engine.call('task:list', {})) as { tasks: { id: string; capability: string }[] }
  expect(tasks).toMatchObject([{ id, capability: 'a2p:maintain' }])
  const wrong = engine.call('task:add', { capability: 'archive:put', input: { keep: 'many' } })
  await expect(wrong).rejects.toMatchObject({ code: 'invalid-input' })
})

it('keeps a task whose file can’t be loaded, and runs it when the file is back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-later-'))
  const path = join(folder, 'later.daybook')
  const say = (session: string, content: string) => ({ session, messages: [{ source: 'user', content }] })
  const before = openLater((chapter) => chapter.load(), { db: openNodeDatabase({ path }) })
  await before.call('ks:store_messages', say('garden', 'Tulips grow on the balcony.'))
  const { results } = (await before.call('ks:store_messages', say('garden', 'Roses are for Anna.'))) as {
    results: { id: string }[]
  }
  await before.call('ks:archive_episode', { session: 'garden' })
  before.close()

  let isOffline = true
  const { ports, pass } = createTestTime(Date.now() + 3_600_000)
  const engine = openLater(
    (chapter) =>
      isOffline && chapter.name === 'conversation'
        ? Promise.reject(new TypeError('Failed to fetch'))
        : chapter.load(),
    { db: openNodeDatabase({ path }), ports },
  )
  await engine.call('kstar:forget', { id: results[0]?.id })
  await pass(600_000)
  const tasks = async () => ((await engine.call('task:list', {})) as { tasks: TaskEntry[] }).tasks
  expect(await tasks()).toMatchObject([
    { capability: 'ks:rebuild', state: 'waiting', attempts: 0, error: { code: 'part-unavailable' } },
  ])
  isOffline = false
  await pass(60_000)
  expect(await tasks()).toMatchObject([{ capability: 'ks:rebuild', state: 'done' }])
  const episodes = JSON.stringify(await engine.call('ks:list_episodes', {}))
  expect(episodes).toContain('Tulips')
  expect(episodes).not.toContain('Anna')
  engine.close()
  rmSync(folder, { recursive: true })
})

it('says that a file which does not arrive can’t be loaded, and uses it once it arrives', async () => {
  const { ports, pass } = createTestTime()
  const arrival = Promise.withResolvers<undefined>()
  const engine = openLater((chapter) => arrival.promise.then(() => chapter.load()), { ports })
  const late = Promise.allSettled([store(engine)])
  await pass(longestLoadMs)
  const reason = { code: 'part-unavailable', retry: true, details: { chapter: 'consent' } }
  expect(await late).toMatchObject([{ reason }])
  const waiting = store(engine)
  arrival.resolve(undefined)
  await waiting
  expect(await count(engine)).toBe(1)
})

it('ends a call that is aborted while its file loads', async () => {
  const engine = openLater(() => new Promise(() => undefined))
  const abort = new AbortController()
  const call = engine.call('a2p:maintain', {}, { signal: abort.signal })
  abort.abort()
  await expect(call).rejects.toMatchObject({ code: 'aborted' })
})

it('loads all chapters one after another, and ends at one that fails', async () => {
  const loads: string[] = []
  let isOffline = true
  const chapters = chapterList.map((chapter) =>
    'load' in chapter
      ? {
          ...chapter,
          load: () => {
            loads.push(chapter.name)
            return isOffline && loads.length === 3 ? Promise.reject(new Error('offline')) : chapter.load()
          },
        }
      : chapter,
  )
  const names = chapterList.filter((chapter) => 'load' in chapter).map(({ name }) => name)
  const table = createLaterTable(chapters, nodePorts.scheduler)
  await table.loadAll()
  expect(loads).toEqual(names.slice(0, 3))
  expect(() => table.find('inbox:send')).toThrow(expect.objectContaining({ code: 'part-unavailable' }))
  isOffline = false
  await table.loadAll()
  expect(loads).toEqual([...names.slice(0, 3), ...names.slice(2)])
  expect(table.find('inbox:send').id).toBe('inbox:send')
})
