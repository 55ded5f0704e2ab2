// Orama in the page, with its defaults except that any word may match.
import { create, insertMultiple, save, search } from '@orama/orama'
import { hitLimit, type SearchPeer, timeEach } from '../peer.ts'

export const orama: SearchPeer = {
  name: 'Orama',
  mode: 'in memory, called in the page',
  open() {
    const index = create({ schema: { text: 'string' } as const })
    return Promise.resolve({
      async add(texts) {
        await insertMultiple(
          index,
          texts.map((text) => ({ text })),
        )
      },
      searches: {
        search: (questions) =>
          timeEach(
            questions,
            async (term) => (await search(index, { term, threshold: 1, limit: hitLimit })).hits.length,
          ),
      },
      sizeBytes: () => Promise.resolve(JSON.stringify(save(index)).length),
    })
  },
}
