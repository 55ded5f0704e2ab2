// What a purge leaves behind: the files are read byte by byte, and the words must not be in them.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { makeKind, openTestStore } from '../../../support/test-store.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-purge-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** How often `word` stands in the files of the book, in UTF-8. */
function countInFiles(name: string, word: string): number {
  const files = readdirSync(folder).filter((file) => file.startsWith(name))
  const bytes = files.map((file) => readFileSync(join(folder, file)))
  return bytes.reduce((sum, one) => sum + one.toString('latin1').toLowerCase().split(word).length - 1, 0)
}

const open = (name: string) => openDaybook({ name, agent: 'test', path: join(folder, `${name}.daybook`) })

async function fill(book: Daybook, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await book.perceptions.store({ content: `Something else, number ${i}` })
}

describe('after a purge', () => {
  test.each([
    ['a short text', ''],
    ['a text of many pages', 'and so on '.repeat(5000)],
  ])('nothing of %s is in the files, not of its versions, answers, index or log', async (_what, more) => {
    const name = `purge-${more.length}`
    const book = await open(name)
    await fill(book, 200)
    const { id } = await book.perceptions.store(
      { content: `Zanzibar is the password ${more}` },
      { requestId: 'r' },
    )
    await book.recall({ text: 'zanzibar' })
    for (let i = 0; i < 5; i++) {
      await book.perceptions.update(
        { id, updates: { content: `Zanzibar, changed ${i} ${more}` } },
        { requestId: `u-${i}` },
      )
      await fill(book, 20)
    }
    await book.call('kstar:get_record', { id })
    expect(countInFiles(name, 'zanzibar')).toBeGreaterThan(0)
    await book.records.purge({ id })
    expect(countInFiles(name, 'zanzibar')).toBe(0)
    // What was there beside it still is.
    expect(countInFiles(name, 'something else, number')).toBeGreaterThan(0)
    expect((await book.recall({ text: 'something else number 7' })).hits.length).toBeGreaterThan(0)
    await book.close()
    expect(countInFiles(name, 'zanzibar')).toBe(0)
    await using again = await open(name)
    expect(await again.records.get({ id })).toBeNull()
    expect((await again.stats()).total).toBe(300)
  })

  test('nothing is left of what a task was given that made the record, or something from it', async () => {
    const name = 'tasks'
    await using book = await open(name)
    const run = async (capability: string, input: object) => {
      const done = Promise.withResolvers<string>()
      const off = book.on('task', ({ id, state }) => {
        if (state === 'done' || state === 'dead') done.resolve(`${id} ${state}`)
      })
      const { id } = await book.tasks.add({ capability, input: input as never })
      expect(await done.promise).toBe(`${id} done`)
      off()
      return id
    }
    const content = 'Zanzibar is what I like.'
    const stored = await run('kstar:store_perception', { content })
    const history = [{ content: 'My name is Zanzibar.', source: { User: 'ann' } }]
    await book.conversation.storeMany({ messages: history, session: 's' })
    const learned = await run('ks:update_profile', { history })
    await fill(book, 20)
    expect(countInFiles(name, 'zanzibar')).toBeGreaterThan(0)
    const { records } = await book.records.query({ filters: { kind: { in: ['perception', 'message'] } } })
    const told = Promise.withResolvers<void>()
    book.on('task', ({ capability, state }) => {
      if (capability === 'ks:rebuild' && state === 'done') told.resolve()
    })
    for (const { id, content: text } of records)
      if (String(text).includes('Zanzibar')) await book.records.purge({ id })
    await told.promise
    // A purge takes out of the files what came before it.
    await book.records.purge({
      id: records.find(({ content: text }) => String(text).endsWith(' 7'))?.id ?? '',
    })
    expect(countInFiles(name, 'zanzibar')).toBe(0)
    const { tasks } = await book.tasks.list({})
    const known = tasks.map(({ id, state, input }) => [id, state, input])
    expect(known).toContainEqual([stored, 'done', null])
    expect(known).toContainEqual([learned, 'done', null])
  })

  test('the words that the book’s own model has learned are gone too, and it is learned anew', () => {
    const store = openTestStore([makeKind({ text: ['title'] })])
    const { seq } = store.put({ title: 'zanzibar' }, { id: 'r-1' })
    const saved = store.models.save({
      dimensions: 2,
      madeAt: seq,
      parts: [
        {
          terms: 'zanzibar',
          numbers: new Uint8Array(2),
        },
      ],
    })
    expect(store.models.load()?.parts).toHaveLength(1)
    store.forget('r-1')
    store.db.transaction(() => store.purge.purge('r-1', seq))
    expect(store.models.load()).toBeUndefined()
    expect(store.db.all('SELECT * FROM model_parts')).toEqual([])
    // A model of the same number would take vectors of the old one for its own.
    const next = store.models.save({ dimensions: 2, madeAt: seq, parts: [] })
    expect(next.generation).toBe(saved.generation + 1)
  })

  test('thousands of purges one after another leave the rest to be found, and purged', async () => {
    await using book = await openDaybook({ name: 'many', agent: 'test', path: ':memory:' })
    const ids: string[] = []
    for (let i = 0; i < 2150; i++)
      ids.push((await book.perceptions.store({ content: `Numbered word${i}` })).id)
    await book.recall({ text: 'word7' })
    for (const id of ids.slice(0, 2100)) await book.records.purge({ id })
    const found = async (text: string) => (await book.recall({ text })).hits.map(({ record }) => record.id)
    expect(await found('word2120')).toContain(ids[2120])
    expect(await found('word2000')).not.toContain(ids[2000])
    await book.perceptions.store({ content: 'Numbered and new' })
    expect((await book.recall({ text: 'new' })).hits).not.toEqual([])
    expect((await book.status()).degraded).toEqual([])
  })

  test('a text index that FTS5 takes for corrupt is filled anew when the book is opened', async () => {
    const first = await open('levels')
    await fill(first, 5)
    await first.recall({ text: 'number' })
    await first.close()
    const db = openNodeDatabase({ path: join(folder, 'levels.daybook') })
    const extra = Array.from({ length: 2001 }, (_, i) => 1_000_000 + i)
    db.transaction(() => {
      for (const row of extra) db.run('INSERT INTO text_index (rowid, t0) VALUES (?, ?)', [row, 'extra'])
    })
    // Each of these adds a level to the index, and it may have 2,000.
    const takeOut = () => {
      for (const row of extra) {
        db.transaction(() => db.run('DELETE FROM text_index WHERE rowid = ?', [row]))
        db.transaction(() => db.run("INSERT INTO text_index (text_index) VALUES ('optimize')"))
      }
    }
    expect(takeOut).toThrow('corrupt')
    db.close()
    await using again = await open('levels')
    expect((await again.recall({ text: 'number 3' })).hits.length).toBeGreaterThan(0)
    expect((await again.status()).degraded).toEqual([])
  })

  test('forgetting alone leaves the words where they stood, or this test would show nothing', async () => {
    await using book = await open('forget')
    const { id } = await book.perceptions.store({ content: 'Zanzibar is the password' })
    await fill(book, 20)
    await book.perceptions.forget({ id })
    expect(countInFiles('forget', 'zanzibar')).toBeGreaterThan(0)
  })
})

