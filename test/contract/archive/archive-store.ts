// The law of `ArchiveStore`, on every host that has one.
import { describe, expect, it } from 'vitest'
import { createAbort, neverAborted } from '../../../src/core/abort.ts'
import type { ArchiveStore, UploadNote, UploadNotes } from '../../../src/core/capability/port/archive-port.ts'
import { failure, failures } from '../book-case.ts'

export interface ArchiveStoreHost {
  /** The place of archives that is asked for, each time the same one; `prefix` as keys have it. */
  open(prefix: string, notes?: UploadNotes): ArchiveStore
  /** Whether parts can be added to an upload: whether it is still under way. */
  isUnderWay(note: UploadNote): Promise<boolean>
}

/** Notes that also say what was ever noted. */
function openNotes() {
  const all: UploadNote[] = []
  let now: UploadNote[] = []
  const notes: UploadNotes = {
    add(note) {
      all.push(note)
      now.push(note)
    },
    remove: ({ upload }) => void (now = now.filter((one) => one.upload !== upload)),
    orphans: () => [...now],
  }
  return { notes, all, now: () => now }
}

async function* textsOf(...texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

/** Enough for two parts, and a character of two bytes where they are cut. */
const long = `${'x'.repeat(8 * 1024 * 1024 - 1)}é${'y'.repeat(1000)}`

async function readAll(store: ArchiveStore, key: string): Promise<string> {
  let all = ''
  for await (const text of (await store.read(key, neverAborted)).texts) all += text
  return all
}

async function keysOf(store: ArchiveStore, prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of store.list(prefix, neverAborted)) keys.push(key)
  return keys
}

