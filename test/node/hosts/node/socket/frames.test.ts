// Frames on the socket of a book: halves, many at once, and those that lie, drip or never end.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { FrameLine } from '../../../../../src/hosts/node/socket/frame-line.ts'
import { FrameReader, toFrame } from '../../../../../src/hosts/node/socket/frame-reader.ts'
import { storeTraceMessage } from '../../../../contract/seed-shape/specification-data.ts'
import { frameOf, openRaw, socketOf } from './raw-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-frames-'))
const path = join(folder, 'frames.daybook')
let book: Daybook
beforeAll(async () => {
  book = await openDaybook({ name: 'frames', path })
})
afterAll(async () => {
  await book.close()
  rmSync(folder, { recursive: true, force: true })
})

it('frames come out as they went in, however they are cut up and put together', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 8 }), fc.array(fc.nat(40)), (values, cuts) => {
      const bytes = Buffer.concat(values.map((value) => toFrame(value, 1_000_000)))
      const reader = new FrameReader(1_000_000)
      const found: unknown[] = []
      const take = (piece: Buffer) => {
        reader.push(piece)
        for (let one = reader.next(); one; one = reader.next()) found.push(one.message)
      }
      let at = 0
      for (const cut of cuts) take(bytes.subarray(at, (at += cut)))
      take(bytes.subarray(at))
      expect(found).toEqual(values.map((value) => JSON.parse(JSON.stringify(value)) as unknown))
      expect(reader.hasPart).toBe(false)
    }),
    { seed: 3394, numRuns: 200 },
  )
})

it('many messages may be under way on one connection, each is answered once', async () => {
  const raw = await openRaw(socketOf(path))
  const messages = Array.from({ length: 200 }, (_, i) => ({ ...storeTraceMessage, id: `many-${i}` }))
  const bytes = Buffer.concat(messages.map(frameOf))
  // In halves that end wherever they end.
  for (let at = 0; at < bytes.length; at += 997) raw.socket.write(bytes.subarray(at, at + 997))
  const answered: unknown[] = []
  for (const _ of messages) answered.push(((await raw.next()) as { reply_to: string }).reply_to)
  expect(answered.toSorted()).toEqual(messages.map(({ id }) => id).toSorted())
  raw.socket.end()
})

it('who asks without end and reads nothing is not read either, until it reads', async () => {
  const answer = { text: 'x'.repeat(500_000) }
  let mostBytes = 0
  const server = createServer((socket) => {
    const line = new FrameLine(socket, {
      waitsForReader: true,
      hear() {
        line.post(answer)
        mostBytes = Math.max(mostBytes, socket.writableLength)
      },
      closed: () => undefined,
    })
  })
  const place = join(folder, 'flood.socket')
  await new Promise<void>((resolve) => server.listen(place, resolve))
  const raw = await openRaw(place)
  raw.socket.pause()
  await new Promise<void>((resolve) => {
    raw.socket.write(Buffer.concat(Array.from({ length: 100 }, () => frameOf({ ask: 1 }))), () => resolve())
  })
  raw.socket.resume()
  for (let i = 0; i < 100; i++) expect(await raw.next()).toEqual(answer)
  expect(mostBytes).toBeLessThan(6_000_000)
  raw.socket.end()
  server.close()
})

const refusal = (code: string) => ({
  type: 'refuse',
  error: { code, message: expect.any(String) as string, retry: false, details: expect.anything() as object },
})

it.each([
  ['says that it is 4 GB long', Buffer.from([0xff, 0xff, 0xff, 0xff]), 'too-large'],
  ['is one byte too long', Buffer.from([0, 0x10, 0, 1]), 'too-large'],
  ['is empty', Buffer.from([0, 0, 0, 0]), 'invalid-input'],
  ['is no JSON', frameOf('{"id"'), 'invalid-input'],
  ['is no UTF-8', Buffer.from([0, 0, 0, 2, 0xc3, 0x28]), 'invalid-input'],
  ['joins as nobody', frameOf({ type: 'join' }), 'invalid-input'],
  ['presents no token', frameOf({ t: 'auth' }), 'invalid-input'],
])('a frame that %s ends its own connection with an error, and no other', async (_what, bytes, code) => {
  const other = await openRaw(socketOf(path))
  const raw = await openRaw(socketOf(path))
  raw.socket.write(bytes)
  expect(await raw.rest()).toEqual([refusal(code)])
  expect(await other.ask({ ...storeTraceMessage, id: `beside ${code}` })).toMatchObject({ type: 'error' })
  expect(await other.ask({ ...storeTraceMessage, id: 'beside' })).toMatchObject({ type: 'response' })
  other.socket.end()
})

it('a frame that claims to be long costs what has come of it, and its end in the middle costs nothing', async () => {
  const before = process.memoryUsage().arrayBuffers
  const raws = await Promise.all(Array.from({ length: 50 }, () => openRaw(socketOf(path))))
  for (const { socket } of raws) socket.write(Buffer.from([0, 0x10, 0, 0, 0x7b]))
  const other = await openRaw(socketOf(path))
  expect(await other.ask({ ...storeTraceMessage, id: 'meanwhile' })).toMatchObject({ type: 'response' })
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  for (const { socket } of raws) socket.destroy()
  expect(await other.ask({ ...storeTraceMessage, id: 'after' })).toMatchObject({ type: 'response' })
  other.socket.end()
})

it('who says nothing, drips, or never ends a frame is cut off', async () => {
  const server = createServer((socket) => {
    void new FrameLine(socket, {
      timeouts: { firstMs: 300, frameMs: 300 },
      hear: () => undefined,
      closed: () => undefined,
    })
  })
  const at = join(folder, 'slow.sock')
  await new Promise<void>((resolve) => server.listen(at, resolve))
  const silent = await openRaw(at)
  const endless = await openRaw(at)
  endless.socket.write(frameOf('1'))
  endless.socket.write(Buffer.from([0, 0, 0, 9, 0x31]))
  const dripping = await openRaw(at)
  const drip = setInterval(() => dripping.socket.write(Buffer.from([0])), 5)
  expect(await Promise.all([silent, endless, dripping].map((raw) => raw.rest()))).toEqual([[], [], []])
  clearInterval(drip)
  server.close()
})
