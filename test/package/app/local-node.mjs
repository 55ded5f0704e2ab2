// What a stranger writes in Node who wants vectors from a model of the machine: prints what came of it.
import { openDaybook } from 'daybook/node'

await using book = await openDaybook({
  name: 'stranger',
  path: ':memory:',
  embedder: { provider: 'local', model: 'tiny', path: process.argv[2] },
})
const outcome = await book.embedder
  .embed({ texts: ['rain'] })
  .catch(({ code, message }) => ({ code, message }))
console.log(JSON.stringify(outcome))
