// The page of one of several tabs on one book. Which tab does what is decided by the run.
import { type Daybook, openDaybook } from '../../src/index.ts'
import { createTraceSource } from './trace-source.ts'

let book: Daybook | undefined
const nextTrace = createTraceSource(11)

function opened(): Daybook {
  if (!book) throw new Error('No book is open.')
  return book
}

const calls = {
  get: async (id: string) => void (await opened().traces.get({ id })),
  query: async () => void (await opened().traces.query({ limit: 20 })),
  store: async () => void (await opened().traces.store(nextTrace())),
}

export type TabCall = keyof typeof calls

export const bench = {
  async open(name: string) {
    book = await openDaybook({ name })
  },
  isOwner: async () => (await opened().status()).owner,
  async store(count: number) {
    await opened().traces.storeMany({ traces: Array.from({ length: count }, nextTrace) })
  },
  /** Settles once a write of this tab is acknowledged. */
  write: calls.store,
  /** Milliseconds of each of `count` calls, one after another. */
  async time(call: TabCall, count: number): Promise<number[]> {
    const { id } = await opened().traces.store(nextTrace())
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const began = performance.now()
      await calls[call](id)
      times.push(performance.now() - began)
    }
    return times
  },
}

export type TabsBench = typeof bench
