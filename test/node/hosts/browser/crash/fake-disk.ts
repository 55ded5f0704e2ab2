// A disk behind fake OPFS handles: it does what the standard says, writes down every step, and fails when it is told to.
// Invariant: nothing changes a file but a step in the log, so any prefix of the log is what a crash leaves behind.

import { crc32 } from 'node:zlib'

export type Step =
  | { readonly do: 'create' | 'remove' | 'flush'; readonly file: string }
  | { readonly do: 'write'; readonly file: string; readonly at: number; readonly bytes: Uint8Array }
  | { readonly do: 'truncate'; readonly file: string; readonly size: number }

/** What goes wrong with a step: it throws, or a write takes only so many bytes. */
export type Fault = { readonly fail: DOMException } | { readonly takeBytes: number } | undefined

/** A file's bytes. Copies share one buffer until one of them is changed; what the buffer lacks of the size is zeros. */
export class DiskFile {
  #buffer: Uint8Array
  #isShared = false
  #checksum: number | undefined
  size: number

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#buffer = bytes
    this.size = bytes.length
  }

  get bytes(): Uint8Array {
    if (this.size > this.#buffer.length) this.#own(this.size)
    return this.#buffer.subarray(0, this.size)
  }

  /** Of its bytes. Copies have it from what they were made of. */
  get checksum(): number {
    return (this.#checksum ??= crc32(this.bytes))
  }

  resize(size: number): void {
    if (size === this.size) return
    this.#checksum = undefined
    if (size < this.size && size < this.#buffer.length) {
      this.#own(size)
      this.#buffer.fill(0, size)
    }
    this.size = size
  }

  write(at: number, bytes: Uint8Array): void {
    this.#checksum = undefined
    this.#own(Math.max(this.size, at + bytes.length))
    this.size = Math.max(this.size, at + bytes.length)
    this.#buffer.set(bytes, at)
  }

  copy(): DiskFile {
    const copy = new DiskFile()
    copy.#buffer = this.#buffer
    copy.#checksum = this.#checksum
    copy.#isShared = this.#isShared = true
    copy.size = this.size
    return copy
  }

  /** Sees to a buffer that nobody else has, with room for `size` bytes and to grow. */
  #own(size: number): void {
    if (!this.#isShared && size <= this.#buffer.length) return
    const own = new Uint8Array(size + (this.#isShared ? 16_384 : this.#buffer.length))
    own.set(this.#buffer.subarray(0, Math.min(size, this.size)))
    this.#buffer = own
    this.#isShared = false
  }
}

export type Image = ReadonlyMap<string, DiskFile>

export const copyOf = (image: Image) => new Map([...image].map(([name, file]) => [name, file.copy()]))

/** What a disk holds, and what happened to it. */
export class FakeDisk {
  readonly log: Step[] = []
  readonly files: Map<string, DiskFile>
  readonly #open = new Set<string>()
  /** Asked before each step. */
  fault: (step: Step) => Fault = () => undefined

  /** Begins with `files`, and changes them. */
  constructor(files: Map<string, DiskFile> = new Map()) {
    this.files = files
  }

  get isOpen(): boolean {
    return this.#open.size > 0
  }

  #step(step: Step): number | undefined {
    const fault = this.fault(step)
    if (fault && 'fail' in fault) throw fault.fail
    if (step.do === 'write') {
      const bytes = fault ? step.bytes.subarray(0, fault.takeBytes) : step.bytes
      const taken = { ...step, bytes: bytes.slice() }
      this.log.push(taken)
      apply(this.files, taken)
      return bytes.length
    }
    this.log.push(step)
    apply(this.files, step)
    return undefined
  }

  ensure(file: string): void {
    if (!this.files.has(file)) this.#step({ do: 'create', file })
  }

  remove(file: string): void {
    if (this.files.has(file)) this.#step({ do: 'remove', file })
  }

  handle(file: string) {
    if (this.#open.has(file)) throw new DOMException('Another handle is open.', 'NoModificationAllowedError')
    this.#open.add(file)
    const found = this.files.get(file)
    if (!found) throw new DOMException('There is no such file.', 'NotFoundError')
    return {
      read(into: Uint8Array, { at = 0 } = {}) {
        const bytes = found.bytes.subarray(at, at + into.byteLength)
        new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes)
        return bytes.length
      },
      write: (bytes: ArrayBufferView, { at = 0 } = {}) =>
        this.#step({
          do: 'write',
          file,
          at,
          bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        }) ?? 0,
      truncate: (size: number) => void this.#step({ do: 'truncate', file, size }),
      flush: () => void this.#step({ do: 'flush', file }),
      getSize: () => found.size,
      close: () => void this.#open.delete(file),
    }
  }
}

/** Does to `files` what the step says. */
export function apply(files: Map<string, DiskFile>, step: Step): void {
  if (step.do === 'create') files.set(step.file, new DiskFile())
  else if (step.do === 'remove') files.delete(step.file)
  else if (step.do === 'write') files.get(step.file)?.write(step.at, step.bytes)
  else if (step.do === 'truncate') files.get(step.file)?.resize(step.size)
}
