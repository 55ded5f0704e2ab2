// A book of one window, used by another over `postMessage`: who is answered, with what rights, and what becomes of messages
// that nobody should send. The windows are stand-ins; what they pass on are real ports.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  answerMessages,
  connectBook,
  type ConnectOptions,
  type MessageDoor,
} from '../../../src/doors/message/message.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'
import { grant, later } from '../../contract/access/token-grant.ts'

const app = 'https://app.example.com'

/** A window that hears what is posted to it as coming from `origin`. */
class Heard extends EventTarget {
  from(origin: string): ConnectOptions['to'] {
    return {
      postMessage: (data, { transfer }) =>
        this.dispatchEvent(
          new MessageEvent('message', { data, origin, ports: transfer as unknown as MessagePort[] }),
        ),
    }
  }
}

let book: Daybook
let as: string
const opened: MessageDoor[] = []

beforeEach(async () => {
  book = await openDaybook({ name: 'message', path: ':memory:', agent: 'owner' })
  const { token } = await grant(book, { permissions: ['read', 'write'], granted_to: 'window' })
  as = token.token_id
})
afterEach(async () => {
  for (const door of opened.splice(0)) door.close()
  await book.close()
})

const note = (text: string) => ({ schema: 'note', data: { text } })
const facts = async () => (await book.facts.query({})).records

/** A port that is connected, without the client that would mind what it sends. */
async function rawPort(window: Heard): Promise<{ readonly port: MessagePort; next(): Promise<unknown> }> {
  const { port1, port2 } = new MessageChannel()
  const heard: unknown[] = []
  const waiting: ((value: unknown) => void)[] = []
  port1.addEventListener('message', ({ data }) => {
    const wait = waiting.shift()
    if (wait) wait(data)
    else heard.push(data)
  })
  port1.start()
  const next = () =>
    new Promise((resolve) => (heard.length > 0 ? resolve(heard.shift()) : waiting.push(resolve)))
  window.from(app).postMessage({ daybook: 'connect', version: 1 }, { transfer: [port2] })
  expect(await next()).toEqual({ daybook: 'connected', version: 1 })
  return { port: port1, next }
}

/** The same as a stand-in: `globalThis` is no window here, so that a source is always named. */
const asWindow = (window: Heard) =>
  window as unknown as NonNullable<Parameters<typeof answerMessages>[1]['from']>

const answer = (window: Heard) =>
  opened.push(answerMessages(book, { as, origins: [app], from: asWindow(window) }))

