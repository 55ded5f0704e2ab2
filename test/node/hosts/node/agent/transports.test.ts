// The message of the P3394 memory specification over each of the four ways, and a way that is cut in the middle.
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createDirectTransport,
  createSocketTransport,
  createStdioTransport,
  type TransportType,
} from '../../../../../src/hosts/node/index.ts'
import { neverAborted } from '../../../../../src/core/abort.ts'
import { grant } from '../../../../contract/access/token-grant.ts'
import { failure } from '../../../../contract/book-case.ts'
import { startProcess } from '../socket/process.ts'
import { socketOf } from '../socket/raw-socket.ts'
import {
  asked,
  content,
  folder,
  id,
  newPath,
  openBook,
  openClient,
  place,
  receipt,
  send,
  stdio,
  told,
  world,
} from './agent-world.ts'

describe('13.4 the message that stores a trace', () => {
  it('is the same record and the same answer over direct, socket, MCP and HTTP, and is done once', async () => {
    const path = newPath()
    const book = await openBook(path)
    const ways = {
      direct: { transports: [createDirectTransport(book)] },
      unix_socket: { socket: socketOf(path) },
      mcp_stdio: { transports: [stdio(path)] },
      http: { url: place.url, key: world.key },
    } satisfies Record<TransportType, object>
    const records: unknown[] = []
    for (const [type, options] of Object.entries(ways)) {
      const client = openClient(options)
      const answer = await send(client, `${id}-${type}`)
      expect(answer).toEqual({ data: receipt, transportUsed: type, failedOver: [] })
      expect(await send(client, `${id}-${type}`)).toEqual(answer)
      const { trace_id } = answer.data as { trace_id: string }
      const { body } = await world.run(place, 'kstar:get_trace', { id: trace_id })
      const found = type === 'http' ? body : await book.traces.get({ id: trace_id })
      records.push(told(found as Record<string, unknown>))
    }
    expect(records[0]).toMatchObject(content[0].data)
    expect(records).toEqual(records.map(() => records[0]))
    // One for each way that leads to this book.
    expect((await book.traces.count()).total).toBe(3)
    // And what is sent over one way under an id is not done again over another.
    const both = openClient({ socket: socketOf(path), transports: [createDirectTransport(book)] })
    const first = await both.deliver({ ...asked, requestId: 'once', transport: 'unix_socket' })
    expect((await both.deliver({ ...asked, requestId: 'once', transport: 'direct' })).data).toEqual(
      first.data,
    )
    expect((await book.traces.count()).total).toBe(4)
  })

  it('is answered twice when it is sent twice at once under one id, and is one record', async () => {
    const path = newPath()
    const book = await openBook(path)
    const client = openClient({ socket: socketOf(path) })
    const [first, second] = await Promise.all([send(client), send(client)])
    expect(second.data).toEqual(first.data)
    expect((await book.traces.count()).total).toBe(1)
  })

  it('ends with its deadline over a command that never answers, which closing ends', async () => {
    const silent = createStdioTransport({
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
    })
    const message = { id, agent: 'silent', capability: 'kstar:store_trace', content: {}, source: 'test' }
    const sent = failure(Promise.resolve(silent.send(message, AbortSignal.timeout(300))))
    expect((await sent).code).toBe('aborted')
    const waiting = failure(Promise.resolve(silent.send(message, neverAborted)))
    await silent.close()
    expect((await waiting).message).toContain('the server has ended')
  })

  it('whose way is killed in the middle goes over the next one, and is one record', async () => {
    const path = newPath()
    const holder = await startProcess(path)
    const book = await openBook(path)
    const client = openClient({ socket: socketOf(path), transports: [createDirectTransport(book)] })
    client.register('kstar-memory', {
      transports: [createSocketTransport({ path: socketOf(path) }), createDirectTransport(book)],
      transport_preference: ['unix_socket', 'direct'],
    })
    const sent = Array.from({ length: 100 }, (_, i) => send(client, `killed-${i}`))
    await sent[0]
    await holder.kill()
    const answers = await Promise.all(sent)
    expect(new Set(answers.map(({ data }) => (data as { trace_id: string }).trace_id)).size).toBe(100)
    expect((await book.traces.count()).total).toBe(100)
  })

  it('whose answer is lost with its way is asked for over the next one, and was done once', async () => {
    const path = newPath()
    const book = await openBook(path)
    // It passes the message on, and ends in place of the answer.
    const lossy = createServer((socket) => {
      const real = connect(socketOf(path))
      socket.on('error', () => undefined)
      socket.pipe(real)
      real.once('data', () => {
        socket.destroy()
        real.destroy()
      })
    })
    const at = join(folder, 'lossy.sock')
    await new Promise<void>((resolve) => lossy.listen(at, resolve))
    const client = openClient({})
    client.register('kstar-memory', {
      transports: [createSocketTransport({ path: at }), stdio(path), createDirectTransport(book)],
      transport_preference: ['unix_socket', 'mcp_stdio', 'direct'],
    })
    const answer = await send(client)
    expect(answer).toEqual({ data: receipt, transportUsed: 'mcp_stdio', failedOver: ['unix_socket'] })
    expect((await book.traces.count()).total).toBe(1)
    const { trace_id } = answer.data as { trace_id: string }
    expect((await book.traces.query()).records).toMatchObject([{ id: trace_id }])
    expect(client.agents()).toMatchObject([{ agent_id: 'kstar-memory', status: 'active' }])
    lossy.close()
  })

  it('is refused over each way in the same words when something is wrong with it', async () => {
    const path = newPath()
    const book = await openBook(path)
    const ways = [
      { transports: [createDirectTransport(book)] },
      { socket: socketOf(path) },
      { transports: [stdio(path)] },
      { url: place.url, key: world.key },
    ]
    const errors: object[] = []
    for (const options of ways) {
      const client = openClient(options)
      const incomplete = { situation: {}, task: {} }
      const error = await failure(client.send({ capability: 'kstar:store_trace', content: incomplete }))
      errors.push(error.toJSON())
    }
    expect(errors[0]).toMatchObject({ code: 'invalid-input', details: { path: 'action' } })
    expect(errors).toEqual(errors.map(() => errors[0]))
    expect((await book.traces.count()).total).toBe(0)
  })

  it('may begin a process before any message, and knows a way that its token may not ask much of', async () => {
    const path = newPath()
    const book = await openBook(path)
    const client = openClient({})
    client.register('eager', { transports: [stdio(path)], auto_start: true })
    client.register('waiting', { transports: [stdio(path)] })
    const heartbeats = () => client.agents().map(({ last_heartbeat }) => last_heartbeat !== null)
    await expect.poll(heartbeats).toEqual([true, false])
    const { token } = await grant(book, { permissions: ['write'] })
    const narrow = createDirectTransport(book.with({ as: token.token_id }))
    await narrow.beat(neverAborted)
    await book.close()
    expect((await failure(Promise.resolve(narrow.beat(neverAborted)))).code).toBe('book-closed')
  })
})
