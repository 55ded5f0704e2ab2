// The conformance suite of MCP against the fixture on the transport of the product, on Node and in workerd, in both eras.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { expect, it } from 'vitest'
import { answerFixture } from '../../../support/mcp/fixture-entry.ts'
import { bundleWorker } from '../worker.ts'
import { conform, type Served } from './conform.ts'

async function serveOnNode(): Promise<Served> {
  const server = createServer(getRequestListener(answerFixture, { overrideGlobalObjects: false }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function serveInWorkerd(): Promise<Served> {
  const code = await bundleWorker('test/support/mcp/fixture-worker.ts')
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: `${code}\nexport default { fetch: answerInObject }`,
      compatibilityDate: '2026-08-01',
      compatibilityFlags: ['nodejs_compat'],
      durableObjects: { FIXTURE: 'Fixture' },
    }),
  )
  const url = await worker.ready
  return { url: new URL('/mcp', url).href, [Symbol.asyncDispose]: () => worker.dispose() }
}

/** Asks of the client over the connection of a session: a server that keeps none, as this one in that era, can't. */
const needsSession = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
]

const hosts = { Node: serveOnNode, workerd: serveInWorkerd }

it.each(Object.keys(hosts) as (keyof typeof hosts)[])(
  'conforms on %s to the revision of 2026-07-28',
  async (host) => {
    await using served = await hosts[host]()
    const { ran, failed } = await conform(served.url, '2026-07-28')
    expect(ran).toHaveLength(37)
    expect(failed).toEqual([])
  },
)

it.each(Object.keys(hosts) as (keyof typeof hosts)[])(
  'conforms on %s to the revision of 2025-11-25, but for what needs a session',
  async (host) => {
    await using served = await hosts[host]()
    const { ran, failed } = await conform(served.url, '2025-11-25')
    expect(ran).toHaveLength(30)
    expect(failed.toSorted()).toEqual(needsSession.toSorted())
  },
)
