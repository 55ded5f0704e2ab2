// The conformance suite of MCP against the fixture on the transport of the product, on Node and in workerd, in both eras.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { root } from '../../../../scripts/place.mjs'
import { answerFixture } from '../../../support/mcp/fixture-entry.ts'

const run = promisify(execFile)
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

interface Served extends AsyncDisposable {
  readonly url: string
}

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
  const bundle = await rolldown({
    cwd: root,
    input: 'test/support/mcp/fixture-worker.ts',
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'import', 'default'] },
    external: /^(?:node|cloudflare):/,
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false })
  await bundle.close()
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: `${output[0].code}\nexport default { fetch: answerInObject }`,
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

/** The scenarios that count for a revision, and those of them in which a check failed. */
async function conform(url: string, revision: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  try {
    const args = [suite, 'server', '--url', url, '--requirements', revision, '-o', folder]
    const { stdout } = await run(process.execPath, args, { timeout: 120_000 }).catch(
      // It says by its exit code that some failed; which did, it prints.
      (error: unknown) => error as { readonly stdout: string },
    )
    const [, summary = ''] = stdout.split('=== SUMMARY ===')
    const [all = '', uncounted = ''] = summary.split('Not scored for')
    const names = (text: string, line: RegExp) => [...text.matchAll(line)].map(([, name = '']) => name)
    const apart = new Set(names(uncounted, /^\s*[✓✗] ([\w-]+)/gm))
    const counted = (line: RegExp) => names(all, line).filter((name) => !apart.has(name))
    return { ran: counted(/^[✓✗] ([\w-]+):/gm), failed: counted(/^✗ ([\w-]+):/gm) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

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
