// The browser's SQLite in Node, on fake OPFS: the package's real pool over whatever disk is mounted.
import { readFile } from 'node:fs/promises'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { combineHandles, WriteCombiner } from '../../../../../src/hosts/browser/storage/write-combiner.ts'
import { FakeDisk } from './fake-disk.ts'

let disk = new FakeDisk()
let combiner = new WriteCombiner()

/** From now on the pool finds these files, as after a restart: nothing is held back, no handle is open. */
export function mount(next: FakeDisk): void {
  // What was held back for the other disk is lost with it. A disk that was left in good order holds nothing back.
  if (disk.isOpen) combiner = new WriteCombiner()
  disk = next
}

/** The combiner that the handles of the mounted disk go through. */
export const mounted: Pick<WriteCombiner, keyof WriteCombiner> = {
  wrap: (handle) => combiner.wrap(handle),
  settle: () => combiner.settle(),
  get failure() {
    return combiner.failure
  },
  sizeOf: (path) => combiner.sizeOf(path),
  reserve: (path, bytes) => combiner.reserve(path, bytes),
  spare: (path) => combiner.spare(path),
  wipe: (path) => combiner.wipe(path),
  showAll: (path) => combiner.showAll(path),
  guard: (path, admit) => combiner.guard(path, admit),
  unguard: () => combiner.unguard(),
}

class FakeHandle {
  readonly kind: string = 'directory'
}

class FakeFileHandle extends FakeHandle {
  override readonly kind = 'file'
  readonly name: string
  constructor(name: string) {
    super()
    this.name = name
  }
  async createSyncAccessHandle() {
    return disk.handle(this.name)
  }
}

const asideFolder = 'daybook-aside'

/** Every path leads to the same files (a disk has one pool) but that of damaged ones that are kept. */
class FakeDirectoryHandle extends FakeHandle {
  readonly #prefix: string
  constructor(prefix = '') {
    super()
    this.#prefix = prefix
  }
  async getDirectoryHandle(name: string) {
    return name === asideFolder ? new FakeDirectoryHandle(`${name}/`) : this
  }
  async getFileHandle(name: string, { create = false } = {}) {
    const file = this.#prefix + name
    if (this.#prefix !== '' && !create && !disk.files.has(file))
      throw new DOMException('There is no such file.', 'NotFoundError')
    disk.ensure(file)
    return new FakeFileHandle(file)
  }
  async removeEntry(name: string, { recursive = false } = {}) {
    if (recursive) for (const file of disk.files.keys()) disk.remove(file)
    else disk.remove(name)
  }
  async *[Symbol.asyncIterator]() {
    const own = [...disk.files.keys()].filter((name) => name.startsWith(this.#prefix))
    const shown = this.#prefix === '' ? own.filter((name) => !name.includes('/')) : own
    for (const name of shown) yield [name, new FakeFileHandle(name)] as const
  }
}

/** Loads the build of SQLite that browsers get. */
export async function loadBrowserSqlite(): Promise<Sqlite3Static> {
  const storage = {
    getDirectory: async () => new FakeDirectoryHandle(),
    estimate: async () => ({ quota: 1 << 30, usage: 0 }),
  }
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { storage } })
  Object.assign(globalThis, {
    FileSystemHandle: FakeHandle,
    FileSystemFileHandle: FakeFileHandle,
    FileSystemDirectoryHandle: FakeDirectoryHandle,
    sqlite3ApiConfig: { warn: () => undefined, error: () => undefined, log: () => undefined },
  })
  combineHandles(mounted)
  const folder = new URL('../../../../../node_modules/@sqlite.org/sqlite-wasm/dist/', import.meta.url)
  const { default: init } = (await import(new URL('index.mjs', folder).href)) as {
    default: (options: object) => Promise<Sqlite3Static>
  }
  return init({ wasmBinary: await readFile(new URL('sqlite3.wasm', folder)) })
}
