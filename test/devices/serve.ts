// Serves what devices need: a page as it is built for production, with a service worker, and the edge as it runs locally.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, preview } from 'vite'
import type { TestProject } from 'vitest/node'
import { devEdge, quietWrangler, root } from '../../scripts/place.mjs'
import { inStep } from '../support/progress.ts'
import { freePort } from '../support/server/free-port.ts'
import { withLackingWorkers } from '../support/server/without-storage.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly pageUrl: string
    readonly edgeUrl: string
  }
}

const page = join(root, 'test/devices/page')
const built = join(root, '.cache/devices-test')

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const port = await freePort()
  const [edge] = await Promise.all([
    inStep(project.name, 'starting the edge', () => startEdge(`http://127.0.0.1:${port}`)),
    inStep(project.name, 'building the page', buildPage),
  ])
  const server = await preview({
    root: page,
    configFile: false,
    logLevel: 'error',
    plugins: [withLackingWorkers()],
    build: { outDir: built },
    preview: { host: '127.0.0.1', port, strictPort: true },
  })
  const [url = ''] = server.resolvedUrls?.local ?? []
  project.provide('pageUrl', url)
  project.provide('edgeUrl', edge.url)
  return async () => {
    await server.close()
    await edge.stop()
    rmSync(built, { recursive: true, force: true })
  }
}

async function buildPage(): Promise<void> {
  await build({
    root: page,
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: {
      outDir: built,
      emptyOutDir: true,
      target: 'es2023',
      chunkSizeWarningLimit: 10_000,
      rolldownOptions: {
        input: [join(page, 'index.html'), join(page, 'service-worker.ts')],
        output: {
          entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        },
      },
    },
  })
}

/** The edge, which lets that page in. */
async function startEdge(page: string): Promise<{ url: string; stop(): Promise<void> }> {
  const state = mkdtempSync(join(tmpdir(), 'daybook-devices-'))
  const child = spawn(
    process.execPath,
    devEdge({
      ip: '127.0.0.1',
      port: 0,
      'persist-to': state,
      'log-level': 'log',
      var: `DAYBOOK_ORIGINS:${page}`,
    }),
    {
      cwd: root,
      env: { ...process.env, ...quietWrangler },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await readyUrl(child)
  return {
    url,
    async stop() {
      // The group: workerd goes with wrangler.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
      await exited
      rmSync(state, { recursive: true, force: true })
    },
  }
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const hear = (part: Buffer) => {
      said += part.toString()
      const url = /Ready on (http:\S+)/.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', (code) => reject(new Error(`The edge ended with ${code}:\n${said}`)))
  })
}
