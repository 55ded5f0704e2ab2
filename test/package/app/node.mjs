// A stranger's Node script.
import { openDaybook } from 'daybook/node'

const book = await openDaybook({ name: 'stranger', path: ':memory:', agent: 'visitor' })
const { id } = await book.traces.store({
  situation: { domain: 'garden' },
  task: { goal: 'Water the tomatoes' },
  action: { type: 'watering' },
})
const { records } = await book.traces.query({})
await book.close()
console.log(JSON.stringify({ id, stored: records.map((record) => record.id) }))
