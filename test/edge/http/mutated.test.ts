// Requests that were right and were changed, at the edge in workerd: the same as in Node, and fewer, as a book lets nobody ask
// more than 2,000 times in one go.
import { mutatedHttpCases } from '../../contract/door/mutated-http.ts'
import { draws } from '../../support/whole.ts'
import { call, newBook } from './http.ts'

mutatedHttpCases({
  count: draws(250, 1000),
  newBook,
  async ask(path, body, headers) {
    const response = await call(path, { body, headers: { 'content-type': 'application/json', ...headers } })
    return { status: response.status, text: await response.text() }
  },
})
