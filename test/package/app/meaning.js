// A program that finds by meaning with the table of the package. The test reads `outcome`.
import { openDaybook } from 'daybook'
import { meaning } from 'daybook/meaning'

async function run() {
  const book = await openDaybook({ name: 'stranger-meaning', embedder: meaning(globalThis.given) })
  const { embeddings } = await book.embedder.embed({
    texts: ['car repair', 'fix my automobile', 'the weather is nice'],
  })
  const [first, second, third] = embeddings
  const similarity = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0)
  const { provider, state } = await book.embedder.status()
  await book.close()
  return { provider, state, isSimilar: similarity(first, second) > similarity(first, third) }
}

globalThis.outcome = run()
