// Vectors behind the writes: they follow, survive a crash, never mix, go when their record goes, and are never waited for.
import { describe, expect, test } from 'vitest'
import type { RecallResult } from '../../../src/core/capability/port/recall-port.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { createMeaningEmbedder, type MeaningEmbedder } from '../../support/meaning-embedder.ts'
import { ids, keptDatabase, open, plain } from './embedding-case.ts'

describe('vectors behind the writes', () => {
  test('a write returns before its vector is there; then what means the same is found, and why', async () => {
    const book = open(createMeaningEmbedder())
    await book.store()
    expect((await book.status()).embedded).toBe(0)
    const early = await book.recall('hospital')
    expect([ids(early), early.degraded.length]).toEqual([[], 1])
    await book.pass()
    expect(await book.status()).toMatchObject({
      provider: 'test',
      model: 'meaning',
      fingerprint: 'test|meaning|4|true',
      state: 'ready',
      total: 4,
      embedded: 4,
      behind: 0,
      refused: 0,
      scan: 'simd',
    })
    const { hits, legs, degraded } = await book.recall('hospital')
    expect(hits.map(({ record, because }) => [record.id, because.vector, because.text])).toEqual([
      ['t-1', { rank: 1, similarity: expect.closeTo(1, 2) as number }, undefined],
    ])
    expect(legs).toMatchObject({ text: 0, vector: 1 })
    expect(degraded).toEqual([])
  })

  test('scope and filters act inside the scan: the best within them, however many others are better', async () => {
    const book = open(createMeaningEmbedder())
    const many = Array.from({ length: 500 }, (_, i) =>
      plain(`o-${i}`, `ask physician ${i} of hospital h${i * 7}`),
    )
    const few = [1, 2, 3].map((i) => ({ ...plain(`s-${i}`, `pay the doctor ${i}`), session: 's' }))
    await book.engine.call('kstar:store_traces', { traces: [...many, ...few] })
    await book.pass()
    for (const more of [{ session: 's' }, { filters: { 'task.goal': { contains: 'pay' } } }]) {
      const { hits, legs } = await book.recall('medicine', more)
      expect([ids({ hits } as RecallResult).sort(), legs['vector']]).toEqual([['s-1', 's-2', 's-3'], 3])
    }
    expect((await book.recall('medicine', { agent: 'nobody' })).hits).toEqual([])
    expect((await book.recall('medicine', { kinds: ['message'] })).hits).toEqual([])
    expect((await book.recall('medicine', { agent: 'a', limit: 20 })).hits.length).toBe(20)
  })

  test('an earlier text of a record answers nothing, from the change on', async () => {
    const book = open(createMeaningEmbedder())
    await book.store()
    await book.pass()
    expect(ids(await book.recall('hospital'))).toEqual(['t-1'])
    const changed = (goal: string) =>
      book.engine.call('kstar:store_traces', { traces: [{ ...plain('t-1', goal), replace: true }] })
    await changed('paint the fence')
    const { hits, degraded } = await book.recall('hospital')
    expect([hits, degraded]).toEqual([[], ['vectors: 1 record has none yet.']])
    await changed('ask a physician')
    await book.pass()
    expect(ids(await book.recall('hospital'))).toEqual(['t-1'])
    // A change of another field leaves the vector.
    await book.engine.call('kstar:store_traces', {
      traces: [{ ...plain('t-1', 'ask a physician'), session: 's', replace: true }],
    })
    expect(ids(await book.recall('hospital'))).toEqual(['t-1'])
  })

  test('a new record ranks no lower than by words, and `degraded` counts it', async () => {
    const goals = [
      'swim lessons for children in June',
      'swim lessons of a physician for the doctors of a hospital',
      'a physician wrote to the hospital',
      'sort the shelves',
    ]
    const newest = plain('t-9', 'swim at midnight')
    const question = 'swim with the doctor and the medicine'
    const ranked = async (embedder?: MeaningEmbedder) => {
      const book = open(embedder)
      await book.store(goals)
      await book.pass()
      await book.engine.call('kstar:store_traces', { traces: [newest] })
      const answer = await book.recall('swim at night')
      const other = await book.recall(question)
      const { behind } = embedder ? await book.status() : { behind: 0 }
      return { ids: ids(answer), degraded: answer.degraded, others: ids(other), behind }
    }
    const words = await ranked()
    const all = await ranked(createMeaningEmbedder())
    expect([words.degraded, all.degraded, all.behind]).toEqual([[], ['vectors: 1 record has none yet.'], 1])
    expect([words.ids[0], all.ids[0]]).toEqual(['t-9', 't-9'])
    expect(all.others.indexOf('t-9')).toBeLessThanOrEqual(words.others.indexOf('t-9'))
  })

  test('tells of its progress', async () => {
    const book = open(createMeaningEmbedder({ batch: 2 }))
    const told: unknown[] = []
    book.engine.on((event) => event.name === 'progress' && told.push(event.detail))
    await book.store()
    await book.pass()
    const last = { done: 4, total: 4, subject: 'Records with a vector', capability: 'embed:status' }
    expect(told.at(-1)).toEqual(last)
  })

  test('a changed text gets another vector, the same text keeps its own', async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder)
    await book.store()
    await book.pass()
    await book.engine.call('kstar:complete_trace', {
      id: 't-0',
      replace: true,
      result: {
        success: true,
        outcome: { text: 'the doctor came' },
      },
    })
    expect(ids(await book.recall('medicine'))).toEqual(['t-1'])
    await book.pass()
    expect(ids(await book.recall('medicine')).sort()).toEqual(['t-0', 't-1'])
    expect(embedder.asked.length).toBe(5)
  })

  test('forgetting takes the vector with it, in the same commit', async () => {
    const book = open(createMeaningEmbedder())
    await book.store()
    await book.pass()
    await book.engine.call('kstar:forget', { id: 't-1' })
    expect(book.vectors().length).toBe(3)
    expect(ids(await book.recall('hospital'))).toEqual([])
    await book.pass()
    expect(await book.status()).toMatchObject({ total: 3, embedded: 3 })
  })

  test('a record that is forgotten while its text is with the embedder gets no vector', async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder)
    let release = () => {}
    embedder.fail = () => new Promise((resolve) => (release = resolve))
    await book.store()
    await book.pass()
    await book.engine.call('kstar:forget', { id: 't-1' })
    embedder.fail = undefined
    release()
    await book.pass()
    expect(book.vectors().map(({ seq }) => seq)).toEqual([1, 3, 4])
  })
})

