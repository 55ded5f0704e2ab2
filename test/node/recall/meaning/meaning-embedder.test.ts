// The embedder `meaning` in a book: when it reads its table, what it says of a wrong one, and texts it does not know.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { EmbedStatus } from '../../../../src/core/capability/status.ts'
import type { RecallResult } from '../../../../src/core/capability/port/recall-port.ts'
import { DaybookError } from '../../../../src/core/errors.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { nodeEmbedderHost } from '../../../../src/hosts/node/model/node-embedder.ts'
import { createModelEmbedder, embedderSource } from '../../../../src/recall/embed/create-embedder.ts'
import {
  embedderName,
  type EmbedderOptions,
  type MeaningOptions,
  parseEmbedderOptions,
} from '../../../../src/recall/embed/embedder-options.ts'
import { packagedTable } from '../../../../src/recall/embed/meaning/packaged-table.ts'
import type { TableHost, TableRequest } from '../../../../src/recall/embed/meaning/table-host.ts'
import { embedderContract, failure } from '../../../contract/embedder.ts'
import { smallTable, tableFile } from '../../../support/meaning-table.ts'
import { openTestEngine, type TestEngine } from '../../../support/test-engine.ts'
import { ids, keptDatabase, plain } from '../embedding-case.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-meaning-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const opened: TestEngine[] = []
afterEach(() => opened.splice(0).forEach(({ engine }) => engine.close()))

/** Words of one meaning have one row. */
const { name: model, dimensions } = packagedTable
const groups = [
  ['car', 'automobile'],
  ['physician', 'hospital'],
  ['fix', 'repair'],
  ['the', 'an'],
]
const words = groups.flat()
const table = tableFile({
  name: model,
  vocabulary: words,
  scales: words.map(() => 0.01),
  rows: words.map((word) =>
    Array.from({ length: dimensions }, (_, i) => (groups[i]?.includes(word) === true ? 100 : 0)),
  ),
})

interface Host extends TableHost {
  reads: number
  read: (request: TableRequest) => Promise<Uint8Array>
}
const hostWith = (
  read: (request: TableRequest) => Promise<Uint8Array> = () => Promise.resolve(table),
): Host => ({
  reads: 0,
  read,
  readTable(request) {
    this.reads += 1
    return this.read(request)
  },
})

function openBook(tables: TableHost, db = keptDatabase(), more: Partial<MeaningOptions> = {}) {
  const options: MeaningOptions = { provider: 'meaning', model, minSimilarity: 0.5, ...more }
  const book = openTestEngine({ db, embedder: embedderSource(options, { ...nodeEmbedderHost, tables }) })
  opened.push(book)
  const { engine } = book
  return {
    ...book,
    store: (...goals: readonly string[]) =>
      engine.call('kstar:store_traces', { traces: goals.map((goal, i) => plain(`t-${i}`, goal)) }),
    recall: (text: string) => engine.call('daybook:recall', { text }) as Promise<RecallResult>,
    status: () => engine.call('embed:status', {}) as Promise<EmbedStatus>,
  }
}

embedderContract('meaning', () => {
  const path = join(folder, 'small.bin')
  writeFileSync(path, smallTable())
  return Promise.resolve(
    createModelEmbedder({ provider: 'meaning', path, model: 'small-1' }, nodeEmbedderHost),
  )
})

