// Serves the inspector for its tests: as `npm start` does from its sources, and as it is built for production.
// The edge it is told of is a closed port, so that being offline is what every test sees.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, createServer, type InlineConfig, preview } from 'vite'
import type { TestProject } from 'vitest/node'
import { inStep } from '../support/progress.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The inspector from its sources. */
    readonly devUrl: string
    /** The inspector as it is built. */
    readonly builtUrl: string
    /** Where that lies. */
    readonly builtFolder: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const built = `${root}.cache/inspector-test`

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env['VITE_EDGE_URL'] = 'http://127.0.0.1:9'
  const free = { host: '127.0.0.1', port: 0, strictPort: false }
  const common: InlineConfig = {
    configFile: `${root}demo/vite.config.ts`,
    logLevel: 'error',
    build: { outDir: built, emptyOutDir: true },
  }
  const dev = await createServer({
    ...common,
    cacheDir: `${root}.cache/vite-inspector-test`,
    // Nothing is watched: a source that is saved meanwhile must not reload a page in the middle of a test.
    // What the page starts with is read while the other one is built.
    server: { ...free, watch: null, warmup: { clientFiles: ['./main.tsx'] } },
  })
  await dev.listen()
  // As its users get it: under the runner's NODE_ENV it would have the checks of libraries for developers in it.
  const own = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  await inStep(project.name, 'building the inspector', () => build({ ...common, mode: 'production' }))
  process.env['NODE_ENV'] = own
  const production = await preview({ ...common, preview: free })
  project.provide('devUrl', addressOf(dev.resolvedUrls?.local))
  project.provide('builtFolder', built)
  project.provide('builtUrl', addressOf(production.resolvedUrls?.local))
  return async () => {
    await Promise.all([dev.close(), production.close()])
    rmSync(built, { recursive: true, force: true })
  }
}

function addressOf(local: readonly string[] | undefined): string {
  const [url] = local ?? []
  if (url === undefined) throw new Error('Vite did not say where it listens.')
  return url
}
