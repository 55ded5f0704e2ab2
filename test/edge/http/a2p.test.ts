// The a2p protocol over a Durable Object for each book.
import { env } from 'cloudflare:workers'
import { describe } from 'vitest'
import { createEdge } from '../../../worker/create-edge.ts'
import type { A2pHost } from '../../contract/a2p/a2p-world.ts'
import { agentCases } from '../../contract/a2p/agent.ts'
import { conformanceCases } from '../../contract/a2p/conformance.ts'
import { suiteCases } from '../../contract/a2p/suite.ts'
import { httpCases } from '../../contract/a2p/http.ts'
import { signedCases } from '../../contract/a2p/signed.ts'
import { origin } from './http.ts'

describe('a2p of a Worker', () => {
  const edge = createEdge()
  const host: A2pHost = {
    key: 'development',
    base: origin,
    fetch: async (url, init) => edge.fetch(new Request(url, init), env),
  }
  conformanceCases(host)
  suiteCases(host)
  agentCases(host)
  signedCases(host)
  httpCases(host)
})
