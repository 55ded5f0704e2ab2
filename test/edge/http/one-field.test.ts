// Requests with one field changed, at the edge in workerd: fewer than in Node.
import { oneFieldCases } from '../../contract/door/one-field-case.ts'
import { draws } from '../../support/whole.ts'
import { call, newBook } from './http.ts'

oneFieldCases({
  count: draws(60, 200),
  seed: 20_261_124,
  isMixed: true,
  newBook,
  async ask(path, { headers, key = 'development', ...asked }) {
    const response = await call(path, {
      ...asked,
      key,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return { status: response.status, text: await response.text() }
  },
})
