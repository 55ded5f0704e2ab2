// Browser tests start the worker of the sources as one bundled file: unbundled it is 200 requests for each book opened.
// Invariant: the bundle is never older than the sources, in watch mode too.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'
import { withoutUnusedWorkers } from '../scripts/bundle-plugin.mjs'
import { root } from '../scripts/place.mjs'

const place = '/daybook-worker/'
const source = `new URL('./worker.ts', import.meta.url)`
const wasm = join(root, 'node_modules/@sqlite.org/sqlite-wasm/dist/sqlite3.wasm')

async function bundleWorker(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: 'src/hosts/browser/worker.ts',
    platform: 'browser',
    plugins: [withoutUnusedWorkers()],
  })
  const { output } = await bundle.generate({ format: 'es', codeSplitting: false, sourcemap: 'inline' })
  await bundle.close()
  return output[0].code
}

/** Serves the worker from where `open-daybook.ts` is told to look for it. */
export function withBundledWorker(): Plugin {
  let worker: Promise<string> | undefined
  return {
    name: 'test:bundled-worker',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('src/hosts/browser/open-daybook.ts')) return undefined
      if (!code.includes(source)) throw new Error(`open-daybook.ts does not say ${source}`)
      return code.replace(source, `new URL('${place}worker.js', location.origin)`)
    },
    configureServer(server) {
      server.watcher.on('change', () => (worker = undefined))
      server.middlewares.use(place, (request, response) => {
        if (request.url?.startsWith('/worker.js')) {
          worker ??= bundleWorker()
          worker.then(
            (code) => response.setHeader('content-type', 'text/javascript').end(code),
            (error: unknown) => response.writeHead(500).end(String(error)),
          )
        } else if (request.url === '/sqlite3.wasm') {
          response.setHeader('content-type', 'application/wasm').end(readFileSync(wasm))
        } else response.writeHead(404).end()
      })
    },
  }
}
