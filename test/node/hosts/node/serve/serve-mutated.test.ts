// Requests and frames that were right and were changed, to a process of `daybook serve` over sockets: fewer than in the tests of
// the app itself, as each is a transaction of PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest'
import { mutatedHttpCases } from '../../../../contract/door/mutated-http.ts'
import { mutatedLineCases } from '../../../../contract/door/mutated-line.ts'
import { draws } from '../../../../support/whole.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { openServeLine } from './serve-line.ts'
import { createServeWorld } from './serve-world.ts'

const { key, closing, start, ask, run, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`Mutated messages to daybook serve${skipped}`, () => {
  let url = ''
  let serial = 0
  const newBook = () => `mutated-${++serial}`
  beforeAll(async () => {
    await open()
    url = (await start()).url
  })
  afterAll(close)

  mutatedHttpCases({
    count: draws(150, 500),
    newBook,
    async ask(path, body, headers) {
      const authorization = `Bearer ${key}`
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        body,
        headers: { authorization, 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, text: await response.text() }
    },
  })
  mutatedLineCases(
    {
      newBook,
      run: async (book, id, input) => (await run({ url, book }, id, input)).body,
      ticket: (book, body) => ask(`${url}/v1/books/${book}/live`, body),
      open: (book, ticket, protocols) => openServeLine(closing, { url, book }, ticket, protocols),
    },
    300,
  )
})
