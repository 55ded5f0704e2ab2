// The package as a stranger installs it: the tarball in fresh apps, nothing configured, a book opened in Chromium.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, createServer } from 'vite'
import webpack from 'webpack'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { quietWrangler, root } from '../../scripts/place.mjs'
import { createApp } from './app.ts'
import { serveFolder } from './serve.ts'
import { expectBook as expectBookOf } from './visit.ts'

let browser: Browser

beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })
})
afterAll(() => browser.close())

const expectBook = (url: string) => expectBookOf(browser, url)

test('Vite dev server', async () => {
  await using app = await createApp(['vite'])
  const server = await createServer({
    root: app.path,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
  })
  try {
    await server.listen()
    await expectBook(server.resolvedUrls?.local[0] ?? '')
  } finally {
    await server.close()
  }
})

test('Vite production build', async () => {
  await using app = await createApp(['vite'])
  await build({ root: app.path, logLevel: 'error' })
  await using served = await serveFolder(join(app.path, 'dist'))
  await expectBook(`${served.url}index.html`)
})

test('webpack 5', async () => {
  await using app = await createApp(['webpack'])
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    webpack(
      {
        mode: 'production',
        context: app.path,
        entry: './main.js',
        output: { path: app.path },
        performance: false,
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    )
  })
  expect(stats?.toString({ all: false, errors: true, warnings: true })).toBe('')
  // What shares its name would be one script.
  const scripts = stats?.toJson({ all: false, assets: true }).assets?.map(({ name }) => name)
  expect(scripts).toEqual(expect.arrayContaining(['daybook.js', 'daybook-tabs.js']))
  await using served = await serveFolder(app.path)
  await expectBook(`${served.url}webpack.html`)
})

test('a page without a bundler', async () => {
  await using app = await createApp([])
  await using served = await serveFolder(app.path)
  await expectBook(`${served.url}plain.html`)
})

test('a service worker without a bundler', async () => {
  await using app = await createApp([])
  await using served = await serveFolder(app.path)
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${served.url}plain.html`)
  const state = await page.evaluate<string>(
    `navigator.serviceWorker.register('/service-worker.js', { type: 'module' })
      .then(() => navigator.serviceWorker.ready).then(({ active }) => active.state)`,
  )
  expect(state).toMatch(/^activat/)
  await context.close()
})

test('a service worker in a bundle has only what is used of it', async () => {
  await using app = await createApp([])
  const bundle = await rolldown({ cwd: app.path, input: './tag.js' })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  expect(output[0].code).toContain('daybook')
  expect(output[0].code).not.toContain('Bearer')
})

test('Node', async () => {
  await using app = await createApp([])
  const { stdout } = await promisify(execFile)(process.execPath, ['node.mjs'], { cwd: app.path })
  const { id, stored } = JSON.parse(stdout)
  expect(stored).toEqual([id])
})

test('the command line', async () => {
  await using app = await createApp([])
  const book = join(app.path, 'agents/me/memory/book.daybook')
  await mkdir(dirname(book), { recursive: true })
  const store = `import { openDaybook } from 'daybook/node'
    await using book = await openDaybook({ name: 'me', path: process.argv[1] })
    await book.perceptions.store({ content: 'The build is green' })`
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: app.path })
  await run('--input-type=module', '-e', store, book)
  const binary = join(app.path, 'node_modules/daybook/dist/cli.js')
  const place = ['--home', app.path, '--agent', 'me', '--json']
  const exported = await run(binary, 'export-memory', '--output', 'out.kstar', ...place)
  expect(JSON.parse(exported.stdout)).toMatchObject({ records: 1 })
  const verified = await run(binary, 'verify-bundle', 'out.kstar', '--json')
  expect(JSON.parse(verified.stdout)).toMatchObject({ counts: { perception: 1 } })
  // A bundler may take what only sets something for something nobody needs.
  expect(await readFile(binary, 'utf8')).toContain('--semi-space-growth-factor=1')
})

test('a Worker of its own', async () => {
  await using app = await createApp(['wrangler'])
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  const server = spawn(
    process.execPath,
    [wrangler, 'dev', '--port', '0', '--inspector-port', '0', '--log-level', 'log'],
    {
      cwd: app.path,
      env: { ...process.env, ...quietWrangler },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(server, 'exit')
  const tooLate = setTimeout(() => server.kill(), 150_000)
  try {
    let output = ''
    let url: string | undefined
    for await (const part of server.stdout.setEncoding('utf8')) {
      output += String(part)
      url = /Ready on (http:\S+)/.exec(output)?.[1]
      if (url !== undefined) break
    }
    expect(url, output).toBeDefined()
    const answer = await fetch(`${url}/health`)
    expect(answer.status).toBe(200)
  } finally {
    clearTimeout(tooLate)
    server.kill()
    await ended
  }
})
