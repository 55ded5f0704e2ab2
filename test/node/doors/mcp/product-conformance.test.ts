// The conformance suite of MCP against the product: the endpoint of a book at `daybook serve` and of the Worker. It has none of the
// fixture's tools, prompts and resources, so most scenarios can't be played; whatever fails has to fail for that alone.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { skipped } from '../../hosts/node/postgres/postgres-world.ts'
import { createServeWorld } from '../../hosts/node/serve/serve-world.ts'
import { openWorker } from '../worker.ts'
import { conform, type Served } from './conform.ts'

/** The suite sends no key: this puts one before a request, and changes nothing else, `Host` least of all. */
async function withKey(to: string, key: string): Promise<Served> {
  const { hostname, port } = new URL(to)
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` }
    const { url: path, method } = asked
    const onward = request({ hostname, port, path, method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers)
      answered.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/books/conform/mcp?tools=recall,graph`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** What fails where a server has none of what the fixture has, and says so. */
const notThere =
  /(?:test_\w+|json_schema_\w+)'? not found|does not list the diagnostic tool|Resource not found: test:\/\/|exposes no tool with/
/** Prompts, completion, levels of a log, and subscriptions where HTTP has no session: none of them is declared. */
const undeclared =
  /^(?:resources-(?:un)?subscribe$|prompts-|completion-|logging-|tools-call-with-logging|caching|input-required-)/

/** What failed for a reason that is the product's own. */
const ownFaults = ({ faults }: Awaited<ReturnType<typeof conform>>) =>
  faults.filter(
    ([scenario, , message]) =>
      !notThere.test(message) &&
      !(undeclared.test(scenario) && message.includes('Method not found')) &&
      // Later steps of what the fixture's tool would have begun.
      !/^input-required-result-(?:multi-round|tampered-state)$/.test(scenario),
  )

const passed = ({ ran, failed }: Awaited<ReturnType<typeof conform>>) =>
  ran.filter((name) => !failed.includes(name))

function conformanceCases(urlOf: () => string): void {
  it('fails in nothing of 2026-07-28 that it has', async () => {
    const conformed = await conform(urlOf(), '2026-07-28')
    expect(ownFaults(conformed)).toEqual([])
    expect(passed(conformed)).toEqual([
      'tools-list',
      'server-sse-multiple-streams',
      'resources-list',
      'sep-2164-resource-not-found',
      'prompts-list',
      'dns-rebinding-protection',
      'caching',
      'input-required-result-missing-input-response',
      'input-required-result-unsupported-methods',
      'input-required-result-ignore-extra-params',
      'input-required-result-validate-input',
    ])
  })

  it('fails in nothing of 2025-11-25 that it has', async () => {
    const conformed = await conform(urlOf(), '2025-11-25')
    expect(ownFaults(conformed)).toEqual([])
    expect(passed(conformed)).toEqual([
      'server-initialize',
      'ping',
      'tools-list',
      'server-sse-multiple-streams',
      'resources-list',
      'prompts-list',
      'dns-rebinding-protection',
    ])
  })
}

describe.skipIf(skipped !== '')(`MCP at daybook serve${skipped}`, () => {
  const world = createServeWorld()
  let served: Served
  beforeAll(async () => {
    await world.open()
    served = await withKey((await world.start()).url, world.key)
  })
  afterAll(async () => {
    await served[Symbol.asyncDispose]()
    await world.close()
  })
  conformanceCases(() => served.url)
})

describe('MCP at the Worker', () => {
  let worker: Miniflare
  let served: Served
  beforeAll(async () => {
    worker = await openWorker()
    served = await withKey((await worker.ready).href, 'development')
  })
  afterAll(async () => {
    await served[Symbol.asyncDispose]()
    await worker.dispose()
  })
  conformanceCases(() => served.url)
})
