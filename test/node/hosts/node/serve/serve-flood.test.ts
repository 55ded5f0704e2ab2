// One caller of `daybook serve` that sends without end, on bare sockets, beside one that behaves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientFrame, opcodes, openRawLine } from '../../../../support/server/raw-line.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { start, ask, run, open, close } = createServeWorld()

const many = (frame: Buffer) => Buffer.concat(Array.from({ length: 6000 }, () => frame))
const megabyte = 1_000_000

const floods: readonly (readonly [string, Buffer])[] = [
  ['pings', many(clientFrame(opcodes.ping))],
  ['pings that carry something', many(clientFrame(opcodes.ping, 'x'.repeat(125)))],
  ['pongs', many(clientFrame(opcodes.pong))],
  ['heartbeats', many(clientFrame(opcodes.text, 'ping'))],
  ['frames that are left alone', many(clientFrame(opcodes.text, '{"type":"later"}'))],
]

describe.skipIf(skipped !== '')(`A flood at \`daybook serve\`${skipped}`, { timeout: 60_000 }, () => {
  let url = ''
  beforeAll(async () => {
    await open()
    ;({ url } = await start())
  })
  afterAll(close)

  const lineOf = async (book: string, device: string) => {
    const { body } = await ask(`${url}/v1/books/${book}/live`, { device, for: ['room'] })
    return openRawLine(url, book, String(body['ticket']))
  }

  it.each(floods)('of %s ends its line with a code, before it cost memory', async (_name, bytes) => {
    const line = await lineOf('flooded', 'd_flood')
    const before = process.memoryUsage().rss
    const sent = await line.flood(bytes, 40 * megabyte)
    expect(await line.ended()).toBe(4429)
    expect(sent).toBeLessThan(40 * megabyte)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte)
  })

  it('of heartbeats whose answers nobody reads ends its line as well', async () => {
    const line = await lineOf('flooded', 'd_flood')
    line.socket.pause()
    const before = process.memoryUsage().rss
    expect(await line.flood(floods[3]?.[1] ?? Buffer.alloc(0), 40 * megabyte)).toBeLessThan(40 * megabyte)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte)
  })

  it('of pieces of a frame that never ends ends its line', async () => {
    const line = await lineOf('flooded', 'd_flood')
    line.socket.write(clientFrame(opcodes.text, '', false))
    const sent = await line.flood(many(clientFrame(opcodes.continuation, '', false)), 40 * megabyte)
    expect(await line.ended()).toBe(1008)
    expect(sent).toBeLessThan(40 * megabyte)
  })

  it('over twenty lines leaves an honest caller of another book its answers', async () => {
    const p95 = async (times: number) => {
      const took: number[] = []
      for (let i = 0; i < times; i++) {
        const began = performance.now()
        expect((await run({ url, book: 'honest' }, 'daybook:status', {})).status).toBe(200)
        took.push(performance.now() - began)
      }
      return took.toSorted((a, b) => a - b)[Math.floor(times * 0.95)] ?? 0
    }
    await p95(20)
    const quiet = await p95(100)
    const lines = await Promise.all(Array.from({ length: 20 }, (_, i) => lineOf('flooded', `d_flood${i}`)))
    const bytes = floods[3]?.[1] ?? Buffer.alloc(0)
    const before = process.memoryUsage().rss
    const flooding = Promise.all(lines.map((line) => line.flood(bytes, 40 * megabyte)))
    const beside = await p95(100)
    await flooding
    expect(await Promise.all(lines.map((line) => line.ended()))).toEqual(lines.map(() => 4429))
    // Twice what it takes when all is quiet, and what a loaded machine may add.
    expect(beside).toBeLessThan(2 * quiet + 100)
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * megabyte)
  })

  it('of talk is paid for by the caller, however many lines it has', async () => {
    const lines = await Promise.all(Array.from({ length: 20 }, (_, i) => lineOf('talked', `d_talk${i}`)))
    const said = Buffer.concat(
      Array.from({ length: 190 }, () =>
        clientFrame(opcodes.text, '{"type":"room","data":{},"to":"d_nobody"}'),
      ),
    )
    // Each of them keeps to what one line may bring.
    for (const { socket } of lines) socket.write(said)
    const first = await Promise.race(lines.map((line) => line.ended()))
    expect(first).toBe(4429)
    for (const { socket } of lines) socket.destroy()
    expect((await run({ url, book: 'talked' }, 'daybook:status', {})).status).toBe(200)
  })

  it('of requests to be upgraded that are refused leaves no connection behind', async () => {
    await expect(openRawLine(url, 'flooded', 'not-a-ticket-that-anybody-gave')).rejects.toThrow('401')
  })
})
