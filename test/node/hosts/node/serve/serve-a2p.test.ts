// The a2p protocol at `daybook serve`, two processes over one PostgreSQL.
import { afterAll, beforeAll, describe } from 'vitest'
import type { A2pHost } from '../../../../contract/a2p/a2p-world.ts'
import { agentCases } from '../../../../contract/a2p/agent.ts'
import { conformanceCases } from '../../../../contract/a2p/conformance.ts'
import { suiteCases } from '../../../../contract/a2p/suite.ts'
import { httpCases } from '../../../../contract/a2p/http.ts'
import { signedCases } from '../../../../contract/a2p/signed.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

/** The processes stand behind one address. */
const audience = 'https://memory.example.org'
const settings = { DAYBOOK_A2P_AUDIENCE: audience }
const { key, start, open, close } = createServeWorld()

describe.skipIf(skipped !== '')(`a2p of daybook serve${skipped}`, { timeout: 170_000 }, () => {
  const ports = { base: '', other: '' }
  beforeAll(async () => {
    await open()
    ports.base = (await start({ settings })).url
    ports.other = (await start({ settings })).url
  })
  afterAll(close)

  const host: A2pHost = {
    key,
    audience,
    get base() {
      return ports.base
    },
    get other() {
      return ports.other
    },
    fetch: (url, init) => fetch(url, init),
  }
  conformanceCases(host)
  suiteCases(host)
  agentCases(host)
  signedCases(host)
  httpCases(host)
})
