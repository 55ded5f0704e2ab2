// Browser tests start the worker of the sources as one bundled file: unbundled it is 200 requests for each book opened.
// Invariant: the bundle is never older than the sources, in watch mode too.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'
import { withoutUnusedWorkers } from '../scripts/bundle-plugin.mjs'
import { root } from '../scripts/place.mjs'
import { lacking, lacksOf } from './support/server/without-storage.ts'

const place = '/daybook-worker/'
const source = `new URL('../worker.ts', import.meta.url)`
const wasm = join(root, 'node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm')

interface Bundle {
  readonly code: string
  readonly etag: string
}

async function bundleWorker(): Promise<Bundle> {
  const bundle = await rolldown({
    cwd: root,
    input: 'src/hosts/browser/worker.ts',
    platform: 'browser',
    plugins: [withoutUnusedWorkers()],
  })
  // As it is published; in full it would also be read for longer, by each new worker.
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false, minify: true })
  await bundle.close()
  const { code } = output[0]
  return { code, etag: `"${createHash('sha256').update(code).digest('hex')}"` }
}

/** Serves the worker from where `open-daybook.ts` is told to look for it. */
export function withBundledWorker(): Plugin {
  let worker: Promise<Bundle> | undefined
  return {
    name: 'test:bundled-worker',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('src/hosts/browser/page/open-daybook.ts')) return undefined
      if (!code.includes(source)) throw new Error(`open-daybook.ts does not say ${source}`)
      return code.replace(source, `new URL('${place}worker.js', location.origin)`)
    },
    configureServer(server) {
      server.watcher.on('change', () => (worker = undefined))
      server.middlewares.use(place, (request, response) => {
        if (request.url?.startsWith('/worker.js')) {
          worker ??= bundleWorker()
          const before = lacksOf(request.url).map((lack) => lacking[lack])
          worker.then(
            ({ code, etag }) => {
              // The browser asks again each time, and keeps what it compiled as long as that is unchanged.
              response.setHeaders(new Headers({ etag, 'cache-control': 'no-cache' }))
              if (request.headers['if-none-match'] === etag) response.writeHead(304).end()
              else response.setHeader('content-type', 'text/javascript').end(before.join('') + code)
            },
            (error: unknown) => response.writeHead(500).end(String(error)),
          )
        } else if (request.url === '/sqlite3.wasm') {
          response.setHeaders(
            new Headers({ 'content-type': 'application/wasm', 'cache-control': 'max-age=3600' }),
          )
          response.end(readFileSync(wasm))
        } else response.writeHead(404).end()
      })
    },
  }
}
