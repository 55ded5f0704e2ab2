// Daybook's recall and search, from the page through its worker. A text is the goal of a trace.
import { meaning } from '../../../src/hosts/browser/meaning.ts'
import { type Daybook, openDaybook } from '../../../src/index.ts'
import { hitLimit, type SearchPeer, type TextIndex, timeEach } from '../peer.ts'

const batchSize = 1000
const indexEvery = 10 * batchSize
/** The database takes several times as long for the common words, and the postings a fraction of it. */
const settled = { everyMs: 250, quickMs: 8, atMost: 400 } as const
/** Words that are in nearly every text: slow to rank from the database, quick from memory. */
const common = 'the of and to in is it'

const open = () => openDaybook({ name: 'bench', agent: 'bench' })
const pause = () => new Promise((resolve) => setTimeout(resolve, settled.everyMs))

function indexOf(book: Daybook): TextIndex {
  const search = async (query: string) =>
    (await book.traces.search({ query, limit: hitLimit })).records.length
  const recall = async (text: string) => (await book.recall({ text, limit: hitLimit })).hits.length
  let guest: ReturnType<typeof letIn> | undefined
  const letIn = async () => {
    const { token } = await book.tokens.grant({
      scope: 'trace:bench',
      permissions: ['read'],
      granted_to: 'guest',
      expires_at: '2099-01-01T00:00:00Z',
    })
    return book.with({ as: token.token_id })
  }
  const recallAsGuest = async (questions: readonly string[]) => {
    const handle = await (guest ??= letIn())
    return timeEach(questions, async (text) => (await handle.recall({ text, limit: hitLimit })).hits.length)
  }
  const usage = async () => (await book.status()).usageBytes
  const once = async () => (await timeEach([common], search))[0]?.ms ?? 0
  return {
    async add(texts) {
      for (let from = 0; from < texts.length; from += batchSize) {
        const traces = texts.slice(from, from + batchSize).map((goal) => ({
          situation: { domain: 'bench' },
          task: { goal },
          action: { type: 'note' },
        }))
        await book.traces.storeMany({ traces })
        // What was stored is indexed before a search is answered; all at once might take longer than a call may.
        if (from % indexEvery === 0) await search('the')
      }
      await search('the')
    },
    // A page is not told how far its worker is: it is there when it answers quickly and the book no longer grows.
    async settle() {
      for (let n = 0; n < settled.atMost && (await once()) > settled.quickMs; n++) await pause()
      for (let before = -1, n = 0; n < settled.atMost && before !== (await usage()); n++) {
        before = await usage()
        await pause()
      }
    },
    searches: {
      recall: (questions) => timeEach(questions, recall),
      guest: recallAsGuest,
      search: (questions) => timeEach(questions, search),
    },
    sizeBytes: usage,
  }
}

/** The same book with the vector leg of `daybook/meaning`; its vectors are made before it is measured. */
export const withMeaning: SearchPeer = {
  name: 'Daybook with `daybook/meaning`',
  mode: 'as Daybook, with recall by meaning as well',
  async open() {
    const book = await openDaybook({ name: 'bench', agent: 'bench', embedder: meaning() })
    const { settle, ...index } = indexOf(book)
    return {
      ...index,
      async settle() {
        while ((await book.embedder.status()).behind > 0) await pause()
        await settle?.()
      },
    }
  },
}

export const daybook: SearchPeer = {
  name: 'Daybook',
  mode: 'from the page through its worker, whole traces answered; guest: recall under a token that reaches all texts; FTS5 until its postings are in memory; recall drops stop words and says why, search keeps all words',
  open: async () => indexOf(await open()),
  async reopen(questions) {
    const began = performance.now()
    const book = await open()
    const openMs = performance.now() - began
    const index = indexOf(book)
    const [first, next] = (await index.searches['recall']?.(questions)) ?? []
    return { index, times: { openMs, firstMs: first?.ms ?? Number.NaN, nextMs: next?.ms ?? Number.NaN } }
  },
}
