// An agent's app that keeps its book open, with a way to look into it.
import { listBooks, openDaybook } from 'daybook'
import { openInspector } from 'daybook/inspector'

const book = await openDaybook({ name: 'garden', agent: 'gardener' })
globalThis.say = (goal) =>
  book.traces.store({ situation: { domain: 'garden' }, task: { goal }, action: { type: 'watering' } })
await globalThis.say('Water the tomatoes')
globalThis.listBooks = listBooks
globalThis.inspectBeside = () =>
  openInspector('garden', { into: document.querySelector('#beside') }).then(
    () => 'shown',
    ({ code, message }) => `${code}: ${message}`,
  )
document.querySelector('#inspect').onclick = () => openInspector(book)
globalThis.ready = true