describe('a book over postMessage', () => {
  it('does what another window asks for as the holder of the token', async () => {
    const window = new Heard()
    using door = answerMessages(book, { as, origins: [app], from: asWindow(window) })
    using far = await connectBook({ to: window.from(app), origin: app })
    expect(door.connections).toBe(1)
    const { id } = await far.call('kstar:store_fact', note('The key lies on the second floor'))
    expect(await facts()).toMatchObject([{ id, agent: 'window' }])
    const { hits } = await far.call('daybook:recall', { text: 'second floor' })
    expect(hits).toMatchObject([{ record: { id } }])
  })

  it('does a write once for each request id', async () => {
    const window = new Heard()
    answer(window)
    using far = await connectBook({ to: window.from(app) })
    const again = { requestId: 'retry-1' }
    expect(await far.call('kstar:store_fact', note('once'), again)).toEqual(
      await far.call('kstar:store_fact', note('once'), again),
    )
    expect(await facts()).toHaveLength(1)
  })

  it('tells what is wrong in the one error shape, and nothing is changed', async () => {
    const window = new Heard()
    answer(window)
    using far = await connectBook({ to: window.from(app) })
    const call = (id: string, input?: unknown) => far.call(id as never, input as never)
    const codes = async (...calls: Promise<unknown>[]) =>
      Promise.all(calls.map(async (one) => (await failure(one)).code))
    expect(
      await codes(
        call('kstar:store_fact', { schema: 'note' }),
        call('kstar:purge', {}),
        call('daybook:none', {}),
        call('kstar:grant_control_token', {}),
        call('kstar:store_fact', () => 'no data'),
        call('kstar:store_fact', new Map()),
      ),
    ).toEqual([
      'invalid-input',
      'forbidden',
      'unknown-capability',
      'forbidden',
      'invalid-input',
      'invalid-input',
    ])
    expect(await facts()).toEqual([])
  })

  it('answers no window whose origin was not named, and no window without one', async () => {
    const window = new Heard()
    using door = answerMessages(book, { as, origins: [app], from: asWindow(window) })
    for (const origin of [
      'https://app.example.com.evil.org',
      'http://app.example.com',
      'null',
      `${app}:8443`,
    ]) {
      const { code, details } = await failure(connectBook({ to: window.from(origin) }))
      expect({ code, details }).toMatchObject({ code: 'forbidden', details: { origin, reason: 'origin' } })
    }
    expect(door.connections).toBe(0)
  })

  it('takes what has no origin only from what it was told to listen to: a worker, a port', async () => {
    const { port1, port2 } = new MessageChannel()
    opened.push(answerMessages(book, { as, from: port1 }))
    using far = await connectBook({ to: port2 as unknown as ConnectOptions['to'] })
    expect(await far.call('kstar:get_stats')).toMatchObject({ kinds: {} })
    port1.close()
  })

  it.each([
    ['options.as', {}],
    ['options.as', { origins: [app] }],
    ['options.from', { as: 'token::1', origins: [app] }],
    ['options.origins.0', { as: 'token::1', origins: ['*'] }],
    ['options.origins.0', { as: 'token::1', origins: ['null'] }],
    ['options.origins.0', { as: 'token::1', origins: [`${app}/page`] }],
    ['options.origins.1', { as: 'token::1', origins: [app, 'https://*.example.com'] }],
    ['options.connections', { as: 'token::1', origins: [app], connections: 0 }],
  ])('is not opened with %s wrong: %j', (path, options) => {
    expect(() => answerMessages(book, options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-input', details: expect.objectContaining({ path }) }),
    )
  })

  it('is not opened in a window without origins', () => {
    vi.stubGlobal('document', {})
    try {
      expect(() => answerMessages(book, { as })).toThrow(/options\.origins/)
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('serves the page that started this worker, when `self` is named', async () => {
    const listeners: ((event: MessageEvent) => void)[] = []
    vi.stubGlobal('addEventListener', (type: string, listener: (event: MessageEvent) => void) => {
      if (type === 'message') listeners.push(listener)
    })
    vi.stubGlobal('removeEventListener', () => undefined)
    try {
      using door = answerMessages(book, { as, from: globalThis as never })
      const { port1, port2 } = new MessageChannel()
      const reply = new Promise((resolve) => port1.addEventListener('message', ({ data }) => resolve(data)))
      port1.start()
      const data = { daybook: 'connect', version: 1 }
      for (const listener of listeners) listener({ data, origin: '', ports: [port2] } as never)
      expect(await reply).toMatchObject({ daybook: 'connected' })
      expect(door.connections).toBe(1)
      port1.close()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('has nothing for a token that was revoked', async () => {
    const window = new Heard()
    answer(window)
    using far = await connectBook({ to: window.from(app) })
    await book.tokens.revoke({ token_id: as, reason: 'over' })
    expect((await failure(far.call('kstar:get_stats'))).code).toBe('unauthorized')
  })

  it('answers again once the clock that had ended its token was reset', async () => {
    const { token } = await grant(book, { permissions: ['write'], granted_to: 'window', expires_at: later })
    const window = new Heard()
    opened.push(answerMessages(book, { as: token.token_id, origins: [app], from: asWindow(window) }))
    const far = await connectBook({ to: window.from(app) })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(later) + 1000 })
    try {
      await book.facts.store(note('of the owner'))
      expect((await failure(far.call('kstar:store_fact', note('no')))).code).toBe('unauthorized')
      await book.tokens.grant({
        scope: '**',
        permissions: ['read'],
        granted_to: 'x',
        expires_at: '2200-01-01T00:00:00.000Z',
      })
      expect((await far.closed).code).toBe('unauthorized')
      expect((await failure(connectBook({ to: window.from(app) }))).code).toBe('unauthorized')
    } finally {
      vi.useRealTimers()
    }
    await book.resetClock()
    using near = await connectBook({ to: window.from(app) })
    expect(await near.call('kstar:store_fact', note('yes'))).toMatchObject({
      id: expect.any(String) as string,
    })
    await book.tokens.revoke({ token_id: token.token_id, reason: 'over' })
    expect((await near.closed).code).toBe('unauthorized')
    expect((await failure(connectBook({ to: window.from(app) }))).code).toBe('unauthorized')
  })

  it('ends with its window: the calls of one that is gone are given up, and its place is free', async () => {
    const window = new Heard()
    using door = answerMessages(book, { as, origins: [app], from: asWindow(window), connections: 1 })
    const far = await connectBook({ to: window.from(app) })
    expect((await failure(connectBook({ to: window.from(app) }))).code).toBe('rate-limited')
    const call = failure(far.call('kstar:get_stats'))
    far.close()
    expect((await call).code).toBe('book-closed')
    expect((await failure(far.call('kstar:get_stats'))).code).toBe('book-closed')
    await expect.poll(() => door.connections).toBe(0)
    using next = await connectBook({ to: window.from(app) })
    expect(await next.call('kstar:get_stats')).toMatchObject({ kinds: {} })
  })

  it.each(['the door', 'the book'])('ends for all when %s is closed', async (what) => {
    const window = new Heard()
    const door = answerMessages(book, { as, origins: [app], from: asWindow(window) })
    const far = await connectBook({ to: window.from(app) })
    if (what === 'the door') door.close()
    else await book.close()
    const refused = failure(far.call('kstar:get_stats'))
    expect([(await refused).code, (await far.closed).code, door.connections]).toEqual([
      'book-closed',
      'book-closed',
      0,
    ])
    expect((await failure(connectBook({ to: window.from(app), deadlineMs: 20 }))).code).toBe(
      'deadline-exceeded',
    )
  })

  it('goes on over a port that its window has handed to another, with the same token', async () => {
    const window = new Heard()
    answer(window)
    const { port } = await rawPort(window)
    const { port1, port2 } = new MessageChannel()
    port1.postMessage(null, [port])
    const moved = await new Promise<MessagePort>((resolve) => {
      port2.addEventListener('message', ({ ports }) => resolve(ports[0] as MessagePort))
      port2.start()
    })
    const told = new Promise((resolve) => {
      moved.addEventListener('message', ({ data }) => resolve(data))
      moved.start()
    })
    moved.postMessage({ id: 'a', capability: 'kstar:purge', input: {} })
    expect(await told).toMatchObject({ id: 'a', ok: false, error: { code: 'forbidden' } })
    moved.close()
    port1.close()
  })

  it('stops counting a message at the limit, even one that holds itself', async () => {
    const window = new Heard()
    answer(window)
    const { port, next } = await rawPort(window)
    const round: Record<string, unknown> = {}
    round['itself'] = round
    let shared: unknown[] = []
    for (let depth = 0; depth < 60; depth++) shared = [shared, shared]
    // 800,000 characters of three bytes.
    const chinese = '\u4e2d'.repeat(800_000)
    for (const input of [
      'x'.repeat(2_100_001),
      chinese,
      { [chinese]: 1 },
      new Uint8Array(3_000_000),
      round,
      shared,
    ]) {
      port.postMessage({ id: 'large', capability: 'kstar:store_fact', input })
      expect(await next()).toMatchObject({
        id: 'large',
        ok: false,
        error: { code: 'too-large', details: { limitBytes: 2_100_000 } },
      })
    }
    expect(await facts()).toEqual([])
    port.close()
  })

  it('answers what is no call, closes ports that come along, and goes on', async () => {
    const window = new Heard()
    answer(window)
    const { port, next } = await rawPort(window)
    for (const message of [null, 1, 'text', [], {}, { id: 7 }, { id: 'a' }, { id: 'a', capability: '' }]) {
      port.postMessage(message)
      expect(await next()).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
    }
    const { port1, port2 } = new MessageChannel()
    const closed = new Promise((resolve) => port1.addEventListener('close', resolve))
    port.postMessage({ id: 'b', capability: 'kstar:get_stats' }, [port2])
    expect(await next()).toMatchObject({
      id: 'b',
      error: { code: 'invalid-input', details: { path: 'ports' } },
    })
    await closed
    port.postMessage({ id: 'c', capability: 'kstar:get_stats' })
    expect(await next()).toMatchObject({ id: 'c', ok: true })
    port.close()
  })

  it('gives up a call that its caller has cancelled', async () => {
    const window = new Heard()
    answer(window)
    using far = await connectBook({ to: window.from(app) })
    const leaving = new AbortController()
    const call = failure(far.call('kstar:get_stats', undefined, { signal: leaving.signal }))
    leaving.abort()
    expect(await call).toMatchObject({ code: 'aborted', details: { mayHaveBegun: true } })
    expect(await far.call('kstar:get_stats')).toMatchObject({ kinds: {} })
    // A call that is cancelled before it is sent is not sent.
    const unsent = failure(far.call('kstar:store_perception', { content: 'x' }, { signal: leaving.signal }))
    expect((await unsent).details).toEqual({})
    expect(await far.call('kstar:get_stats')).toMatchObject({ total: 0 })
  })

  it('refuses an origin to which no message can be sent', async () => {
    const to = {
      postMessage: () => {
        throw new DOMException('Invalid target origin', 'SyntaxError')
      },
    }
    const error = await failure(connectBook({ to, origin: 'app.example.com' }))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'options.origin' } })
  })
})

it('a page that ends ends its connections; one in the back-forward cache keeps them', async () => {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  try {
    const window = new Heard()
    const door = answerMessages(book, { as, origins: [app], from: asWindow(window) })
    opened.push(door)
    const { next } = await rawPort(window)
    page.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }))
    expect(door.connections).toBe(1)
    page.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }))
    expect(door.connections).toBe(0)
    expect(await next()).toMatchObject({ daybook: 'closed', error: { code: 'book-closed' } })
  } finally {
    vi.unstubAllGlobals()
  }
})
