// Transcripts of Claude's agents in a book: what the SDK asks of a store, and what two processes do to one transcript.
import { expect, it } from 'vitest'
import { daybookSessions, type SessionEntry } from '../../../../../src/doors/adapter/claude-agent.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'
import { foreign } from '../shared/foreign-data.ts'

const open = () => openDaybook({ name: 'claude', path: ':memory:' })
const key = { projectKey: '-home-me/x', sessionId: 's1' }
const entry = (n: number | string, uuid = true): SessionEntry => ({
  type: 'user',
  ...(uuid ? { uuid: `u-${n}` } : {}),
  message: { role: 'user', content: `Line ${n}`, nested: [null, { a: 1 }] },
})

it('loads what was appended, in order, also by another handle, and null for what there is not', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  expect(await store.load(key)).toBeNull()
  await store.append(key, [])
  expect(await store.load(key)).toBeNull()
  expect(await store.listSessions(key.projectKey)).toEqual([])
  const entries = Array.from({ length: 25 }, (_, n) => entry(n))
  await store.append(key, entries.slice(0, 3))
  await store.append(key, entries.slice(3))
  expect(await store.load(key)).toEqual(entries)
  expect(await daybookSessions(book).load(key)).toEqual(entries)
  expect(await store.load({ ...key, sessionId: 's2' })).toBeNull()
  expect(await store.load({ ...key, projectKey: '-home-me' })).toBeNull()
})

it('keeps an entry of one uuid once, and one without each time', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  await store.append(key, [entry(1), entry(1), entry(2)])
  await daybookSessions(book).append(key, [entry(2), entry(3)])
  await store.append(key, [entry(3), entry('x', false), entry('x', false)])
  expect((await store.load(key))?.map(({ uuid }) => uuid)).toEqual([
    'u-1',
    'u-2',
    'u-3',
    undefined,
    undefined,
  ])
})

it('keeps an entry that comes again after another process has deleted it', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  await store.append(key, [entry(1)])
  await daybookSessions(book).delete(key)
  await store.append(key, [entry(1), entry(2)])
  expect(await store.load(key)).toEqual([entry(1), entry(2)])
})

it('has transcripts below a session, which go with it', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  const sub = { ...key, subpath: 'subagents/agent-1' }
  await store.append(sub, [entry(1)])
  await store.append({ ...key, subpath: '../s2' }, [entry(2)])
  expect(await store.load(key)).toBeNull()
  expect(await store.listSessions(key.projectKey)).toEqual([])
  expect((await store.listSubkeys(key)).sort()).toEqual(['../s2', 'subagents/agent-1'])
  const before = Date.now()
  await store.append(key, [entry(3)])
  const [session] = await store.listSessions(key.projectKey)
  expect(session?.sessionId).toBe('s1')
  expect(Math.abs((session?.mtime ?? 0) - before)).toBeLessThan(60_000)
  await store.delete(sub)
  expect([await store.load(sub), await store.load(key)]).toEqual([null, [entry(3)]])
  await store.append({ ...key, sessionId: 's2' }, [entry(4)])
  await store.delete(key)
  expect([await store.load(key), await store.listSubkeys(key)]).toEqual([null, []])
  expect(await store.load({ ...key, sessionId: 's2' })).toEqual([entry(4)])
  await store.append(key, [entry(3)])
  expect(await store.load(key)).toEqual([entry(3)])
  await store.delete({ ...key, sessionId: 'nobody' })
})

it('loses nothing of two processes that append to one transcript', async () => {
  await using book = await open()
  const both = [0, 1].map(() => daybookSessions(book))
  await Promise.all(
    both.flatMap((store, i) =>
      [0, 1, 2, 3, 4].map((n) => store.append(key, [entry(`${i}-${n}`), entry('same')])),
    ),
  )
  const uuids = (await both[0]?.load(key))?.map(({ uuid }) => uuid)
  expect(uuids).toHaveLength(11)
  expect(new Set(uuids).size).toBe(11)
  expect((await book.recall({ text: 'line 1-4' })).hits.length).toBeGreaterThan(0)
})

it('refuses keys that are none, and stores nothing', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  const bad = [
    [store.append({ ...key, sessionId: '' }, [entry(1)]), 'key.sessionId'],
    [store.append({ ...key, subpath: '\ud800' }, [entry(1)]), 'key.subpath'],
    [store.load({ sessionId: 's' } as never), 'key.projectKey'],
  ] as const
  for (const [call, path] of bad) {
    expect(await failure(call)).toMatchObject({ code: 'invalid-input', details: { path } })
  }
  expect((await book.stats()).total).toBe(0)
})

it('keeps every entry as it came: numbers beyond 2^53, bigints, depth, size, and what looks like its own marks', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  const odd = [
    entry(1),
    { ...entry(2), id: Number('1234567890123456789'), n: 2n ** 80n, minus: -0 },
    { ...entry(3), deep: foreign.nested(300) },
    { ...entry(4), text: foreign.long },
    { ...entry(5), marks: foreign.marks },
    { ...entry(6), ...(JSON.parse('{"__proto__":{"a":1}}') as object) },
    entry(7),
  ] as SessionEntry[]
  await store.append(key, odd)
  expect(await store.load(key)).toEqual(odd)
  expect(await daybookSessions(book).load(key)).toEqual(odd)
  await store.append(key, odd)
  expect(await store.load(key)).toHaveLength(odd.length)
  await store.delete(key)
  expect(await store.load(key)).toBeNull()
  expect((await book.documents.list()).documents).toEqual([])
})

it('keeps the other entries of a batch where one can not be kept, and says which', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  const ring: Record<string, unknown> = { type: 'user' }
  ring['own'] = ring
  const huge = { type: 'user', text: 'x'.repeat(25_000_000) }
  const error = await failure(
    store.append(key, [entry(1), ring as never, entry(2), 'text' as never, huge, entry(3)]),
  )
  expect(error.details['paths']).toEqual(['entries.1', 'entries.3', 'entries.4'])
  expect((await store.load(key))?.map(({ uuid }) => uuid)).toEqual(['u-1', 'u-2', 'u-3'])
})

it('takes more entries at once than one call of a book takes', async () => {
  await using book = await open()
  const store = daybookSessions(book)
  const entries = Array.from({ length: 12_000 }, (_, n) => ({ type: 'note', n }))
  await store.append(key, entries)
  expect(await store.load(key)).toEqual(entries)
}, 60_000)

it('skips what something else put into a transcript, and tells of it', async () => {
  await using book = await open()
  const skipped: string[] = []
  const store = daybookSessions(book, { onSkipped: ({ key: place }) => void skipped.push(place) })
  await store.append(key, [entry(1)])
  const [{ folder = '' } = {}] = (await book.documents.list()).documents
  await book.documents.write({ changes: [{ folder, key: '000000000001', value: { other: true } }] })
  await daybookSessions(book).append(key, [entry(2)])
  expect(await store.load(key)).toEqual([entry(1), entry(2)])
  expect(skipped).toEqual(['000000000001'])
})
