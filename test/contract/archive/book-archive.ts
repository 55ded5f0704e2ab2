// Archives of a book, as every host that has a place for them must put, list, verify and take them out.
import { describe, expect, it, vi } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { failure } from '../book-case.ts'
import { exported } from '../bundle.ts'

const passphrase = 'a long enough passphrase'
const day = 86_400_000

export interface ArchiveHost {
  /** An empty book of that name, with a place for archives. */
  open(name: string): Promise<Daybook>
  /** What lies under a key; undefined for nothing. */
  read(key: string): Promise<string | undefined>
  /** Puts a text there behind everybody's back. */
  write(key: string, text: string): Promise<void>
}

async function fill(book: Daybook, count = 3): Promise<void> {
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({ task: { goal: `Lesson ${i}: é 🙂` }, timestamp: `2026-01-0${(i % 9) + 1}T10:00:00Z` }),
  )
  await book.traces.storeMany({ traces })
}

/** What a bundle says, but for when it was written and by whom. */
const said = (text: string) => {
  const { memory, schemas_used, statistics } = JSON.parse(text)
  return { memory, schemas_used, statistics }
}

const keyForm = (book: string) =>
  new RegExp(`^kept/${book}/\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d\\.\\d{3}Z-[0-9a-f]{8}\\.kstar$`)
/** The key of an archive that was made so many days ago. */
const keyBefore = (book: string, days: number, suffix: string) =>
  `kept/${book}/${new Date(Date.now() - days * day).toISOString().replaceAll(':', '-')}-${suffix}.kstar`

