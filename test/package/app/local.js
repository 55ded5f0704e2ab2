// What a stranger writes who wants vectors from a model in the page. The test reads `outcome`.
import { openDaybook } from 'daybook'
import { localEmbedder } from 'daybook/local'

async function run() {
  const book = await openDaybook({
    name: 'stranger-local',
    embedder: localEmbedder({ model: 'tiny', path: '/models', ...globalThis.runtime }),
  })
  const embedded = new Promise((resolve) => {
    book.on('progress', ({ capability, done, total }) => {
      if (capability === 'embed:status' && done === total) resolve(undefined)
    })
  })
  const { id } = await book.traces.store({
    situation: { domain: 'health' },
    task: { goal: 'Ask a physician' },
    action: { type: 'call' },
  })
  const failed = book.embedder.embed({ texts: ['rain'] }).then(() => embedded)
  await Promise.race([embedded, failed])
  const { hits } = await book.recall({ text: 'hospital' })
  const { durability } = await book.status()
  const { fingerprint } = await book.embedder.status()
  await book.close()
  return { id, recalled: hits.map((hit) => hit.record.id), durability, fingerprint }
}

globalThis.outcome = run()
