// The inspector and its edge as they are published, started as a person starts them, and a stranger's server beside them.
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/server/free-port.ts'
import { runScript } from '../support/server/run-script.ts'

export interface Published extends AsyncDisposable {
  /** The origin of page and edge. */
  readonly url: string
  /** The paths of what was built to be served. */
  readonly paths: readonly string[]
}

export async function startPublished(): Promise<Published> {
  const port = String(await freePort())
  const state = mkdtempSync(join(tmpdir(), 'daybook-published-'))
  const url = `http://127.0.0.1:${port}`
  const script = await runScript('preview.mjs', { PREVIEW_PORT: port, PREVIEW_STATE: state }, [url])
  const files = globSync('**/*.*', { cwd: join(state, 'page') }).map((file) => file.replaceAll('\\', '/'))
  return {
    url,
    paths: files.map((file) => (file === 'index.html' ? '/' : `/${file}`)),
    async [Symbol.asyncDispose]() {
      await script[Symbol.asyncDispose]()
      rmSync(state, { recursive: true, force: true })
    },
  }
}

export interface Stranger extends AsyncDisposable {
  readonly url: string
  /** What was asked of it, in order. */
  readonly asked: readonly string[]
}

/** A server of another origin that answers everybody, and at `/frame` frames `framed`. */
export async function startStranger(framed: string): Promise<Stranger> {
  const asked: string[] = []
  const server = createServer(({ url: path = '' }, response) => {
    asked.push(path)
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Content-Type', path === '/frame' ? 'text/html' : 'text/javascript')
    response.end(path === '/frame' ? `<iframe src="${framed}"></iframe>` : 'globalThis.intruder = true')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    // By its name: the page comes from an address, and is of another site.
    url: `http://localhost:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
