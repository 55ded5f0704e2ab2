// What a stranger writes: open a book, store a trace, find it again. The test reads `outcome`, and has `stay` called.
// A page may say more of how it is opened in `given`.
import { openDaybook } from 'daybook'

const open = () => openDaybook({ name: 'stranger', agent: 'visitor', ...globalThis.given })

async function run() {
  const book = await open()
  const { id } = await book.traces.store({
    situation: { domain: 'garden' },
    task: { goal: 'Water the tomatoes before noon' },
    action: { type: 'watering' },
    result: { success: true, outcome: { litres: 4 } },
  })
  const { records } = await book.traces.query({})
  const { hits } = await book.recall({ text: 'were the tomatoes watered?' })
  const { durability } = await book.status()
  await book.close()
  return {
    id,
    stored: records.map((record) => record.id),
    recalled: hits.map((hit) => hit.record.id),
    durability,
  }
}

globalThis.outcome = run()
globalThis.stay = async () => {
  globalThis.book = await open()
  return (await globalThis.book.status()).owner
}
