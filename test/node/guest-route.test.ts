// What guests can do to a book over HTTP, at a `daybook serve` over PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest'
import { guestRouteCases } from '../contract/guest-route.ts'
import { guestSyncCases } from '../contract/guest-sync.ts'
import type { GuestHost } from '../contract/guest-world.ts'
import { skipped } from './postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key: ownerKey, start, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`a guest of daybook serve${skipped}`, { timeout: 120_000 }, () => {
  let url = ''
  beforeAll(async () => {
    await open()
    url = (await start()).url
  })
  afterAll(close)

  const host: GuestHost = {
    key: ownerKey,
    async ask(path, { key, body, headers }) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    },
  }
  guestRouteCases(host)
  guestSyncCases(host)
})
