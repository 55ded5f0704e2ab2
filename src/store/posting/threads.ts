// Sessions in memory: which documents belong to one, in the order of time, so that what stands before and after a
// record is found without asking the database. Beside the postings, by document number.
// Invariant: the order is that of (happened_at, seq), as SQL would give it. A document that was removed stays in its
// list until the next compaction and is stepped over.
import { grown } from './grown.ts'

interface Thread {
  readonly name: string
  documents: number[]
  sorted: boolean
}

export interface Threads {
  /** Puts a document, numbered above all others, into its session. `at`: milliseconds since 1970 UTC. */
  add(document: number, session: string | undefined, at: number): void
  /** A number for its session, 0 for none. */
  sessionOf(document: number): number
  /** The name behind such a number. */
  nameOf(session: number): string
  atOf(document: number): number
  /** The live documents before and after one in its session, -1 for none. */
  around(document: number, isLive: (document: number) => boolean): readonly [before: number, after: number]
  /** Gives documents their new numbers, below 0 for those that go. `count`: how many stay. */
  compact(renamed: Int32Array, count: number): void
  sizeBytes(): number
}

/** `seqOf` gives the record of a document. */
export function createThreads(seqOf: (document: number) => number): Threads {
  const numbers = new Map<string, number>()
  let threads: Thread[] = []
  let sessions = new Uint32Array(1024)
  let times = new Float64Array(1024)
  let members = 0

  const grow = (document: number) => {
    if (document < sessions.length) return
    const size = Math.max(document + 1, sessions.length * 2)
    sessions = grown(sessions, new Uint32Array(size))
    times = grown(times, new Float64Array(size))
  }

  const compare = (a: number, b: number) => (times[a] as number) - (times[b] as number) || seqOf(a) - seqOf(b)

  /** Steps from `at` until a live document, -1 at the end. */
  const step = (
    { documents }: Thread,
    at: number,
    by: 1 | -1,
    isLive: (document: number) => boolean,
  ): number => {
    for (let i = at + by; i >= 0 && i < documents.length; i += by)
      if (isLive(documents[i] as number)) return documents[i] as number
    return -1
  }

  return {
    add(document, session, at) {
      grow(document)
      times[document] = at
      sessions[document] = 0
      if (session === undefined) return
      let number = numbers.get(session)
      if (number === undefined) {
        threads.push({ name: session, documents: [], sorted: true })
        numbers.set(session, (number = threads.length))
      }
      sessions[document] = number
      const thread = threads[number - 1] as Thread
      const last = thread.documents.at(-1)
      if (last !== undefined && compare(last, document) > 0) thread.sorted = false
      thread.documents.push(document)
      members += 1
    },
    sessionOf: (document) => sessions[document] as number,
    nameOf: (session) => threads[session - 1]?.name ?? '',
    atOf: (document) => times[document] as number,
    around(document, isLive) {
      const thread = threads[(sessions[document] as number) - 1]
      if (!thread) return [-1, -1]
      if (!thread.sorted) {
        thread.documents.sort(compare)
        thread.sorted = true
      }
      let low = 0
      let high = thread.documents.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (compare(thread.documents[middle] as number, document) < 0) low = middle + 1
        else high = middle
      }
      // A record that changed has two documents of one time and number, the removed one among them.
      while (thread.documents[low] !== document) low += 1
      return [step(thread, low, -1, isLive), step(thread, low, 1, isLive)]
    },
    compact(renamed, count) {
      renamed.forEach((to, from) => {
        if (to < 0) return
        sessions[to] = sessions[from] as number
        times[to] = times[from] as number
      })
      members = 0
      for (const thread of threads) {
        thread.documents = thread.documents.flatMap((document) => {
          const to = renamed[document] as number
          return to < 0 ? [] : [to]
        })
        members += thread.documents.length
      }
      if (count === 0) {
        numbers.clear()
        threads = []
      }
    },
    sizeBytes: () => sessions.length * 12 + members * 8 + threads.length * 200,
  }
}
