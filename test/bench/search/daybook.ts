// Daybook's recall and search, from the page through its worker. A text is the goal of a trace.
import { openDaybook } from '../../../src/index.ts'
import { hitLimit, type SearchPeer, timeEach } from '../peer.ts'

const batchSize = 1000

export const daybook: SearchPeer = {
  name: 'Daybook',
  mode: 'from the page through its worker, whole traces answered; FTS5 until its postings are in memory; recall drops stop words and says why, search keeps all words',
  async open() {
    const book = await openDaybook({ name: 'bench', agent: 'bench' })
    const search = async (query: string) =>
      (await book.traces.search({ query, limit: hitLimit })).records.length
    const recall = async (text: string) => (await book.recall({ text, limit: hitLimit })).hits.length
    return {
      async add(texts) {
        for (let from = 0; from < texts.length; from += batchSize) {
          const traces = texts.slice(from, from + batchSize).map((goal) => ({
            situation: { domain: 'bench' },
            task: { goal },
            action: { type: 'note' },
          }))
          await book.traces.storeMany({ traces })
        }
        // What was stored is indexed before the first search is answered.
        await search('the')
      },
      searches: {
        recall: (questions) => timeEach(questions, recall),
        search: (questions) => timeEach(questions, search),
      },
      sizeBytes: async () => (await book.status()).usageBytes,
    }
  },
}
