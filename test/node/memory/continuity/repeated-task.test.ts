// Tasks that run again under their request id after an interruption: each continues, and repeats no finished step.
import { expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
const open = () => openDaybook({ name: 'repeated-task', agent: 'me', path: ':memory:' })

async function registerAlice(book: Daybook, ages: readonly number[]) {
  const { scope } = await book.personas.register({ name: 'Alice' })
  for (const age of ages)
    await book.with(scope).conversation.store({
      message: { content: `Said ${age} days ago.`, source: { User: 'casey' }, timestamp: daysAgo(age) },
    })
  return scope
}

/** Calls the verb, and aborts the call at the first progress of which `isEnd` returns true. */
async function interrupt(
  book: Daybook,
  [verb, input, requestId]: readonly [string, object, string],
  isEnd: (step: { readonly subject?: string; readonly done: number }) => boolean,
) {
  const control = new AbortController()
  const off = book.on('progress', (step) => {
    if (isEnd(step)) control.abort()
  })
  const error = await failure(book.call(verb as never, input, { requestId, signal: control.signal }))
  off()
  return error
}

const digestDays = async (book: Daybook) =>
  (await book.days.list({ persona: 'Alice' })).digests.map(({ period_id }) => period_id)

it('a consolidation writes the days that are left', async () => {
  await using book = await open()
  await registerAlice(book, [20, 19, 18])
  const call = ['katra:consolidate', { persona: 'Alice' }, 'one'] as const
  await interrupt(book, call, ({ subject, done }) => subject === 'digest' && done === 1)
  await expect.poll(() => digestDays(book)).toHaveLength(2)
  await book.days.consolidate({ persona: 'Alice' }, { requestId: 'one' })
  expect(await digestDays(book)).toHaveLength(3)
  const { records } = await book.records.query({ kind: 'message' })
  expect(records).toEqual([])
})

it('the end of a session ends it, and no session that began since', async () => {
  await using book = await open()
  const scope = await registerAlice(book, [5, 4])
  const { session } = await book.sessions.start({ persona: 'Alice' })
  await book.with(scope).conversation.store({ message: { content: 'Today.', source: { User: 'casey' } } })
  const call = ['katra:session_end', { persona: 'Alice' }, 'one'] as const
  await interrupt(book, call, ({ subject }) => subject === 'consolidation')
  const stateOf = async (id: string) => (await book.records.get({ id }))?.['state' as never]
  await expect.poll(() => stateOf(session)).toBe('ending')
  const again = () => book.sessions.end({ persona: 'Alice' }, { requestId: 'one' })
  expect(await again()).toMatchObject({ session, state: 'ended' })
  // No session is left to find.
  expect(await again()).toMatchObject({ session, state: 'ended' })
  const { session: next } = await book.sessions.start({ persona: 'Alice' })
  expect(await again()).toMatchObject({ session, state: 'ended' })
  expect(await stateOf(next)).toBe('open')
})

it('a start makes one session, although its first run wrote digests before it', async () => {
  await using book = await open()
  await registerAlice(book, [3, 2])
  const start = () => book.sessions.start({ persona: 'Alice' }, { requestId: 'one' })
  const { session } = await start()
  expect((await start()).session).toBe(session)
  expect((await book.sessions.list({ persona: 'Alice' })).sessions).toMatchObject([{ session }])
})

it('a forced rebuild writes its digest once', async () => {
  await using book = await open()
  await registerAlice(book, [1])
  await book.days.sundown({ persona: 'Alice' })
  const { digests } = await book.days.list({ persona: 'Alice' })
  const { id = '' } = digests[0] ?? {}
  const rebuild = () => book.days.rebuild({ id, force: true }, { requestId: 'one' })
  expect(await rebuild()).toEqual({ id, result: 'rebuilt' })
  const rebuilt = await book.records.get({ id })
  expect(await rebuild()).toEqual({ id, result: 'rebuilt' })
  expect(await book.records.get({ id })).toEqual(rebuilt)
})

it('an access request gets the receipt of its first run', async () => {
  await using book = await open()
  const request = () =>
    book.consent.request({ scopes: ['a2p:interests'], purpose: 'A test' }, { requestId: 'one' })
  const first = await request()
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(await request()).toEqual(first)
})
