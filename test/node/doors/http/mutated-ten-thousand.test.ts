// Requests that were right and were changed, 2,000 in `npm test` and ten thousand in `npm run soak:whole`, to each route of the app of every edge that stores something.
import { afterAll } from 'vitest'
import { draws } from '../../../support/whole.ts'
import { mutatedHttpCases } from '../../../contract/door/mutated-http.ts'
import { createNodeEdge } from '../../../support/server/node-edge.ts'

const edge = createNodeEdge()
afterAll(() => edge.close())

let serial = 0
mutatedHttpCases({
  count: draws(2000, 10_000),
  newBook: () => `mutated-${++serial}`,
  async ask(path, body, headers) {
    const response = await edge.fetch(path, { method: 'POST', body, headers })
    return { status: response.status, text: await response.text() }
  },
})
