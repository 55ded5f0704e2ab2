// Browser tests start the worker of the sources in the files that the build makes of it: unbundled it is 200 requests for each book
// opened.
// Invariant: the bundle is never older than the sources, in watch mode too.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'
import { slimWorker, splitWorker } from '../scripts/bundle-plugin.mjs'
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

const bundleOf = (code: string): Bundle => ({
  code,
  etag: `"${createHash('sha256').update(code).digest('hex')}"`,
})

/** The files of a worker by name, as they are published. */
async function bundleWorker(name: WorkerName): Promise<ReadonlyMap<string, Bundle>> {
  const split = splitWorker()
  const bundle = await rolldown({
    cwd: root,
    ...split.input,
    input: { [name.replace('.js', '')]: inputs[name] },
    platform: 'browser',
    plugins: [slimWorker(), split.input.plugins],
  })
  const { output } = await bundle.generate({ format: 'es', minify: true, comments: false, ...split.output })
  await bundle.close()
  return new Map(output.map((file) => [file.fileName, bundleOf('code' in file ? file.code : '')]))
}

/** The files of the workers that were asked for, until a source changes. */
class Workers {
  readonly #bundles = new Map<string, Promise<ReadonlyMap<string, Bundle>>>()

  clear(): void {
    this.#bundles.clear()
  }

  /** The file at a path such as `worker.js?without=opfs`. */
  async at(url: string): Promise<Bundle | undefined> {
    const [name] = url.split('?')
    if (isWorkerName(name)) {
      const bundle = this.#bundles.get(name) ?? bundleWorker(name)
      this.#bundles.set(name, bundle)
      const file = (await bundle).get(name)
      const before = lacksOf(url).map((lack) => lacking[lack])
      return file && before.length > 0 ? bundleOf(before.join('') + file.code) : file
    }
    for (const bundle of this.#bundles.values()) {
      const found = (await bundle).get(name ?? '')
      if (found) return found
    }
    return undefined
  }
}

/** Serves the worker from where `open-daybook.ts` is told to look for it. */
export function withBundledWorker(): Plugin {
  const workers = new Workers()
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
        const url = request.url?.slice(1) ?? ''
        if (url === 'sqlite3.wasm') {
          response.setHeaders(
            new Headers({ 'content-type': 'application/wasm', 'cache-control': 'max-age=3600' }),
          )
          response.end(readFileSync(wasm))
          return
        }
        workers.at(url).then(
          (file) => {
            if (!file) return response.writeHead(404).end()
            const { code, etag } = file
            // The browser asks again each time, and keeps what it compiled as long as that is unchanged.
            response.setHeaders(new Headers({ etag, 'cache-control': 'no-cache' }))
            if (request.headers['if-none-match'] === etag) return response.writeHead(304).end()
            return response.setHeader('content-type', 'text/javascript').end(code)
          },
          (error: unknown) => response.writeHead(500).end(String(error)),
        )
      })
    },
  }
}
