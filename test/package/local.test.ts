// `daybook/local` as a stranger uses it: bundled by Vite and webpack, or as plain files, with a model from the app's server.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build } from 'vite'
import webpack from 'webpack'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { tinyModel } from '../support/server/tiny-model.ts'
import { createApp } from './app.ts'
import { serveFolder } from './serve.ts'

const tools = ['@huggingface/transformers', 'onnxruntime-web']
let browser: Browser

beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })
})
afterAll(() => browser.close())

async function writeModel(folder: string): Promise<void> {
  for (const [file, content] of tinyModel()) {
    const path = join(folder, 'models/tiny', file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
}

/** Serves `folder` with the tiny model in it and nothing of any other host, and sees that `page` finds by meaning. */
async function expectMeaning(folder: string, page: string): Promise<void> {
  await writeModel(folder)
  await using served = await serveFolder(folder)
  const context = await browser.newContext()
  const strangers: string[] = []
  await context.route(
    (url) => url.origin !== new URL(served.url).origin,
    (route) => {
      strangers.push(route.request().url())
      return route.abort()
    },
  )
  const tab = await context.newPage()
  await tab.goto(served.url + page)
  await tab.waitForFunction(() => globalThis.outcome !== undefined)
  const outcome = await tab.evaluate(() => globalThis.outcome as Promise<unknown>)
  const { id } = outcome as { id: string }
  expect(outcome).toEqual({
    id,
    recalled: [id],
    durability: 'opfs',
    fingerprint: 'local|tiny q8 mean|4|true',
  })
  expect(strangers).toEqual([])
  await context.close()
}

test('Vite production build', async () => {
  await using app = await createApp(['vite', ...tools])
  await build({
    root: app.path,
    logLevel: 'error',
    build: { rolldownOptions: { input: join(app.path, 'local.html') } },
  })
  await expectMeaning(join(app.path, 'dist'), 'local.html')
})

test('webpack 5', async () => {
  await using app = await createApp(['webpack', ...tools])
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    webpack(
      {
        mode: 'production',
        // Minifying the runtime takes a minute and is not what is tried here.
        optimization: { minimize: false },
        context: app.path,
        entry: './local.js',
        output: { path: app.path, filename: 'main.js' },
        performance: false,
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
  })
  expect(stats?.toString({ all: false, errors: true })).toBe('')
  await expectMeaning(app.path, 'local-webpack.html')
})

test('a page without a bundler', async () => {
  await using app = await createApp(tools)
  await expectMeaning(app.path, 'local-plain.html')
})

test('Node, with the package and without it', async () => {
  const run = async (packages: readonly string[]): Promise<unknown> => {
    await using app = await createApp(packages)
    await writeModel(app.path)
    const script = ['local-node.mjs', join(app.path, 'models')]
    const { stdout } = await promisify(execFile)(process.execPath, script, { cwd: app.path })
    return JSON.parse(stdout)
  }
  expect(await run(tools)).toEqual({ embeddings: [[0, 0, 0, 1]], dimensions: 4 })
  expect(await run([])).toEqual({
    code: 'embedder-failed',
    message: expect.stringContaining('npm install @huggingface/transformers') as string,
  })
})
