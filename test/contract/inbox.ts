// The inbox on every host: once for each key, handed to each agent once, dealt with, told of, and nobody else's.
import { expect, it } from 'vitest'
import { defined } from '../../src/core/defined.ts'
import { type BookCase, failure } from './book-case.ts'

export function inboxCases({ book: open, reopen }: BookCase): void {
  it('takes a message once for each key, and says so', async () => {
    const book = await open()
    const said = {
      to: 'contract',
      subject: 'Hello',
      text: 'The build is red',
      data: { run: 7 },
      key: 'build-7',
    }
    const { id, sent } = await book.inbox.send(said)
    expect(sent).toBe(true)
    expect(await book.inbox.send(said)).toEqual({ id, sent: false })
    const again = await reopen(book)
    expect(await again.inbox.send(said)).toEqual({ id, sent: false })
    const other = await failure(again.inbox.send({ ...said, text: 'The build is green' }))
    expect(other).toMatchObject({ code: 'request-reused', details: { path: 'key' } })
    expect((await again.inbox.send({ ...said, from: 'somebody-else' })).id).not.toBe(id)
    expect((await again.inbox.list()).messages).toHaveLength(2)
  })

  it('hands each message to each agent once, the oldest first, and leaves the others theirs', async () => {
    const book = await open()
    for (const [to, text] of [
      ['contract', 'one'],
      [undefined, 'two'],
      ['another', 'three'],
      ['contract', 'four'],
    ] as const)
      await book.inbox.send({ text, ...defined({ to }) })
    const texts = ({ messages }: { messages: readonly { text: string }[] }) =>
      messages.map(({ text }) => text)
    const first = await book.inbox.take({ limit: 2 })
    expect([texts(first), first.more]).toEqual([['one', 'two'], true])
    // Taken at the same time, still once.
    const [a, b] = await Promise.all([book.inbox.take(), book.inbox.take()])
    expect([...texts(a), ...texts(b)]).toEqual(['four'])
    expect(await book.inbox.take()).toEqual({ messages: [], more: false })
    expect(texts(await book.inbox.take({ agent: 'another' }))).toEqual(['two', 'three'])
    const again = await reopen(book)
    expect(texts(await again.inbox.list())).toEqual(['one', 'two', 'four'])
    const ids = first.messages.map(({ id }) => id)
    expect(await again.inbox.acknowledge({ ids: [...ids, 'no-such'] })).toEqual({ acknowledged: ids })
    expect(texts(await again.inbox.list())).toEqual(['four'])
    expect(texts(await again.inbox.list({ state: 'all' }))).toEqual(['one', 'two', 'four'])
    const page = await again.inbox.list({ state: 'all', limit: 2 })
    expect(texts(await again.inbox.list({ state: 'all', limit: 2, cursor: page.cursor }))).toEqual(['four'])
  })

  it('gives a take that is sent again the same messages', async () => {
    const book = await open()
    await book.inbox.send({ text: 'once' })
    const first = await book.inbox.take({}, { requestId: 'take-1' })
    expect(first.messages).toHaveLength(1)
    const ids = ({ messages }: { messages: readonly { id: string }[] }) => messages.map(({ id }) => id)
    expect(ids(await book.inbox.take({}, { requestId: 'take-1' }))).toEqual(ids(first))
    expect((await book.inbox.take()).messages).toEqual([])
  })

  it('tells of a message that has come, once, and recalls nothing of it', async () => {
    const book = await open()
    const heard = new Promise((resolve) => book.on('inbox', resolve))
    const { id } = await book.inbox.send({ to: 'contract', subject: 'S', text: 'zebra crossing' })
    expect(await heard).toEqual({ id, from: 'contract', to: 'contract', subject: 'S' })
    expect((await book.recall({ text: 'zebra' })).hits).toEqual([])
  })

  it.each([
    ['no text', {}, 'text'],
    ['too much text', { text: 'x'.repeat(16_001) }, 'text'],
    ['too much data', { text: 'x', data: { more: 'x'.repeat(70_000) } }, 'data'],
    ['a wrong time', { text: 'x', expiresAt: 'soon' }, 'expiresAt'],
    ['half a character', { text: 'x', to: 'a\ud800' }, 'to'],
  ])('refuses a message with %s, with the path', async (_what, input, path) => {
    const book = await open()
    const error = await failure(book.call('inbox:send', input as never))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
    expect((await book.inbox.list({ state: 'all' })).messages).toEqual([])
  })
}
