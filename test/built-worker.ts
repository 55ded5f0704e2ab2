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

/** By the name under which they are served. */
const inputs = {
  'worker.js': 'src/hosts/browser/worker.ts',
  'warm.js': 'test/browser/warm/worker.ts',
} as const
type WorkerName = keyof typeof inputs

const isWorkerName = (name: string | undefined): name is WorkerName => name !== undefined && name in inputs

async function bundleWorker(name: WorkerName): Promise<Bundle> {
  const bundle = await rolldown({
    cwd: root,
    input: inputs[name],
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
  const workers = new Map<WorkerName, Promise<Bundle>>()
  return {
    name: 'test:bundled-worker',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('src/hosts/browser/page/open-daybook.ts')) return undefined
      if (!code.includes(source)) throw new Error(`open-daybook.ts does not say ${source}`)
      return code.replace(source, `new URL('${place}worker.js', location.origin)`)
    },
    configureServer(server) {
      server.watcher.on('change', () => workers.clear())
      server.middlewares.use(place, (request, response) => {
        const [name] = request.url?.slice(1).split('?') ?? []
        if (isWorkerName(name)) {
          const worker = workers.get(name) ?? bundleWorker(name)
          workers.set(name, worker)
          const before = lacksOf(request.url ?? '').map((lack) => lacking[lack])
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