describe('when the table is read', () => {
  test('for the first text, once, and never in a book without texts and questions', async () => {
    const host = hostWith()
    const book = openBook(host)
    await book.pass()
    expect([host.reads, (await book.status()).state]).toEqual([0, 'ready'])
    await book.store('fix the automobile', 'an hospital')
    await book.pass()
    expect(ids(await book.recall('repair an car'))).toEqual(['t-0'])
    expect(host.reads).toBe(1)
    expect(await book.status()).toMatchObject({
      provider: 'meaning',
      model,
      fingerprint: `meaning|${model}|${dimensions}|true`,
      state: 'ready',
      embedded: 2,
      behind: 0,
    })
  })

  test('for the first question, or some time after the opening, when all records have vectors', async () => {
    const db = keptDatabase()
    const first = openBook(hostWith(), db)
    await first.store('fix the automobile')
    await first.pass()
    const host = hostWith()
    const asked = openBook(host, db)
    expect([(await asked.status()).state, host.reads]).toEqual(['working', 0])
    const { hits, degraded } = await asked.recall('repair an car')
    expect([hits[0]?.because.vector?.rank, degraded, host.reads]).toEqual([1, [], 1])
    const other = hostWith()
    const unasked = openBook(other, db)
    await unasked.pass()
    expect([(await unasked.status()).state, other.reads]).toEqual(['ready', 1])
  })

  test('a question that comes too early says that it is not loaded, which is no failure', async () => {
    const db = keptDatabase()
    const first = openBook(hostWith(), db)
    await first.store('fix the automobile')
    await first.pass()
    const arrival = Promise.withResolvers<Uint8Array>()
    const book = openBook(
      hostWith(() => arrival.promise),
      db,
    )
    const early = book.recall('automobile')
    await book.pass(900)
    const { hits, degraded } = await early
    expect([hits.length, degraded]).toEqual([1, [expect.stringContaining('Its table is not loaded yet.')]])
    const { state, why, lastError } = await book.status()
    expect([state, why, lastError]).toEqual(['working', 'Its table is not loaded yet.', undefined])
    arrival.resolve(table)
    await book.pass()
    expect((await book.recall('automobile')).degraded).toEqual([])
    expect((await book.status()).state).toBe('ready')
  })

  test('while it comes from afar, words answer, and that is no failure', async () => {
    const arrival = Promise.withResolvers<Uint8Array>()
    const book = openBook(
      hostWith(({ onProgress }) => {
        onProgress({ done: 1, total: 5, why: 'Its table is being loaded.' })
        return arrival.promise
      }),
    )
    await book.store('fix the automobile')
    await book.pass()
    expect(await book.status()).toMatchObject({
      state: 'waiting',
      why: 'Its table is being loaded.',
      behind: 1,
    })
    const early = await book.recall('automobile')
    expect([ids(early), early.degraded]).toEqual([['t-0'], ['vectors: Its table is being loaded.']])
    arrival.resolve(table)
    await book.pass()
    const { state, lastError } = await book.status()
    expect([state, lastError]).toEqual(['ready', undefined])
    expect((await book.recall('car')).degraded).toEqual([])
  })
})

test('a question that comes while the table can not, answers at once with the reason', async () => {
  const why = 'There is no connection.'
  const book = openBook(
    hostWith(({ onProgress }) => {
      onProgress({ done: 0, total: 0, why })
      return new Promise(() => undefined)
    }),
  )
  const { degraded } = await book.recall('automobile')
  expect(degraded).toHaveLength(1)
  expect(degraded[0]).toContain(`vectors: ${why}`)
  expect(degraded[0]).not.toContain('requestId')
})

test('many vectors need no timer, and calls are answered between their batches', async () => {
  const book = openBook(hostWith())
  const count = 3000
  for (let from = 0; from < count; from += 1000)
    await book.engine.call('kstar:store_traces', {
      traces: Array.from({ length: 1000 }, (_, i) => plain(`t-${from + i}`, 'fix the automobile')),
    })
  const seen = new Set<number>()
  const look = async () => {
    const { embedded } = await book.status()
    seen.add(embedded)
    return embedded
  }
  // Time passes until the first vectors are there, and no longer.
  for (let i = 0; i < 1000 && (await look()) === 0; i++) await book.pass(5)
  for (let i = 0; i < 1000 && (await look()) < count; i++) await new Promise(setImmediate)
  expect(await look()).toBe(count)
  expect(seen.size).toBeGreaterThan(3)
})

test('a time that the app sets for questions is waited for, also while the table comes from afar', async () => {
  const arrival = Promise.withResolvers<Uint8Array>()
  const tables = hostWith(({ onProgress }) => {
    onProgress({ done: 0, total: 0, why: 'Its table is being loaded.' })
    return arrival.promise
  })
  const book = openBook(tables, keptDatabase(), { questionDeadlineMs: 10_000 })
  const answer = book.recall('automobile')
  await book.pass(9000)
  arrival.resolve(table)
  // The question has its vector, but the book has no records.
  expect((await answer).degraded).toEqual(['vectors: those of this model are not made yet.'])
})