export function archiveContract(host: string, { open, read, write }: ArchiveHost): void {
  let count = 0
  const openNew = async () => {
    const name = `book-${++count}`
    return { name, book: await open(name) }
  }
  const read1 = async (key: string) => {
    const text = await read(key)
    if (text === undefined) throw new Error(`There is nothing under ${key}.`)
    return text
  }

  describe(`archives: ${host}`, () => {
    it('puts the whole book away, and verifies what lies there', async () => {
      const { name, book } = await openNew()
      await fill(book)
      const told: string[] = []
      book.on('progress', ({ subject, done, total }) => told.push(`${subject} ${done}/${total}`))
      const put = await book.archives.put({})
      const text = await read1(put.key)
      expect(put.key).toMatch(keyForm(name))
      expect(put).toEqual({
        key: put.key,
        bytes: new TextEncoder().encode(text).length,
        checksum: JSON.parse(text).integrity.checksum,
        records: 3,
        removed: 0,
      })
      expect(said(text)).toEqual(said(await exported(book)))
      await vi.waitFor(() => expect(told).toContain('archive 3/3'), 30_000)
      const verified = await book.archives.verify({ key: put.key })
      expect(verified).toMatchObject({
        key: put.key,
        bytes: put.bytes,
        checksum: put.checksum,
        counts: { trace: 3 },
      })
      expect(put.key).toContain(verified.exportedAt.replaceAll(':', '-'))
    })

    it('comes back into an empty book, which says the same then', async () => {
      const { book } = await openNew()
      await fill(book, 40)
      const { key } = await book.archives.put({})
      const { book: other } = await openNew()
      const { imported } = await other.import(await read1(key))
      expect(imported).toBe(40)
      const { key: again } = await other.archives.put({})
      expect(said(await read1(again))).toEqual(said(await read1(key)))
    })

    it('lists the archives of this book alone, the newest first, and reads no other', async () => {
      const { name, book } = await openNew()
      const { name: others, book: other } = await openNew()
      const strange = await other.archives.put({})
      await write(`kept/${name}/notes.txt`, 'no archive')
      await write(`kept/${name}more/2026-01-01T00-00-00.000Z-00000000.kstar`, 'no archive')
      expect(await book.archives.list()).toEqual({ archives: [], total: 0 })
      const one = await book.archives.put({})
      const two = await book.archives.put({})
      expect(two.key).not.toBe(one.key)
      const { archives, total } = await book.archives.list()
      expect(total).toBe(2)
      expect(archives.map(({ key }) => key)).toEqual([one.key, two.key].toSorted().toReversed())
      expect(archives[0]).toMatchObject({ bytes: two.bytes })
      expect(Object.keys(archives[0] ?? {}).toSorted()).toEqual(['bytes', 'exportedAt', 'key', 'modifiedAt'])
      expect((await book.archives.list({ limit: 1 })).archives).toHaveLength(1)
      const missing = keyBefore(name, 1, 'ffffffff')
      for (const key of [strange.key, `kept/${name}/notes.txt`, `kept/${others}/../${name}/x`, missing])
        expect([key, (await failure(book.archives.verify({ key }))).code]).toEqual([key, 'not-found'])
    })

    it('puts some kinds and days away, encrypts, and opens with the passphrase only', async () => {
      const { book } = await openNew()
      await fill(book)
      const part = await book.archives.put({ kinds: ['traces'], from: '2026-01-02', to: '2026-01-02' })
      expect(part.records).toBe(1)
      const { key, checksum } = await book.archives.put({ passphrase })
      const text = await read1(key)
      expect(text).not.toContain('Lesson')
      expect(await book.archives.verify({ key, passphrase })).toMatchObject({ encrypted: true, checksum })
      for (const input of [{ key }, { key, passphrase: 'another passphrase' }])
        expect((await failure(book.archives.verify(input))).code).toBe('wrong-passphrase')
      expect(text).not.toContain(passphrase)
    })

    it('says what is wrong with an archive that was altered or cut off', async () => {
      const { name, book } = await openNew()
      await fill(book)
      const text = await read1((await book.archives.put({})).key)
      const altered = [
        [text.replace('Lesson 1', 'Lesson 9'), 'invalid-file'],
        [text.slice(0, -40), 'incomplete-file'],
        ['', 'incomplete-file'],
        ['not a bundle', 'invalid-file'],
      ] as const
      for (const [i, [bad, code]] of altered.entries()) {
        const key = keyBefore(name, 1, `0000000${i}`)
        await write(key, bad)
        expect((await failure(book.archives.verify({ key }))).code).toBe(code)
      }
    })

    it('gives a call that comes again what it gave, and puts nothing twice', async () => {
      const { book } = await openNew()
      await fill(book)
      const options = { requestId: 'archive-1' }
      const one = await book.archives.put({}, options)
      await fill(book, 1)
      expect(await book.archives.put({}, options)).toEqual(one)
      expect((await book.archives.list()).total).toBe(1)
      expect((await book.archives.put({}, { requestId: 'archive-2' })).key).not.toBe(one.key)
    })

    it('runs as a task that is put off, with its progress', async () => {
      const { book } = await openNew()
      await fill(book)
      const ended = new Promise<void>((resolve) => {
        book.on('task', ({ state }) => state === 'done' && resolve())
      })
      const { id } = await book.tasks.add({ capability: 'archive:put', input: { keep: 3 } })
      await ended
      const task = await book.tasks.get({ id })
      expect([task?.state, (await book.archives.list()).total]).toEqual(['done', 1])
      // What is secret does not wait in a book.
      const error = await failure(book.tasks.add({ capability: 'archive:put', input: { passphrase } }))
      expect([error.code, error.details['path']]).toEqual(['invalid-input', 'input.passphrase'])
    })

    it.each([
      ['the newest', { keep: 2 }, ['now', 'a']],
      ['those of the last days', { days: 3 }, ['now', 'a', 'b']],
      ['what either keeps', { keep: 4, days: 3 }, ['now', 'a', 'b', 'c']],
      ['the one just made, however few', { keep: 1 }, ['now']],
      ['all without a word', {}, ['now', 'a', 'b', 'c', 'd']],
    ])('keeps %s, and takes out the others', async (_what, retention, kept) => {
      const { name, book } = await openNew()
      const others = { a: 1, b: 2, c: 5, d: 9 }
      const keys = new Map(
        Object.entries(others).map(([letter, days]) => [keyBefore(name, days, letter.repeat(8)), letter]),
      )
      for (const key of keys.keys()) await write(key, 'an archive of then')
      await write(`kept/${name}/notes.txt`, 'not an archive')
      const { key, removed } = await book.archives.put(retention)
      keys.set(key, 'now')
      const { archives } = await book.archives.list()
      expect(archives.map((one) => keys.get(one.key))).toEqual(kept)
      expect(removed).toBe(5 - kept.length)
      expect(await read(`kept/${name}/notes.txt`)).toBe('not an archive')
    })

    it('never takes out the one just made, though others say that they are of tomorrow', async () => {
      const { name, book } = await openNew()
      await write(keyBefore(name, -1, 'aaaaaaaa'), 'its clock was wrong')
      const { key } = await book.archives.put({ keep: 1 })
      expect((await book.archives.list()).archives.map((one) => one.key)).toContain(key)
    })

    it('refuses what it does not understand, with the path, and puts nothing', async () => {
      const { book } = await openNew()
      const wrong = [
        [{ kinds: ['wishes'] }, 'kinds.0'],
        [{ from: 'yesterday' }, 'from'],
        [{ keep: 0 }, 'keep'],
        [{ days: 1.5 }, 'days'],
        [{ keep: 1, kinds: ['traces'] }, 'keep'],
        [{ passphrase: 'short' }, 'passphrase'],
        [{ target: 'ftp://elsewhere/x' }, 'target'],
      ] as const
      for (const [input, path] of wrong) {
        const error = await failure(book.call('archive:put', input as object))
        expect([error.code, error.details['path']]).toEqual(['invalid-input', path])
      }
      expect((await book.archives.list()).total).toBe(0)
    })

    it('is the owner’s alone, whatever a token says', async () => {
      const { book } = await openNew()
      const { key } = await book.archives.put({})
      const calls = [
        ['archive:put', {}],
        ['archive:list', {}],
        ['archive:verify', { key }],
      ] as const
      for (const [id, input] of calls)
        expect([id, (await failure(book.with({ as: 'ct-nobody' }).call(id, input))).code]).toEqual([
          id,
          'unauthorized',
        ])
    })
  })
}
