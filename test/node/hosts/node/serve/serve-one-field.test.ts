// Requests with one field changed, to a process of `daybook serve` over sockets: fewer than in the test of the app itself.
import { afterAll, beforeAll, describe } from 'vitest'
import { oneFieldCases } from '../../../../contract/door/one-field-case.ts'
import { draws } from '../../../../support/whole.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'
import { propertySeed } from '../../../../property/draw-from-seed.ts'

const { key: ownKey, start, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`Requests to daybook serve${skipped}`, () => {
  let url = ''
  let serial = 0
  beforeAll(async () => {
    await open()
    url = (await start()).url
  })
  afterAll(close)

  oneFieldCases({
    count: draws(60, 200),
    seed: propertySeed + 1,
    isMixed: true,
    newBook: () => `one-field-${++serial}`,
    async ask(path, { key = ownKey, headers, ...init }) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      })
      return { status: response.status, text: await response.text() }
    },
  })
})