test('status under another embedder does not name the vectors of this one', async () => {
  const db = keptDatabase()
  const first = openBook(hostWith(), db)
  await first.store('fix the automobile')
  await first.pass()
  const other = openTestEngine({ db, embedder: embedderSource({ provider: 'lsa' }, nodeEmbedderHost) })
  opened.push(other)
  await other.pass()
  const { provider, fingerprint } = (await other.engine.call('embed:status', {})) as EmbedStatus
  expect([provider, fingerprint]).toEqual(['lsa', undefined])
})

describe('a table that is not right', () => {
  test('words answer, status and recall say what to do, and a later read makes it good', async () => {
    const host = hostWith(() => Promise.resolve(table.slice(0, -1)))
    const book = openBook(host)
    await book.store('fix the automobile')
    await book.pass()
    expect(await book.status()).toMatchObject({
      state: 'failing',
      behind: 1,
      lastError: { code: 'embedder-failed', message: expect.stringContaining('cut short') as string },
    })
    const { hits, degraded } = await book.recall('automobile')
    expect([hits.length, degraded[0]]).toEqual([1, expect.stringContaining('cut short')])
    host.read = () => Promise.resolve(table)
    await book.pass(600_000)
    const { state, lastError, embedded } = await book.status()
    expect([state, lastError, embedded]).toEqual(['ready', undefined, 1])
  })

  test('is tried again, later and later, and at once after a new opening', async () => {
    const db = keptDatabase()
    const host = hostWith(() => Promise.resolve(table.slice(1)))
    const book = openBook(host, db)
    await book.store('fix the automobile')
    await book.pass(8000)
    // At 0, 1, 3 and 7 seconds.
    expect(host.reads).toBe(4)
    host.read = () => Promise.resolve(table)
    const next = openBook(host, db)
    await next.pass()
    expect(await next.status()).toMatchObject({ state: 'ready', embedded: 1 })
    expect(host.reads).toBe(5)
  })

  test.each([
    ['cut', table.slice(0, -1), /cut short: it has \d+ of \d+ bytes\. Install the package again\./],
    [
      'damaged',
      table.map((byte, i) => (i === 99 ? byte ^ 1 : byte)),
      /damaged.* Install the package again\./,
    ],
    [
      'HTML',
      new TextEncoder().encode('\n<!doctype html><title>x</title>'),
      /web page .* Install the package/,
    ],
    ['empty', new Uint8Array(), /is no table of daybook\/meaning\. Install the package again\./],
  ])('%s: the error says what to do', async (_name, bytes, says) => {
    const book = openBook(hostWith(() => Promise.resolve(bytes)))
    await book.store('fix the automobile')
    await book.pass()
    expect((await book.status()).lastError?.message).toMatch(says)
  })

  test('one of another model', async () => {
    const book = openBook(hostWith(() => Promise.resolve(smallTable())))
    await book.store('fix the automobile')
    await book.pass()
    const message = `is of the model small-1, not of ${model}`
    expect((await book.status()).lastError?.message).toContain(message)
  })

  test('a host that stores copies can check them', async () => {
    const book = openBook(
      hostWith(({ check }) => {
        expect(() => check(table.slice(1))).toThrow(DaybookError)
        check(table)
        return Promise.resolve(table)
      }),
    )
    await book.store('fix the automobile')
    await book.pass()
    expect((await book.status()).state).toBe('ready')
  })
})

test('a text of which it knows too little is found by words, and status says how many there are', async () => {
  const book = openBook(hostWith())
  await book.store('fix the automobile', 'ลืมร่มไว้บนรถไฟ', 'שכחתי מטריה', 'car זכרתי לקנות לחם וחלב בבוקר')
  await book.pass()
  const { state, total, embedded, why } = await book.status()
  expect([state, total, embedded]).toEqual(['ready', 4, 4])
  expect(why).toMatch(/^3 records are found by words only/)
  expect(ids(await book.recall('מטריה'))).toEqual(['t-2'])
  expect(ids(await book.recall('car')).sort()).toEqual(['t-0', 't-3'])
})

test('a question in another language than English is answered by words alone', async () => {
  const book = openBook(hostWith())
  await book.store('fix the automobile', 'Das Auto ist repariert')
  await book.pass()
  const legs = async (text: string) =>
    (await book.recall(text)).hits.map(({ because }) => because.vector !== undefined)
  expect(await legs('repair the car')).toContain(true)
  expect(await legs('wo habe ich das car repariert')).not.toContain(true)
})

