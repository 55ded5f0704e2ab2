// `daybook/meaning` as a stranger uses it: bundled by Vite and webpack, or as plain files, and again without a network.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, chromium } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build } from 'vite'
import webpack from 'webpack'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { createApp } from './app.ts'
import { serveFolder } from './serve.ts'

let browser: Browser
beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })
})
afterAll(() => browser.close())

/** Opens the page in the context, and sees that the table relates words. Returns how often the table was fetched. */
async function visit(context: BrowserContext, url: string): Promise<number> {
  const fetched: string[] = []
  context.on('request', (request) => fetched.push(request.url()))
  const tab = await context.newPage()
  await tab.goto(url)
  await tab.waitForFunction(() => globalThis.outcome !== undefined)
  const outcome = await tab.evaluate(() => globalThis.outcome as Promise<unknown>)
  expect(outcome).toEqual({ provider: 'meaning', state: 'ready', isSimilar: true })
  await tab.close()
  return fetched.filter((address) => address.endsWith('.bin')).length
}

/** The page fetches the table once; its second visit needs no server of it. */
async function expectMeaning(folder: string, page: string): Promise<void> {
  await using served = await serveFolder(folder)
  const context = await browser.newContext()
  expect(await visit(context, served.url + page)).toBe(1)
  await context.route(/\.bin$/, (route) => route.abort())
  expect(await visit(context, served.url + page)).toBe(0)
  await context.close()
}

test('Vite production build', async () => {
  await using app = await createApp(['vite'])
  await build({
    root: app.path,
    logLevel: 'error',
    build: { rolldownOptions: { input: join(app.path, 'meaning.html') } },
  })
  await expectMeaning(join(app.path, 'dist'), 'meaning.html')
})

test('webpack 5', async () => {
  await using app = await createApp(['webpack'])
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    webpack(
      {
        mode: 'production',
        optimization: { minimize: false },
        context: app.path,
        entry: './meaning.js',
        output: { path: app.path, filename: 'main.js' },
        performance: false,
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
  })
  expect(stats?.toString({ all: false, errors: true })).toBe('')
  await expectMeaning(app.path, 'meaning-webpack.html')
})

test('a page without a bundler', async () => {
  await using app = await createApp([])
  await expectMeaning(app.path, 'meaning-plain.html')
})

test('Node, by default, by name and by the entry', async () => {
  await using app = await createApp([])
  const script = `
    import { openDaybook } from 'daybook/node'
    import { meaning } from 'daybook/meaning'
    for (const embedder of [undefined, { provider: 'meaning' }, meaning()]) {
      const book = await openDaybook({ name: 'b', path: ':memory:', embedder })
      const { dimensions, embeddings } = await book.embedder.embed({ texts: ['car repair'] })
      console.log(dimensions === embeddings[0].length && embeddings[0].some((number) => number !== 0))
      await book.close()
    }`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: app.path,
  })
  expect(stdout).toBe('true\ntrue\ntrue\n')
})
