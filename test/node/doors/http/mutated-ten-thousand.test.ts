// Ten thousand requests that were right and were changed, to each route of the app of every edge that stores something.
import { afterAll } from 'vitest'
import { mutatedHttpCases } from '../../../contract/door/mutated-http.ts'
import { createNodeEdge } from '../../../support/server/node-edge.ts'

const edge = createNodeEdge()
afterAll(() => edge.close())

let serial = 0
mutatedHttpCases({
  count: 10_000,
  newBook: () => `mutated-${++serial}`,
  async ask(path, body, headers) {
    const response = await edge.fetch(path, { method: 'POST', body, headers })
    return { status: response.status, text: await response.text() }
  },
})
