// A page with a book, as the tests of several tabs drive it: it writes until it is stopped and says what was acknowledged.
import { defined } from '../../../src/core/defined.ts'
import { answerMessages, connectBook } from '../../../src/doors/message/message.ts'
import {
  type Daybook,
  isDaybookError,
  localNetwork,
  openDaybook,
  type OpenOptions,
} from '../../../src/index.ts'

const RealWorker = globalThis.Worker
const workers: Worker[] = []
globalThis.Worker = class extends RealWorker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args)
    workers.push(this)
  }
}

export interface TabPage {
  readonly localNetwork: typeof localNetwork
  /** Both halves of a book that one window has and another uses. */
  readonly message: { readonly answer: typeof answerMessages; readonly connect: typeof connectBook }
  book: Daybook | undefined
  /** Outcomes of opening and calling, for what crosses to the test runner must be plain. */
  open(options: OpenOptions): Promise<string>
  store(goal: string, requestId?: string): Promise<string>
  /** Stores `<prefix>:1`, `<prefix>:2`, … , `lanes` at a time, and tells `globalThis.acked` of each. */
  stream(prefix: string, lanes: number): void
  stop(): Promise<void>
  goals(): Promise<string[]>
  /** Milliseconds of each of `count` calls, one after another. */
  time(what: 'store' | 'get', count: number): Promise<number[]>
  terminateWorker(): void
  events: { name: string; detail: unknown }[]
  /** What a stream was told nothing of: whether it was done. */
  untold: string[]
}

declare global {
  var tab: TabPage
  var acked: ((keys: string[]) => Promise<void>) | undefined
}

const trace = (goal: string) => ({
  situation: { domain: 'test.tabs', actor: 'tab', context: {} },
  task: { goal },
  action: { type: 'write' },
})

const codeOf = (error: unknown) => (isDaybookError(error) ? error.code : String(error))
let streaming = false
let unreported: string[] = []
const reportedAtOnce = 20

/** Tells the test in portions, and waits until it has heard: a backlog would be what the test measures then. */
async function report(...keys: string[]): Promise<void> {
  unreported.push(...keys)
  if (streaming && unreported.length < reportedAtOnce) return
  const portion = unreported
  unreported = []
  await globalThis.acked?.(portion)
}

let lanesDone: Promise<unknown> = Promise.resolve()

const booked = () => {
  if (!tab.book) throw new Error('No book is open.')
  return tab.book
}

globalThis.tab = {
  localNetwork,
  message: { answer: answerMessages, connect: connectBook },
  book: undefined,
  events: [],
  untold: [],
  async open(options) {
    try {
      const book = await openDaybook(options)
      tab.book = book
      for (const name of ['status', 'change', 'closed', 'progress', 'sync', 'room'] as const)
        book.on(name, (detail) => tab.events.push({ name, detail }))
      return 'open'
    } catch (error) {
      return codeOf(error)
    }
  },
  async store(goal, requestId) {
    try {
      return (await booked().traces.store(trace(goal), defined({ requestId }))).id
    } catch (error) {
      return codeOf(error)
    }
  },
  stream(prefix, lanes) {
    streaming = true
    let n = 0
    const lane = async () => {
      while (streaming) {
        const key = `${prefix}:${++n}`
        try {
          await booked().traces.store(trace(key))
          await report(key)
        } catch (error) {
          // The one death that a tab cannot outlive is that of its own worker.
          if (isDaybookError(error, 'engine-died') || isDaybookError(error, 'book-closed')) return
          // Nobody knows what became of it: its tab was put to sleep in the middle.
          if (!isDaybookError(error, 'owner-changed')) throw error
          tab.untold.push(key)
        }
      }
    }
    lanesDone = Promise.all(Array.from({ length: lanes }, lane))
  },
  async stop() {
    streaming = false
    await lanesDone
    await report()
  },
  async goals() {
    const goals: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await booked().traces.query({ limit: 1000, ...(cursor ? { cursor } : {}) })
      goals.push(...page.records.map((record) => record.task.goal))
      cursor = page.cursor
      if (cursor === undefined) return goals
    }
  },
  async time(what, count) {
    const { id } = await booked().traces.store(trace('timed'))
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const began = performance.now()
      if (what === 'get') await booked().traces.get({ id })
      else await booked().traces.store(trace(`timed ${i}`))
      times.push(performance.now() - began)
    }
    return times
  },
  terminateWorker: () => workers.at(-1)?.terminate(),
}
