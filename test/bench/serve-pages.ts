// The pages of the bench as users would have them: a production build, minified, served as files. The two headers
// make the pages cross-origin isolated, for a fine clock and because SQLocal's storage needs it.
import { join } from 'node:path'
import { build, preview } from 'vite'
import { withLackingWorkers } from '../support/server/without-storage.ts'

const root = import.meta.dirname
const outDir = join(root, '../../.cache/bench')
const isolated = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

export interface ServedPages {
  /** The address of a page; each `host` is an origin of its own, with storage of its own. */
  url(host: string, page: string): string
  close(): Promise<void>
}

/** Builds the pages and serves them at a free port. `before`: the entry of an earlier Daybook, for comparison. */
export async function servePages(before?: string): Promise<ServedPages> {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    // PouchDB imports Node's name for it.
    resolve: {
      alias: {
        events: 'events/events.js',
        'daybook-before': before ?? join(root, '../../src/index.ts'),
      },
    },
    worker: { format: 'es' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      chunkSizeWarningLimit: 10_000,
    },
  })
  const server = await preview({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: [withLackingWorkers()],
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0, headers: isolated },
  })
  const address = server.httpServer.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: (host, page) => `http://${host}.localhost:${port}/?${page}`,
    close: () => server.close(),
  }
}
