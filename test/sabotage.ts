// The guards of a book that several tabs and a browser's storage share, and the product without one of them: a plugin takes
// the guard out of its source as that is loaded. Invariant: a guard that does not queue in its source exactly once is an error.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { root } from '../scripts/place.mjs'

export interface Guard {
  readonly file: string
  readonly guard: string
  /** What stands there instead. */
  readonly without: string
  /** The file of the tests that hold it, and the titles of those that must fail without it. */
  readonly tests: string
  readonly fail: readonly string[]
}

const tabs = 'test/node/hosts/browser/book-tab.test.ts'
const calls = 'test/node/hosts/browser/call-again.test.ts'
const anyOrder = 'loses nothing and doubles nothing, whatever dies, freezes or closes, and whenever'
const once =
  'does a write once that was given up and is called again, by its own tab later or by another when that one is gone'
const handsOver =
  'gives the next worker of a page the answer that its last one did not hand over, and forgets what was handed over'
const deposed = 'heeds nothing that a deposed owner says'
const epochs = 'test/node/hosts/browser/tab-epoch.test.ts'
const turns = 'test/node/hosts/browser/tab-turn.test.ts'
const givesWay = 'gives way to a later owner, and lets go of the files before the lock'
const pool = 'test/node/hosts/browser/opfs-pool.test.ts'
const line = 'test/node/hosts/browser/tab-line.test.ts'
const failedStart =
  'a start that fails with UnknownError leaves the book as it was, and the next one opens it'

const quota = 'test/node/hosts/browser/quota.test.ts'
const untold =
  'stays whole, readable and able to forget in 3000000 bytes of which the browser tells nothing; what it refused is not there later either'