describe('an end in the middle', () => {
  test('what was embedded before is not embedded again, the rest is', async () => {
    const db = keptDatabase()
    const first = createMeaningEmbedder({ batch: 2 })
    const book = open(first, db)
    first.fail = () => {
      if (first.asked.length > 2) throw new DaybookError('embedder-failed')
    }
    await book.store()
    await book.pass(500)
    expect(book.vectors().length).toBe(2)
    book.engine.close()

    const second = createMeaningEmbedder({ batch: 2 })
    const again = open(second, db)
    await again.pass()
    expect(second.asked.length).toBe(2)
    expect(await again.status()).toMatchObject({ state: 'ready', embedded: 4 })
    expect(ids(await again.recall('umbrella'))).toEqual(['t-3'])
  })

  test('of a damaged file that are cut short are made again', async () => {
    const db = keptDatabase()
    const book = open(createMeaningEmbedder(), db)
    await book.store()
    await book.pass()
    book.engine.close()
    db.run('UPDATE vectors SET numbers = substr(numbers, 1, 2) WHERE seq <= 2')
    const embedder = createMeaningEmbedder()
    const again = open(embedder, db)
    await again.pass()
    expect([embedder.asked.flat().length, (await again.status()).embedded]).toEqual([2, 4])
    expect(ids(await again.recall('hospital'))).toEqual(['t-1'])
  })

  test('a book that is opened without an embedder keeps its vectors, but not those of what is forgotten', async () => {
    const db = keptDatabase()
    const book = open(createMeaningEmbedder(), db)
    await book.store()
    await book.pass()
    book.engine.close()
    const without = open(undefined, db)
    expect(await without.status()).toMatchObject({ provider: 'none', state: 'off' })
    expect((await without.recall('hospital')).legs['vector']).toBeUndefined()
    await without.engine.call('kstar:forget', { id: 't-1' })
    await without.pass()
    without.engine.close()
    const embedder = createMeaningEmbedder()
    const again = open(embedder, db)
    await again.pass()
    expect([embedder.asked, again.vectors().length]).toEqual([[], 3])
  })
})

