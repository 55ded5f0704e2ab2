// The open run with its steps and messages, read a page at a time.
// Invariants: a late answer is dropped; entries are in the order of their times, and their secrets are masked.
import { computed, effect, signal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import { type Entry, pictureOf } from '../../kind/run/picture.ts'
import { book, onBook } from '../book.ts'
import { held } from '../held.ts'
import { withoutSecrets } from '../record/secret.ts'
import type { Run } from './run-list.ts'
import { openSession } from './run-place.ts'

export interface Transcript {
  readonly session: string
  /** Undefined if there is no such run. */
  readonly run: Run | undefined
  readonly entries: readonly Entry[]
  /** There are more entries than `mostEntries` or than were read so far. */
  readonly hasMore: boolean
  /** Locked records of the run. */
  readonly sealed: number
}

export const transcript = held<Transcript | undefined>(undefined, ['runs'])
export const transcriptFailure = signal<unknown>(undefined)
export const picture = computed(() => {
  const now = transcript.value
  return now && pictureOf(now.session, now.entries)
})

/** A run with more entries shows this many at first, and as many more each time. */
const mostEntries = 5000
const firstPage = 100
const nextPage = 300

interface EntryPage {
  readonly records: readonly Entry[]
  readonly cursor?: string | undefined
}
type ReadPage = (page: { limit: number; cursor?: string }) => Promise<EntryPage>

/** The records of one kind, in the order of time. */
class EntryStream {
  readonly records: Entry[] = []
  hasMore = true
  #cursor: string | undefined
  readonly #read: ReadPage

  constructor(read: ReadPage) {
    this.#read = read
  }

  /** All records up to this time were read. */
  get readTo(): string {
    return this.hasMore ? (this.records.at(-1)?.timestamp ?? '') : '\uFFFF'
  }

  async more(): Promise<void> {
    const limit = this.records.length === 0 ? firstPage : nextPage
    const cursor = this.#cursor
    const page = await this.#read({ limit, ...(cursor === undefined ? {} : { cursor }) })
    this.records.push(...page.records)
    this.#cursor = page.cursor
    this.hasMore = page.cursor !== undefined
  }
}

class EntryReader {
  readonly #steps: EntryStream
  readonly #talk: EntryStream

  constructor(from: Daybook, session: string) {
    const ask = { filters: { session }, orderBy: 'timestamp' }
    const masked = async ({ records, cursor }: EntryPage): Promise<EntryPage> => ({
      records: (await withoutSecrets(from, records)) as readonly Entry[],
      cursor,
    })
    this.#steps = new EntryStream(async (page) => masked(await from.traces.query({ ...ask, ...page })))
    this.#talk = new EntryStream(async (page) => masked(await from.conversation.list({ ...ask, ...page })))
  }

  get hasMore(): boolean {
    return this.#steps.hasMore || this.#talk.hasMore
  }

  /** The entries up to the time to which both kinds were read. */
  entries(): Entry[] {
    const end = this.#steps.readTo < this.#talk.readTo ? this.#steps.readTo : this.#talk.readTo
    return [...this.#steps.records, ...this.#talk.records]
      .filter(({ timestamp }) => timestamp <= end)
      .toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  }

  async first(): Promise<void> {
    await Promise.all([this.#steps.more(), this.#talk.more()])
  }

  /** The next page of the kind that is behind. */
  async more(): Promise<void> {
    await (this.#steps.readTo <= this.#talk.readTo ? this.#steps : this.#talk).more()
  }
}

let turn = 0

async function readRun(from: Daybook, session: string, most: number): Promise<void> {
  const mine = ++turn
  const isOld = () => mine !== turn || openSession.peek() !== session || book.peek() !== from
  try {
    const reader = new EntryReader(from, session)
    const [{ runs, sealed = 0 }] = await Promise.all([from.runs.list({ session }), reader.first()])
    const [run] = runs
    while (reader.hasMore) {
      const entries = reader.entries()
      if (isOld() || entries.length >= most) break
      // The first rows come at once; a run that is on the page never gets shorter while it is read again.
      if (entries.length > (transcript.peek()?.entries.length ?? 0))
        transcript.value = { session, run, sealed, entries, hasMore: true }
      await reader.more()
    }
    if (isOld()) return
    transcript.value = { session, run, sealed, entries: reader.entries(), hasMore: reader.hasMore }
    transcriptFailure.value = undefined
  } catch (error) {
    if (!isOld()) transcriptFailure.value = error
  }
}

/** A run that is compared with the open one: its first entries, or all. */
export async function readOther(from: Daybook, session: string): Promise<Transcript> {
  const reader = new EntryReader(from, session)
  const [{ runs, sealed = 0 }] = await Promise.all([from.runs.list({ session }), reader.first()])
  while (reader.hasMore && reader.entries().length < mostEntries) await reader.more()
  return { session, run: runs[0], sealed, entries: reader.entries(), hasMore: reader.hasMore }
}

/** Reads the open run again, and `more` entries of it. */
export async function loadTranscript(more = 0): Promise<void> {
  const from = book.peek()
  const session = openSession.peek()
  if (!from || session === undefined) return
  await readRun(from, session, Math.max(mostEntries, transcript.peek()?.entries.length ?? 0) + more)
}

export const loadMoreEntries = (): Promise<void> => loadTranscript(mostEntries)

effect(() => {
  const session = openSession.value
  const from = book.value
  if (session === undefined || !from) return
  if (transcript.peek()?.session !== session) transcript.value = undefined
  void loadTranscript()
})

let isReading = false
let isStale = false

/** One read at a time: an agent may store faster than a long run is read. */
async function follow(): Promise<void> {
  isStale = true
  if (isReading) return
  isReading = true
  while (isStale) {
    isStale = false
    await loadTranscript()
  }
  isReading = false
}

onBook('change', () => {
  if (openSession.peek() !== undefined) void follow()
})
