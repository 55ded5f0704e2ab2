// Serves a page with Daybook as it is built for production, and the same page with a later version of what tabs speak,
// at one origin: the day after an upgrade, with an old tab still open.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, preview } from 'vite'
import type { TestProject } from 'vitest/node'
import { inStep } from '../support/progress.ts'
import { withLackingWorkers } from '../support/server/without-storage.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly tabsUrl: string
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const built = `${root}.cache/tabs-test`

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await inStep(project.name, 'building the page', () => buildPage('current', ['index', 'agent']))
  await inStep(project.name, 'building the newer page', () =>
    buildPage('newer', ['index'], replaceIn('tab-wire.ts', 'const wireVersion = 3', 'const wireVersion = 4')),
  )
  const server = await preview({
    root: `${root}test/tabs/page`,
    configFile: false,
    logLevel: 'error',
    plugins: [withLackingWorkers()],
    build: { outDir: built },
    // By a name of the internet too, for what browsers keep from such pages.
    preview: { host: '127.0.0.1', port: 0, allowedHosts: ['memory.example'] },
  })
  const [url = ''] = server.resolvedUrls?.local ?? []
  project.provide('tabsUrl', url)
  return async () => {
    await server.close()
    rmSync(built, { recursive: true, force: true })
  }
}

async function buildPage(name: string, pages: readonly string[], plugin?: () => Plugin): Promise<void> {
  await build({
    root: `${root}test/tabs/page`,
    base: `/${name}/`,
    configFile: false,
    logLevel: 'error',
    plugins: plugin ? [plugin()] : [],
    worker: { format: 'es', plugins: () => (plugin ? [plugin()] : []) },
    build: {
      outDir: `${built}/${name}`,
      emptyOutDir: true,
      target: 'es2023',
      chunkSizeWarningLimit: 10_000,
      // What was there before an upgrade is the book alone.
      rolldownOptions: { input: pages.map((page) => `${root}test/tabs/page/${page}.html`) },
    },
  })
}

/** A build in which one line reads otherwise. Throws when the line is not there. */
function replaceIn(file: string, from: string, to: string): () => Plugin {
  return () => ({
    name: `test:${file}`,
    transform(code, id) {
      if (!id.endsWith(file)) return undefined
      if (!code.includes(from)) throw new Error(`${file} does not say ${from}`)
      return code.replace(from, to)
    },
  })
}