export function archiveStoreContract(host: string, given: ArchiveStoreHost): void {
  let count = 0
  const open = (notes?: UploadNotes) => {
    count += 1
    const prefix = `law-${count}/`
    return { prefix, store: given.open(prefix, notes) }
  }
  describe(`a place of archives: ${host}`, () => {
    it('gives back what was put, and says how much and when', async () => {
      const { store, prefix } = open()
      expect(store.prefix).toBe(prefix)
      expect(await store.put(`${prefix}a`, textsOf('é, ', '🙂'), neverAborted)).toBe(8)
      expect(await readAll(store, `${prefix}a`)).toBe('é, 🙂')
      const there = await store.stat(`${prefix}a`, neverAborted)
      expect(there).toMatchObject({ key: `${prefix}a`, bytes: 8 })
      expect(Math.abs(Date.parse(there?.modifiedAt ?? '') - Date.now())).toBeLessThan(60_000)
      expect((await store.read(`${prefix}a`, neverAborted)).bytes).toBe(8)
    })

    it('takes what is larger than a part, and leaves no upload', async () => {
      const { notes, all, now } = openNotes()
      const { store, prefix } = open(notes)
      const bytes = 8 * 1024 * 1024 + 1001
      expect(await store.put(`${prefix}long`, textsOf(long.slice(0, 5), long.slice(5)), neverAborted)).toBe(
        bytes,
      )
      expect((await readAll(store, `${prefix}long`)) === long).toBe(true)
      expect([all.length, now()]).toEqual([1, []])
      expect(await Promise.all(all.map(given.isUnderWay))).toEqual([false])
    })

    it.each([
      ['in one piece', ['second']],
      ['in parts', [long]],
    ])('never writes over what is there: %s', async (_how, texts) => {
      const { store, prefix } = open()
      await store.put(`${prefix}once`, textsOf('first'), neverAborted)
      const error = await failure(store.put(`${prefix}once`, textsOf(...texts), neverAborted))
      expect([error.code, error.details['key']]).toEqual(['conflict', `${prefix}once`])
      expect(await readAll(store, `${prefix}once`)).toBe('first')
    })

    it('gives a name to one of two that come at once', async () => {
      const { store, prefix } = open()
      const put = (text: string) => store.put(`${prefix}race`, textsOf(text), neverAborted)
      const ended = await Promise.allSettled([put('1'), put('2')])
      expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await readAll(store, `${prefix}race`)).toBe(ended[0]?.status === 'fulfilled' ? '1' : '2')
    })

    it('writes over nothing that came while it uploaded, and leaves no upload', async () => {
      const { notes, all, now } = openNotes()
      const { store, prefix } = open(notes)
      async function* overtaken(): AsyncGenerator<string> {
        yield `${long}${long}`
        await store.put(`${prefix}first`, textsOf('it was first'), neverAborted)
      }
      expect((await failure(store.put(`${prefix}first`, overtaken(), neverAborted))).code).toBe('conflict')
      expect(await readAll(store, `${prefix}first`)).toBe('it was first')
      expect([all.length, now()]).toEqual([1, []])
      expect(await Promise.all(all.map(given.isUnderWay))).toEqual([false])
    })

    it('shows nothing of what failed on the way, in the first part or a later one', async () => {
      const { notes, all, now } = openNotes()
      const { store, prefix } = open(notes)
      async function* failing(before: string): AsyncGenerator<string> {
        yield before
        throw new Error('the book is gone')
      }
      for (const before of ['short', `${long}${long}`])
        await expect(store.put(`${prefix}cut`, failing(before), neverAborted)).rejects.toThrow(
          'the book is gone',
        )
      expect(await store.stat(`${prefix}cut`, neverAborted)).toBeUndefined()
      expect([all.length, now()]).toEqual([1, []])
      expect(await Promise.all(all.map(given.isUnderWay))).toEqual([false])
    })

    it('ends with its signal, and its source with it', async () => {
      const { notes, all, now } = openNotes()
      const { store, prefix } = open(notes)
      const { signal, abort } = createAbort()
      let isEnded = false
      async function* endless(): AsyncGenerator<string> {
        try {
          for (let n = 0; ; n += 1) {
            yield long
            if (n === 1) abort()
          }
        } finally {
          isEnded = true
        }
      }
      expect((await failure(store.put(`${prefix}stopped`, endless(), signal))).code).toBe('aborted')
      expect([isEnded, all.length, now()]).toEqual([true, 1, []])
      expect(await store.stat(`${prefix}stopped`, neverAborted)).toBeUndefined()
      expect(await Promise.all(all.map(given.isUnderWay))).toEqual([false])
    })

    it('gives up the upload that somebody who is gone has left, below its prefix alone', async () => {
      const { notes, all, now } = openNotes()
      const { store, prefix } = open(notes)
      // Removes no note, as one that was killed; and is still at work when it is found.
      const { notes: kept } = openNotes()
      const deaf = given.open(prefix, { ...notes, remove: kept.remove })
      const going = createAbort()
      let reached: () => void = () => undefined
      const isInside = new Promise<void>((resolve) => (reached = resolve))
      async function* waiting(): AsyncGenerator<string> {
        yield `${long}${long}`
        reached()
        await new Promise<void>((resolve) => going.signal.addEventListener('abort', () => resolve()))
        yield long
      }
      const cut = deaf.put(`${prefix}book/left`, waiting(), neverAborted)
      await isInside
      expect(await Promise.all(all.map(given.isUnderWay))).toEqual([true])
      expect(await store.tidy(`${prefix}other/`, neverAborted)).toBe(0)
      expect(await store.tidy(`${prefix}book/`, neverAborted)).toBe(1)
      expect(now()).toEqual([])
      expect(await Promise.all(all.map(given.isUnderWay))).toEqual([false])
      going.abort()
      await failure(cut)
      expect(await store.stat(`${prefix}book/left`, neverAborted)).toBeUndefined()
      expect(await store.tidy(prefix, neverAborted)).toBe(0)
    })

    it('lists by key what begins so, however many pages that takes', async () => {
      const { store, prefix } = open()
      const names = ['b/2', 'a/1', 'b/1', 'c', 'b/10', 'b/3', 'bb'].map((name) => prefix + name)
      for (const key of names) await store.put(key, textsOf(key), neverAborted)
      expect(await keysOf(store, `${prefix}b/`)).toEqual(
        ['b/1', 'b/10', 'b/2', 'b/3'].map((name) => prefix + name),
      )
      expect(await keysOf(store, `${prefix}z`)).toEqual([])
      for await (const { key, bytes, modifiedAt: at } of store.list(prefix, neverAborted))
        expect([key, bytes, at === undefined]).toEqual([key, key.length, false])
    })

    it('takes out what it is told to, and nothing where there is none', async () => {
      const { store, prefix } = open()
      await store.put(`${prefix}x`, textsOf('x'), neverAborted)
      await store.remove(`${prefix}x`, neverAborted)
      await store.remove(`${prefix}x`, neverAborted)
      expect(await store.stat(`${prefix}x`, neverAborted)).toBeUndefined()
      const error = await failure(store.read(`${prefix}x`, neverAborted))
      expect([error.code, error.details['key']]).toEqual(['not-found', `${prefix}x`])
    })

    it('asks nothing once its signal is aborted', async () => {
      const { store, prefix } = open()
      const { signal, abort } = createAbort()
      abort()
      for (const error of await failures([
        store.put(`${prefix}no`, textsOf('no'), signal),
        store.stat(prefix, signal),
        store.read(prefix, signal),
        store.remove(prefix, signal),
        store.tidy(prefix, signal),
        store.list(prefix, signal)[Symbol.asyncIterator]().next(),
      ]))
        expect(error.code).toBe('aborted')
      expect(await store.stat(`${prefix}no`, neverAborted)).toBeUndefined()
    })
  })
}
