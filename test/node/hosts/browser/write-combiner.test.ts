// The write combiner may change how often a file is written to, never what is read from it or in which order it grew.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SyncHandle } from '../../../../src/hosts/browser/storage/reserved-handle.ts'
import { WriteCombiner } from '../../../../src/hosts/browser/storage/write-combiner.ts'

/** A file in memory that counts its writes and can be made to take less than it is given. */
function createFile(): SyncHandle & { bytes: number[]; writes: number; room: number } {
  const view = (buffer: AllowSharedBufferSource) =>
    ArrayBuffer.isView(buffer)
      ? new Uint8Array(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength)
      : new Uint8Array(buffer as ArrayBuffer)
  const file = {
    bytes: [] as number[],
    writes: 0,
    room: Number.POSITIVE_INFINITY,
    read(buffer: AllowSharedBufferSource, { at = 0 } = {}) {
      const part = file.bytes.slice(at, at + buffer.byteLength)
      view(buffer).set(part)
      return part.length
    },
    write(buffer: AllowSharedBufferSource, { at = 0 } = {}) {
      const part = view(buffer).subarray(0, file.room)
      while (file.bytes.length < at) file.bytes.push(0)
      part.forEach((byte, i) => (file.bytes[at + i] = byte))
      file.writes += 1
      return part.length
    },
    truncate(size: number) {
      file.bytes.length = Math.min(size, file.bytes.length)
      while (file.bytes.length < size) file.bytes.push(0)
    },
    getSize: () => file.bytes.length,
    flush: () => undefined,
    close: () => undefined,
  }
  return file
}

describe('WriteCombiner', () => {
  it('gives a run of adjacent writes to the file as one, when it is settled', () => {
    const [combiner, file] = [new WriteCombiner(), createFile()]
    const handle = combiner.wrap(file)
    for (let i = 0; i < 10; i++) handle.write(new Uint8Array([i, i]), { at: i * 2 })
    expect(file.writes).toBe(0)
    combiner.settle()
    expect([file.writes, file.bytes.length]).toEqual([1, 20])
  })

  it('counts bytes, not words', () => {
    const [combiner, file] = [new WriteCombiner(), createFile()]
    const handle = combiner.wrap(file)
    expect(handle.write(new Uint32Array([0x01020304, 0xffffffff]), { at: 0 })).toBe(8)
    combiner.settle()
    expect(file.bytes).toEqual([4, 3, 2, 1, 255, 255, 255, 255])
  })

  it('says when the file did not take everything, and tries again', () => {
    const [combiner, file] = [new WriteCombiner(), createFile()]
    const handle = combiner.wrap(file)
    handle.write(new Uint8Array(10).fill(7), { at: 0 })
    file.room = 4
    expect(() => combiner.settle()).toThrow(/4 of 10/)
    file.room = Number.POSITIVE_INFINITY
    combiner.settle()
    expect(file.bytes).toEqual(new Array(10).fill(7))
  })

  it('fails the write that ends a commit where the file has no room, and leaves nothing of it', () => {
    const [combiner, file] = [new WriteCombiner(), createFile()]
    const handle = combiner.wrap(file)
    // https://sqlite.org/fileformat.html#wal_frame_header: a frame that commits says how many pages there are.
    const frame = (pages: number) => {
      const header = new Uint8Array(24)
      new DataView(header.buffer).setUint32(4, pages)
      return header
    }
    const write = (bytes: Uint8Array<ArrayBuffer>, at: number) => handle.write(bytes, { at })
    write(frame(0), 0)
    write(new Uint8Array(512).fill(1), 24)
    write(frame(2), 536)
    expect(file.writes).toBe(0)
    file.room = 100
    expect(() => write(new Uint8Array(512).fill(2), 560)).toThrow(/100 of 1072/)
    file.room = Number.POSITIVE_INFINITY
    combiner.settle()
    expect(file.writes).toBe(1)
  })

  it('holds no write of one file back over a later one of another', () => {
    const [combiner, first, second] = [new WriteCombiner(), createFile(), createFile()]
    combiner.wrap(first).write(new Uint8Array([1]), { at: 0 })
    combiner.wrap(second).write(new Uint8Array([2]), { at: 0 })
    expect([first.writes, second.writes]).toEqual([1, 0])
  })

  const step = fc.oneof(
    fc.record({
      do: fc.constant('write' as const),
      file: fc.nat(1),
      at: fc.nat(60),
      data: fc.uint8Array({ maxLength: 12 }),
    }),
    fc.record({
      do: fc.constant('append' as const),
      file: fc.nat(1),
      data: fc.uint8Array({ minLength: 1, maxLength: 12 }),
    }),
    fc.record({ do: fc.constant('read' as const), file: fc.nat(1), at: fc.nat(80), size: fc.nat(20) }),
    fc.record({ do: fc.constant('truncate' as const), file: fc.nat(1), size: fc.nat(60) }),
    fc.record({ do: fc.constantFrom('flush' as const, 'size' as const, 'settle' as const), file: fc.nat(1) }),
  )

  it('is not to be told from the files themselves', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const combiner = new WriteCombiner()
        const files = [createFile(), createFile()]
        const plain = [createFile(), createFile()]
        const combined = files.map((file) => combiner.wrap(file))
        const ends = [0, 0]
        for (const one of steps) {
          const both = [combined[one.file], plain[one.file]] as [SyncHandle, SyncHandle]
          const seen = both.map((handle) => {
            switch (one.do) {
              case 'write':
                ends[one.file] = one.at + one.data.length
                return handle.write(one.data, { at: one.at })
              case 'append':
                return handle.write(one.data, { at: ends[one.file] ?? 0 })
              case 'read': {
                const buffer = new Uint8Array(one.size)
                return [handle.read(buffer, { at: one.at }), [...buffer]]
              }
              case 'truncate':
                return handle.truncate(one.size)
              case 'flush':
                return handle.flush()
              case 'size':
                return handle.getSize()
              default:
                return combiner.settle()
            }
          })
          if (one.do === 'append') ends[one.file] = (ends[one.file] ?? 0) + one.data.length
          expect(seen[0]).toEqual(seen[1])
        }
        combiner.settle()
        expect(files.map(({ bytes }) => bytes)).toEqual(plain.map(({ bytes }) => bytes))
      }),
      { numRuns: 2000 },
    )
  })
})
