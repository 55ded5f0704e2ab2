// Ten thousand messages that were right and were changed, over the doors of this process. Each is answered, in the one error
// shape or with what it asked for; what is stored is what was answered with success, and the door goes on.
import { PassThrough } from 'node:stream'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadMcp } from '../../../src/doors/mcp/mcp-book.ts'
import { createMcpServer } from '../../../src/doors/mcp/mcp-server.ts'
import { answerMessages } from '../../../src/doors/message/message.ts'
import type { Daybook } from '../../../src/book/daybook.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { grant } from '../../contract/access/token-grant.ts'
import { sayMutated } from '../../contract/door/mutated-stdio.ts'
import { checkErrorShape, mutations } from '../../contract/door/mutation.ts'

const count = 10_000
const seed = 20_261_123

let book: Daybook
beforeEach(async () => {
  book = await openDaybook({ name: 'mutated', path: ':memory:', secrets: 'off', checkpoint: false })
})
afterEach(() => book.close())

const fact = (n: number) => ({ schema: 'note', data: { text: `mutated ${n}` } })
const stored = async () => (await book.records.count({ kind: 'fact' })).total

interface Answered {
  readonly ok?: boolean
  readonly error?: unknown
  readonly answer?: { readonly id?: unknown }
}

describe('mutated messages', () => {
  it('over postMessage', async () => {
    const { token } = await grant(book, { permissions: ['read', 'write'] })
    const inside = new MessageChannel()
    using door = answerMessages(book, { as: token.token_id, from: inside.port1 })
    const { port1, port2 } = new MessageChannel()
    /** By id: the same record under the same id is stored once. */
    const succeeded = new Set<unknown>()
    let answered = 0
    let heard = () => undefined as void
    port1.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
      if (data.ok === undefined) return heard()
      answered++
      if (data.ok) succeeded.add(data.answer?.id)
      else checkErrorShape(data.error)
      heard()
    })
    port1.start()
    const until = (isIt: () => boolean) =>
      new Promise<void>((resolve) => {
        heard = () => isIt() && resolve()
        heard()
      })
    inside.port2.postMessage({ daybook: 'connect', version: 1 }, [port2])
    let sent = 0
    const right = (n: number) => ({
      id: `m${n}`,
      capability: 'kstar:store_fact',
      input: fact(n),
      requestId: `r${n}`,
    })
    for (const message of mutations(right, count, seed)) {
      port1.postMessage(message)
      sent++
      // No more than may be in flight.
      if (sent % 50 === 0) await until(() => answered === sent)
    }
    await until(() => answered === sent)
    expect(succeeded.size).toBeGreaterThan(count / 20)
    expect(succeeded.size).toBeLessThan(count / 2)
    expect(await stored()).toBe(succeeded.size)
    expect(door.connections).toBe(1)
    port1.close()
    inside.port1.close()
  })

  it('over the standard input of MCP', async () => {
    const mcp = await loadMcp()
    const input = new PassThrough()
    const output = new PassThrough()
    const handle = serveStdio(
      ({ era }) =>
        createMcpServer({
          mcp,
          era,
          sets: ['records'],
          version: '1',
          book: {
            place: 'device',
            now: () => Date.now(),
            call: (id, given, { requestId, signal } = {}) =>
              book.call(id, given, { ...(requestId ? { requestId } : {}), ...(signal ? { signal } : {}) }),
          },
        }),
      { transport: new StdioServerTransport(input, output), onerror: () => undefined },
    )
    const succeeded = await sayMutated({ input, output }, count)
    expect(succeeded.size).toBeGreaterThan(count / 20)
    expect(succeeded.size).toBeLessThan(count / 2)
    expect(await stored()).toBe(succeeded.size)
    await handle.close()
  })
})
