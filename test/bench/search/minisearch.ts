// MiniSearch in the page, with its defaults: any word, BM25+.
import MiniSearch from 'minisearch'
import { hitLimit, type SearchPeer, timeEach } from '../peer.ts'

export const minisearch: SearchPeer = {
  name: 'MiniSearch',
  mode: 'in memory, called in the page',
  open() {
    const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'], storeFields: ['text'] })
    return Promise.resolve({
      add: (texts) => Promise.resolve(index.addAll(texts.map((text, id) => ({ id, text })))),
      searches: {
        search: (questions) =>
          timeEach(
            questions,
            (question) => index.search(question, { combineWith: 'OR' }).slice(0, hitLimit).length,
          ),
      },
      sizeBytes: () => Promise.resolve(JSON.stringify(index).length),
    })
  },
}