export const guards: Readonly<Record<string, Guard>> = {
  'the owner lock, taken before the pool is installed': {
    file: 'src/hosts/browser/tab/tab-turn.ts',
    guard: 'port.lock(ownerLock(book), mine.signal).then(',
    without: 'Promise.resolve(() => undefined).then(',
    tests: tabs,
    fail: [anyOrder],
  },
  'the owner lock, freed after the files': {
    file: 'src/hosts/browser/tab/tab-turn.ts',
    guard: 'await owner?.close()',
    without: 'free?.(); await owner?.close()',
    tests: turns,
    fail: [givesWay],
  },
  'a pool that outlives a failed start': {
    file: 'src/hosts/browser/storage/opfs-pool.ts',
    guard: 'preserveOnInitFailure: true',
    without: 'preserveOnInitFailure: false',
    tests: pool,
    fail: [failedStart],
  },
  'a start after a failed one': {
    file: 'src/hosts/browser/storage/opfs-pool.ts',
    guard: 'forceReinitIfPreviouslyFailed: true',
    without: 'forceReinitIfPreviouslyFailed: false',
    tests: pool,
    fail: [failedStart],
  },
  'the last word on the channel, before a port is opened': {
    file: 'src/hosts/browser/tab/tab-line.ts',
    guard: 'if (!offer || !switched.has(id)) return',
    without: 'if (!offer) return',
    tests: line,
    fail: ['keeps the order of both ends while it changes from the channel to a port'],
  },
  'ports, taken back when the hub ends that gave them': {
    file: 'src/hosts/browser/tab/hub-client.ts',
    guard: 'for (const { id, listener } of offers) listener.lost?.(id)',
    without: '',
    tests: line,
    fail: ['turns from the port of a hub that has ended to one of the next'],
  },
  'the table of requests': {
    file: 'src/store/record/request-log.ts',
    guard: 'const found = find(request)',
    without: 'return work()',
    tests: calls,
    fail: [once],
  },
  'the names of forwarded writes': {
    file: 'src/book/share/follower.ts',
    guard: "message.requestId !== undefined || natureOf(id).effect === 'read'",
    without: 'true',
    tests: epochs,
    fail: [deposed],
  },
  'the answers that a tab which ended did not hand over': {
    file: 'src/book/share/answer-log.ts',
    guard: 'hasLeft ? undefined : this.#settled',
    without: 'undefined',
    tests: calls,
    fail: [handsOver],
  },
  'the epoch of an owner, to its follower': {
    file: 'src/book/share/follower.ts',
    guard: 'if (message.epoch < this.#seen) return',
    without: '',
    tests: epochs,
    fail: [deposed],
  },
  'the epoch of an answer, to the follower': {
    file: 'src/book/share/follower.ts',
    guard: 'if (message.epoch !== this.#epoch) return',
    without: '',
    tests: epochs,
    fail: [deposed],
  },
  'the epoch of a call, to the owner': {
    file: 'src/hosts/browser/tab/tab-owner.ts',
    guard: 'if (message.epoch !== epoch) return',
    without: '',
    tests: epochs,
    fail: ['runs no call that was meant for another owner'],
  },
  'the way an owner gives to a later one': {
    file: 'src/hosts/browser/tab/book-tab.ts',
    guard: 'if (owner && message.epoch > owner.epoch) this.#turn.stepDown()',
    without: '',
    tests: turns,
    fail: [givesWay],
  },
  'sending again to the next owner': {
    file: 'src/book/share/follower.ts',
    guard: 'this.#resend()',
    without: '',
    tests: epochs,
    fail: [deposed],
  },
  'running again what the last owner left': {
    file: 'src/hosts/browser/tab/book-tab.ts',
    guard: 'for (const waiting of this.#follower.take()) void this.#calls.takeOver(owner, waiting)',
    without: '',
    tests: tabs,
    fail: [anyOrder],
  },
  'a commit settled while it can be undone': {
    file: 'src/hosts/browser/storage/write-combiner.ts',
    guard: 'if (commits > 0) this.#settleWithin()',
    without: '',
    tests: 'test/node/hosts/browser/write-combiner.test.ts',
    fail: ['fails the write that ends a commit where the file has no room, and leaves nothing of it'],
  },
  'a log that is invalid before it is written over': {
    file: 'src/hosts/browser/storage/reserved-handle.ts',
    guard: ')) return\n    this.#file.flush()',
    without: ')) return',
    tests: 'test/node/hosts/browser/reserved-handle.test.ts',
    fail: ['makes a log invalid, on the disk, before anything else of it is written over'],
  },
  'what is left behind the end, written over by a purge': {
    file: 'src/hosts/browser/storage/opfs-database.ts',
    guard: "if (target !== 'space') combiner.wipe(bookFile)",
    without: '',
    tests: 'test/node/hosts/browser/reserved-handle.test.ts',
    fail: [
      'keeps nothing of what is purged in any byte of the files, nor what an earlier owner left behind the end',
    ],
  },
  'the space asked for before a commit': {
    file: 'src/hosts/browser/storage/opfs-database.ts',
    guard: 'combiner.guard(bookFile, space.admit)',
    without: '',
    tests: quota,
    fail: [untold],
  },
}

/** The source of a guard without it. */
export function takeOut({ file, guard, without }: Guard, code: string): string {
  const found = code.split(guard).length - 1
  if (found !== 1) throw new Error(`${file} says ${found} times: ${guard}`)
  return code.replace(guard, () => without)
}

export const sourceOf = ({ file }: Guard) => readFileSync(join(root, file), 'utf8')

/** Takes the guard of that name out of what is loaded. */
export function withoutGuard(name: string): Plugin {
  const guard = guards[name]
  if (!guard) throw new Error(`There is no guard called ${name}.`)
  const isItsFile = (id: string) => id === join(root, guard.file)
  return {
    name: 'test:without-guard',
    enforce: 'pre',
    // Vitest keeps what it transformed, and knows plugins by their names only.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => (isItsFile(id) ? false : undefined))
    },
    transform: (code, id) => (isItsFile(id) ? takeOut(guard, code) : undefined),
  }
}