describe('what was made from a purged record', () => {
  const made = makeKind({
    name: 'made',
    madeFrom: { sources: (body) => (body as { readonly of?: string[] }).of ?? [], rebuildVerb: 'test:anew' },
  })
  const openMade = () => {
    const store = openTestStore([makeKind(), made])
    const purge = (id: string) =>
      store.db.transaction(() => {
        const at = '2026-02-01T00:00:00.000Z'
        const op = { op: 'forget', kind: 'thing', id, agent: 'a', at, stamp: store.stamps.next() } as const
        const row = store.records.forget({ ...op, purge: true })
        store.purge.purge(id, row?.seq ?? 0)
      })
    const put = (id: string, of: readonly string[]) => void store.put({ of: [...of] }, { id, kind: 'made' })
    return { store, put, purge }
  }
  const arrivals: readonly (readonly [when: string, run: (store: ReturnType<typeof openMade>) => void])[] = [
    [
      'and was there before',
      ({ put, purge }) => {
        put('m', ['source'])
        purge('source')
      },
    ],
    [
      'and came late, from a device that had not heard of it',
      ({ put, purge }) => {
        purge('source')
        put('m', ['source'])
      },
    ],
    [
      'through another one',
      ({ put, purge }) => {
        put('m', ['between'])
        put('between', ['source'])
        purge('source')
        put('between', [])
      },
    ],
    [
      'that was only forgotten at first',
      ({ store, put, purge }) => {
        put('m', ['between'])
        put('between', ['source'])
        store.forget('source')
        purge('source')
        put('between', [])
      },
    ],
  ]
  test.each(arrivals)('goes out of the files once it is told anew: %s', (_when, run) => {
    const made = openMade()
    made.store.put({}, { id: 'source' })
    run(made)
    made.store.purge.scrub()
    expect(made.store.purge.isDue()).toBe(false)
    made.put('m', [])
    expect(made.store.purge.isDue()).toBe(true)
  })
})
