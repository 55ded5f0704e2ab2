// The other ends of what syncs, each on this machine: workerd with Daybook's edge, and for the peers servers in memory.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeBinary, quietWrangler, root } from '../../../scripts/place.mjs'

export interface SyncServer {
  readonly url: string
  close(): Promise<void>
}

const patienceMs = 120_000

/** Daybook's edge in workerd, its database on disk; pages of `origins` may call it. */
export async function serveEdge(origins: readonly string[]): Promise<SyncServer> {
  const state = mkdtempSync(join(tmpdir(), 'daybook-bench-edge-'))
  const port = await freePort()
  const flags = {
    ip: '127.0.0.1',
    port,
    'inspector-port': 0,
    'persist-to': state,
    'log-level': 'error',
    'show-interactive-dev-session': false,
    var: `DAYBOOK_ORIGINS:${origins.join(',')}`,
  }
  const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(nodeBinary, ['node_modules/wrangler/bin/wrangler.js', 'dev', ...given], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
    env: { ...process.env, ...quietWrangler },
  })
  const url = `http://127.0.0.1:${port}`
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = () => {
    // Its group: workerd goes with it.
    if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  const interrupted = () => process.exit(130)
  process.once('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted)
  const close = async () => {
    stop()
    await ended
    process.off('exit', stop)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted)
    rmSync(state, { recursive: true, force: true })
  }
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await fetch(`${url}/health`).catch(() => undefined)
    if (answer?.ok) return { url, close }
    if (Date.now() > deadline) throw new Error('The edge did not start.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** What RxDB's documentation asks of a server, at its simplest: documents in the order of their last change. */
export function serveRxdb(): Promise<SyncServer> {
  type Document = { readonly id: string }
  const rooms = new Map<string, { at: number; all: Map<string, { at: number; document: Document }> }>()
  return serve(async (request, path) => {
    const [, name = '', what] = path.split('/')
    const room = rooms.get(name) ?? { at: 0, all: new Map() }
    rooms.set(name, room)
    const body: unknown = JSON.parse(await readText(request))
    if (what === 'push') {
      for (const { newDocumentState } of body as { newDocumentState: Document }[]) {
        room.all.delete(newDocumentState.id)
        room.all.set(newDocumentState.id, { at: ++room.at, document: newDocumentState })
      }
      return []
    }
    const { at, limit } = body as { at: number; limit: number }
    const page = [...room.all.values()].filter((entry) => entry.at > at).slice(0, limit)
    return { documents: page.map(({ document }) => document), checkpoint: { at: page.at(-1)?.at ?? at } }
  })
}

/** express-pouchdb over PouchDB in memory. */
export async function servePouchdb(): Promise<SyncServer> {
  const require = createRequire(import.meta.url)
  const log = join(tmpdir(), `daybook-bench-pouchdb-${process.pid}.log`)
  type Plugged = { plugin(plugin: unknown): Plugged; defaults(options: object): unknown }
  const plugins = ['adapter-memory', 'adapter-http', 'replication', 'mapreduce']
  const PouchDB = plugins.reduce<Plugged>(
    (core, name) => core.plugin(require(`pouchdb-${name}`)),
    require('pouchdb-core') as Plugged,
  )
  const express = require('express') as () => RequestListener & { use(handler: unknown): void }
  const pouch = require('express-pouchdb') as (core: unknown, options: object) => unknown
  const app = express()
  const settings = { mode: 'minimumForPouchDB', inMemoryConfig: true, logPath: log }
  app.use(pouch(PouchDB.defaults({ adapter: 'memory' }), settings))
  const server = await listen((request, response) => {
    allowOrigin(request, response)
    if (request.method === 'OPTIONS') response.writeHead(204).end()
    else app(request, response)
  })
  return { url: server.url, close: () => server.close().then(() => rmSync(log, { force: true })) }
}

function serve(answer: (request: IncomingMessage, path: string) => Promise<unknown>): Promise<SyncServer> {
  return listen((request, response) => {
    allowOrigin(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    answer(request, request.url ?? '').then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      () => response.writeHead(500).end(),
    )
  })
}

const allowOrigin: RequestListener = ({ headers }, response) => {
  response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*')
  response.setHeader('Access-Control-Allow-Credentials', 'true')
  response.setHeader('Access-Control-Allow-Headers', 'content-type, accept, authorization')
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE')
  response.setHeader('Access-Control-Max-Age', '7200')
}

async function listen(listener: RequestListener): Promise<SyncServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function freePort(): Promise<number> {
  const { url, close } = await listen(() => undefined)
  await close()
  return Number(new URL(url).port)
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
