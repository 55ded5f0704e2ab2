// Frames of the meeting room are smaller than the limit of a line, also with text that JSON escapes.
import { expect, it } from 'vitest'
import { eventFrames, messageFrameBytes, splitByBytes } from '../../../src/commons/room/room-wire.ts'
import type { RoomEvent } from '../../../src/core/capability/port/room-port.ts'
import { frameLimits } from '../../../src/sync/wire/live-wire.ts'

it('splits messages with control characters into frames below the limit', () => {
  const texts = ['"', '\u0001', '\n'].flatMap((char) => new Array<string>(20).fill(char.repeat(8192)))
  const frames = splitByBytes(texts, messageFrameBytes)
  expect(frames.flat()).toEqual(texts)
  for (const frame of frames) expect(JSON.stringify(frame).length).toBeLessThan(frameLimits.bytes)
  const events = texts.map((text, i): RoomEvent => {
    const message = { number: i + 1, from: 'ada', name: 'ada', text, at: '2026-01-01T00:00:00.000Z' }
    return { type: 'said', message, key: '0'.repeat(32), given: true }
  })
  for (const frame of eventFrames(events))
    expect(JSON.stringify({ type: 'room', data: frame }).length).toBeLessThan(frameLimits.bytes)
})