describe('another model', () => {
  test('texts stay, vectors of the old space go and are made anew, and full text answers meanwhile', async () => {
    const db = keptDatabase()
    const book = open(createMeaningEmbedder(), db)
    await book.store()
    await book.pass()
    book.engine.close()

    const other = createMeaningEmbedder({ model: 'other', batch: 1 })
    let release = () => {}
    other.fail = () => new Promise((resolve) => (release = resolve))
    const again = open(other, db)
    await again.pass()
    expect(again.vectors()).toEqual([])
    expect(await again.status()).toMatchObject({
      fingerprint: 'test|other|4|true',
      state: 'working',
      behind: 4,
    })
    other.fail = undefined
    const meanwhile = await again.recall('the salary of a physician')
    expect(ids(meanwhile).sort()).toEqual(['t-1', 't-2'])
    expect(meanwhile.degraded).toEqual(['vectors: 4 records have none yet.'])
    release()
    await again.pass()
    expect(new Set(again.vectors().map(({ fingerprint }) => fingerprint))).toEqual(
      new Set(['test|other|4|true']),
    )
    expect(await again.status()).toMatchObject({ state: 'ready', embedded: 4, total: 4 })
    expect(ids(await again.recall('hospital'))).toEqual(['t-1'])
  })

  test('the first model ever wipes nothing', async () => {
    const db = keptDatabase()
    const book = open(undefined, db)
    await book.store()
    await book.pass()
    const before = db.all('SELECT * FROM records')
    book.engine.close()
    const again = open(createMeaningEmbedder(), db)
    await again.pass()
    expect(db.all('SELECT * FROM records')).toEqual(before)
    expect((await again.status()).embedded).toBe(4)
  })

  test('dimensions that only an answer tells name the space; other ones than before are another space', async () => {
    const db = keptDatabase()
    const book = open(createMeaningEmbedder({ known: false }), db)
    await book.store()
    await book.pass()
    expect((await book.status()).fingerprint).toBe('test|meaning|4|true')
    book.engine.close()
    const same = createMeaningEmbedder({ known: false })
    const again = open(same, db)
    await again.pass()
    expect(same.asked).toEqual([])
    again.engine.close()
    const wider = open(createMeaningEmbedder({ known: false, dimensions: 8 }), db)
    await wider.store(['visit the bank'])
    await wider.pass()
    expect(await wider.status()).toMatchObject({
      fingerprint: 'test|meaning|8|true',
      embedded: 4,
      state: 'ready',
    })
    expect(wider.vectors().every(({ fingerprint }) => fingerprint === 'test|meaning|8|true')).toBe(true)
  })

  test('a question whose vector is of another space is not compared with those there are', async () => {
    const embedder = createMeaningEmbedder({ known: false })
    const book = open(embedder)
    await book.store()
    await book.pass()
    const { embed } = embedder
    embedder.embed = async (...args) =>
      (await embed.apply(embedder, args)).map(() => new Float32Array([1, 0, 0]))
    const { legs, degraded } = await book.recall('hospital')
    expect([legs['vector'], degraded]).toEqual([0, ['vectors: those of this model are not made yet.']])
  })

  test('of a question with a secret, the embedder gets the mark', async () => {
    const embedder = createMeaningEmbedder()
    const book = open(embedder)
    await book.store()
    await book.pass()
    const texts: string[] = []
    embedder.fail = (list) => void texts.push(...list)
    expect(ids(await book.recall('salary, password: Xylophone77Quokka'))).toContain('t-2')
    expect(texts).toEqual(['salary, password: [secret: password]'])
  })
})
