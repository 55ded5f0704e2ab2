// What a line of version 2 may say, and who hears it, on any host of mirrors; and that a line of version 1 is as it was.
import { describe, expect, it } from 'vitest'

/** A socket to a mirror; what it hears comes out one by one, its end last. */
export interface TalkSocket {
  readonly protocol: string
  send(text: string | Uint8Array): void
  close(code: number): void
  next(): Promise<string>
}

export interface LineHost {
  newBook(): string
  /** Calls a capability of the book as its owner, or with `key`. */
  run(book: string, id: string, input: unknown): Promise<unknown>
  ticket(
    book: string,
    body: object,
    key?: string,
  ): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
  /** Shows a ticket, at another process each time where there are several. */
  open(book: string, ticket: string, protocols: readonly string[]): Promise<TalkSocket>
}

const both = ['daybook.live.2', 'daybook.live.1']
const talk = (text: string, more: object = {}) => JSON.stringify({ type: 'room', data: { text }, ...more })
const envelope = (text: string, more: object = {}) =>
  JSON.stringify({ type: 'envelope', data: { text }, ...more })

export function lineFrameCases(host: LineHost): void {
  const { newBook, run } = host
  interface Asked {
    readonly device?: string
    readonly for?: readonly string[]
    readonly key?: string
    readonly protocols?: readonly string[]
  }
  const listen = async (book: string, { device = 'd_one', key, protocols = both, ...asked }: Asked = {}) => {
    const { status, body } = await host.ticket(book, { device, ...asked }, key)
    expect([status, body['code']]).toEqual([200, undefined])
    return host.open(book, String(body['ticket']), protocols)
  }
  const everything = ['sync', 'room', 'pool']
  const makeKey = async (book: string, input: object) =>
    (await run(book, 'daybook:create_access_key', { name: 'guest', ...input })) as { id: string; key: string }
  /** Behind whatever the mirror had said before. */
  const isQuiet = async (socket: TalkSocket) => {
    socket.send('ping')
    expect(await socket.next()).toBe('pong')
  }

  describe('the frames of a line', () => {
    it('O2 a mirror takes the newest version that is offered', async () => {
      const book = newBook()
      const protocolOf = async (protocols: readonly string[]) => (await listen(book, { protocols })).protocol
      expect(await protocolOf(both)).toBe('daybook.live.2')
      expect(await protocolOf(both.toReversed())).toBe('daybook.live.2')
      expect(await protocolOf(['daybook.live.1'])).toBe('daybook.live.1')
      expect(await protocolOf(['daybook.live.9', 'daybook.live.2'])).toBe('daybook.live.2')
    })

    it('O6 hands talk on to the others of its purpose, in order, with who said it, and not back', async () => {
      const book = newBook()
      const [one, two, pool] = [
        await listen(book, { for: ['room'] }),
        await listen(book, { device: 'd_two', for: everything }),
        await listen(book, { device: 'd_three', for: ['pool'] }),
      ]
      // Only who fetches is told where the mirror stands.
      expect(JSON.parse(await two.next())).toEqual({ type: 'poke', seq: 0 })
      for (let i = 1; i <= 3; i++) one.send(talk(`${i}`))
      for (let i = 1; i <= 3; i++)
        expect(JSON.parse(await two.next())).toEqual({
          type: 'room',
          data: { text: `${i}` },
          from: { device: 'd_one' },
        })
      two.send(envelope('to all'))
      const told = { type: 'envelope', data: { text: 'to all' }, from: { device: 'd_two' } }
      expect(JSON.parse(await pool.next())).toEqual(told)
      for (const socket of [one, two, pool]) await isQuiet(socket)
    })

    it('O6 hands on to one device alone what is for it, and the words of whoever says it stay his', async () => {
      const book = newBook()
      const { key } = await makeKey(book, { permissions: ['write'], scope: '**', holder: 'agent:guest' })
      const [owner, other, guest] = [
        await listen(book, { for: ['room'] }),
        await listen(book, { device: 'd_two', for: ['room'] }),
        await listen(book, { device: 'd_guest', for: ['room'], key }),
      ]
      guest.send(talk('only you', { to: 'd_two' }))
      guest.send(talk('all of you'))
      const from = { device: 'd_guest', agent: 'agent:guest' }
      expect(JSON.parse(await other.next())).toEqual({ type: 'room', data: { text: 'only you' }, from })
      expect(JSON.parse(await other.next())).toEqual({ type: 'room', data: { text: 'all of you' }, from })
      expect(JSON.parse(await owner.next())).toEqual({ type: 'room', data: { text: 'all of you' }, from })
      // Nobody says who it is.
      guest.send(talk('as the owner', { from: { device: 'd_one' } }))
      expect(await guest.next()).toBe('closed 4400')
      await isQuiet(owner)
    })

    it('O6 a long word arrives whole, and one that is too long ends the line that says it', async () => {
      const book = newBook()
      const [one, two] = [
        await listen(book, { for: ['pool'] }),
        await listen(book, { device: 'd_two', for: ['pool'] }),
      ]
      const long = `${'\\"😀é\n'.repeat(7000)}`.slice(0, 30_000)
      one.send(envelope(long.slice(0, 20_000)))
      expect(JSON.parse(await two.next())).toMatchObject({ data: { text: long.slice(0, 20_000) } })
      one.send(envelope('x'.repeat(70_000)))
      expect(await one.next()).toBe('closed 1009')
      await isQuiet(two)
    })

    it('O7 leaves alone a type that it does not know, and ends a line over a frame that is none', async () => {
      const book = newBook()
      const two = await listen(book, { device: 'd_two', for: ['room'] })
      const one = await listen(book, { for: ['room'] })
      one.send('{"type":"later","x":1}')
      one.send(talk('still there'))
      expect(JSON.parse(await two.next())).toMatchObject({ data: { text: 'still there' } })
      for (const bad of [
        'x',
        '{',
        '[]',
        'null',
        '7',
        '{}',
        '{"type":7}',
        '{"type":"room"}',
        '{"type":"room","data":[]}',
        '{"type":"room","data":{},"to":"nobody"}',
        '{"type":"room","data":{},"more":1}',
      ]) {
        const line = await listen(book, { device: 'd_bad', for: ['room'] })
        line.send(bad)
        expect([bad, await line.next()]).toEqual([bad, 'closed 4400'])
      }
      const line = await listen(book, { device: 'd_bad', for: ['room'] })
      line.send(new Uint8Array([1]))
      expect(await line.next()).toBe('closed 4400')
      await isQuiet(two)
    })

    it('O7 ends a line that says what its ticket is not for, or more than a line may', async () => {
      const book = newBook()
      const two = await listen(book, { device: 'd_two', for: ['room', 'pool'] })
      const one = await listen(book)
      await one.next()
      one.send(talk('not mine'))
      expect(await one.next()).toBe('closed 4403')
      const pool = await listen(book, { for: ['pool'] })
      pool.send('{"type":"poke","seq":0}')
      expect(await pool.next()).toBe('closed 4403')
      await isQuiet(two)
      const loud = await listen(book, { for: ['room'] })
      for (let i = 0; i < 2000; i++) loud.send('{"type":"later"}')
      expect(await loud.next()).toBe('closed 4429')
    })

    it('O8 a device says up to where it has read, and is told at once what is newer', async () => {
      const book = newBook()
      const line = await listen(book)
      expect(JSON.parse(await line.next())).toEqual({ type: 'poke', seq: 0 })
      const believed = { type: 'belief', subject: 's', content: 'c', confidence: 1 }
      await run(book, 'kstar:store_perception', believed)
      expect(JSON.parse(await line.next())).toEqual({ type: 'poke', seq: 1 })
      // It has not come: it is not told again until it has, or says that it has read.
      await run(book, 'kstar:store_perception', believed)
      line.send('{"type":"poke","seq":1}')
      expect(JSON.parse(await line.next())).toEqual({ type: 'poke', seq: 2 })
      line.send('{"type":"poke","seq":2}')
      await isQuiet(line)
      line.send('{"type":"poke","seq":9007199254740991}')
      await isQuiet(line)
      await run(book, 'kstar:store_perception', believed)
      expect(JSON.parse(await line.next())).toEqual({ type: 'poke', seq: 3 })
    })

    it('O2 O6 a line of version 1 hears pokes and nothing else, and says nothing', async () => {
      const book = newBook()
      const old = await listen(book, { device: 'd_old', for: everything, protocols: ['daybook.live.1'] })
      expect(JSON.parse(await old.next())).toEqual({ type: 'poke', seq: 0 })
      const one = await listen(book, { for: ['room'] })
      one.send(talk('to those who understand'))
      await isQuiet(one)
      await isQuiet(old)
      await run(book, 'kstar:store_perception', { type: 'belief', subject: 's', content: 'c', confidence: 1 })
      expect(JSON.parse(await old.next())).toEqual({ type: 'poke', seq: 1 })
      old.send(talk('not in this version'))
      expect(await old.next()).toBe('closed 4400')
    })

    it('O1 a ticket names what it is for, and needs the right of each', async () => {
      const book = newBook()
      const codeOf = async (asked: object, key?: string) => {
        const { body } = await host.ticket(book, { device: 'd_one', ...asked }, key)
        return [body['code'] ?? 'ok', (body['details'] as { path?: string } | undefined)?.path]
      }
      for (const wrong of [{ for: [] }, { for: ['sync', 'sync'] }, { for: ['all'] }, { for: 'sync' }])
        expect((await codeOf(wrong))[0]).toBe('invalid-input')
      expect(await codeOf({ for: everything })).toEqual(['ok', undefined])
      const syncs = await makeKey(book, { permissions: ['sync'] })
      expect(await codeOf({}, syncs.key)).toEqual(['ok', undefined])
      for (const one of ['room', 'pool'])
        expect(await codeOf({ for: ['sync', one] }, syncs.key)).toEqual(['forbidden', 'for'])
      const writes = await makeKey(book, { permissions: ['write'] })
      expect(await codeOf({}, writes.key)).toEqual(['forbidden', 'capability'])
      expect(await codeOf({ for: ['room', 'pool'] }, writes.key)).toEqual(['ok', undefined])
      const narrow = await makeKey(book, { permissions: ['write'], scope: 'agent:x' })
      expect(await codeOf({ for: ['room'] }, narrow.key)).toEqual(['forbidden', 'scope'])
      expect(await codeOf({ for: ['pool'] }, narrow.key)).toEqual(['forbidden', 'scope'])
      const talks = await makeKey(book, { permissions: ['write'], scope: 'meeting-room' })
      expect(await codeOf({ for: ['room'] }, talks.key)).toEqual(['ok', undefined])
    })

    it('O5 O6 what is said with a key that has ended goes to nobody', async () => {
      const book = newBook()
      const { id, key } = await makeKey(book, { permissions: ['write'] })
      const [owner, guest] = [
        await listen(book, { for: ['room'] }),
        await listen(book, { device: 'd_guest', for: ['room'], key }),
      ]
      await run(book, 'daybook:revoke_access_key', { id })
      guest.send(talk('too late'))
      expect(await guest.next()).toBe('closed 4401')
      await isQuiet(owner)
    })

    it('O9 answers the close frame of a client, with its code', async () => {
      const book = newBook()
      for (const code of [1000, 3999]) {
        const line = await listen(book, { for: ['room'] })
        line.close(code)
        expect(await line.next()).toBe(`closed ${code}`)
      }
    })
  })
}
