// Fills a book in a process of its own: `node fill-book.ts <file> <records> <characters each>`.
import { openDaybook } from '../../../../src/hosts/node/index.ts'

const [path = '', count = '0', length = '0'] = process.argv.slice(2)
await using book = await openDaybook({ name: 'agent', agent: 'agent', path, textIndexInMemory: false })
const batch = 500
for (let n = 0; n < Number(count); n += batch) {
  const traces = Array.from({ length: Math.min(batch, Number(count) - n) }, (_, i) => ({
    situation: { domain: `domain.${i % 7}` },
    task: { goal: `Lesson ${n + i}` },
    action: { type: 'evaluation', parameters: { padding: String((n + i) % 10).repeat(Number(length)) } },
    result: { success: true },
  }))
  await book.traces.storeMany({ traces })
}