describe('options', () => {
  test.each([
    [{ url: '' }, 'embedder.url'],
    [{ url: 5 }, 'embedder.url'],
    [{ path: '' }, 'embedder.path'],
    [{ url: 'a.bin', path: 'a.bin' }, 'embedder.path'],
    [{ model: '' }, 'embedder.model'],
    [{ weight: -1 }, 'embedder.weight'],
    [{ minSimilarity: 2 }, 'embedder.minSimilarity'],
    [{ questionDeadlineMs: 0 }, 'embedder.questionDeadlineMs'],
    [{ dimensions: 8 }, 'embedder.dimensions'],
  ])('%j', (options, path) => {
    const wrong = { provider: 'meaning', ...options } as unknown as EmbedderOptions
    expect(() => parseEmbedderOptions(wrong)).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        details: expect.objectContaining({ path }) as object,
      }),
    )
  })

  test('the place of the table is no part of the name', () => {
    expect(embedderName({ provider: 'meaning', url: 'https://example.org/a.bin' })).toBe('meaning')
    expect(embedderName({ provider: 'meaning', model: 'm' })).toBe('meaning|m')
  })

  test('a host that reads no tables refuses it', () => {
    const { tables: _tables, ...host } = nodeEmbedderHost
    expect(() => embedderSource({ provider: 'meaning' }, host)).toThrow(
      expect.objectContaining({ code: 'invalid-input', details: { path: 'embedder.url' } }),
    )
  })
})

describe('in Node', () => {
  const embed = async (options: Omit<MeaningOptions, 'provider'>) => {
    const book = await openDaybook({
      name: 'b',
      path: ':memory:',
      embedder: { provider: 'meaning', model, ...options },
    })
    try {
      return await book.embedder.embed({ texts: ['the car', 'an automobile', '車'] })
    } finally {
      await book.close()
    }
  }

  test('a file by its path or its address', async () => {
    const path = join(folder, 'words ä.bin')
    writeFileSync(path, table)
    for (const place of [{ path }, { url: pathToFileURL(path).href }]) {
      const answer = await embed(place)
      const [first, second, third] = answer.embeddings
      expect([answer.dimensions, first]).toEqual([dimensions, second])
      expect(answer.unknown).toEqual([2])
      expect(third?.some((number) => number !== 0)).toBe(false)
    }
  })

  test('a file that is missing is named', async () => {
    const path = join(folder, 'missing.bin')
    const error = await failure(embed({ path }))
    expect(error).toMatchObject({ code: 'embedder-failed', retry: true })
    expect(error.message).toContain(`(ENOENT): ${path}. Put \`dist/meaning.bin\``)
  })

  test('an address without a server, or without the file, is named with the cause', async () => {
    const unreached = await failure(embed({ url: 'http://127.0.0.1:9/a.bin' }))
    expect(unreached.message).toMatch(/could not be fetched from http:\/\/127\.0\.0\.1:9\/a\.bin: \w/)
    const server = createServer((_request, response) => response.writeHead(500).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.bin`
    const broken = await failure(embed({ url }))
    server.close()
    expect(broken.message).toContain(`${url}: it answered with status 500.`)
    expect(broken.message).not.toContain('is not at')
  })

  test('a file that is repaired on the disk is read soon, without a call', async () => {
    const path = join(folder, 'repaired.bin')
    writeFileSync(path, table.slice(0, -9))
    const embedder: EmbedderOptions = { provider: 'meaning', model, path }
    const book = await openDaybook({ name: 'b', path: ':memory:', embedder })
    try {
      await book.perceptions.store({ content: 'fix the automobile' })
      const state = async () => (await book.embedder.status()).state
      await expect.poll(state, { timeout: 5000, interval: 20 }).toBe('failing')
      expect((await book.embedder.status()).lastError?.message).toContain(
        `Replace ${path} with \`dist/meaning.bin\``,
      )
      writeFileSync(path, table)
      await expect.poll(state, { timeout: 8000, interval: 20 }).toBe('ready')
    } finally {
      await book.close()
    }
  }, 20_000)
})
