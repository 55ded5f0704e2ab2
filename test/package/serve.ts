// Serves a folder as plain files, as any web server does.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
}

export interface Served extends AsyncDisposable {
  readonly url: string
}

/** Serves `folder`; `isOpen`: pages of other origins may read it, as at a CDN. */
export async function serveFolder(folder: string, { isOpen = false } = {}): Promise<Served> {
  const open = isOpen ? { 'access-control-allow-origin': '*' } : {}
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname)
    readFile(join(folder, path)).then(
      (body) =>
        response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain', ...open }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
