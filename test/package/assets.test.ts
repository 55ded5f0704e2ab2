// The package where no bundler puts its worker beside the page: copied by its own command, or served by another origin.
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { product } from '../../src/bundle/format/product.ts'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { type App, createApp } from './app.ts'
import { serveFolder } from './serve.ts'
import { expectBook } from './visit.ts'

let browser: Browser
let app: App

beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })
  app = await createApp([])
})
afterAll(async () => {
  await browser.close()
  await app[Symbol.asyncDispose]()
})

const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: app.path })
const daybook = (...args: string[]) => run('node_modules/daybook/dist/cli.js', ...args)

/** A folder of the app with a page, whose head is `head`. */
async function page(folder: string, head: string): Promise<void> {
  await mkdir(join(app.path, folder), { recursive: true })
  const html = `<!doctype html><meta charset="utf-8" /><link rel="icon" href="data:," /><title>Elsewhere</title>${head}`
  await writeFile(join(app.path, folder, 'index.html'), html)
}

const bundle = (folder: string, format: 'esm' | 'iife') =>
  build({
    absWorkingDir: app.path,
    entryPoints: ['main.js'],
    outfile: `${folder}/main.js`,
    bundle: true,
    format,
    logLevel: 'silent',
  })

/** With what a book can't be opened at the address. */
async function refusalAt(url: string) {
  await using visitor = await browser.newPage()
  await visitor.goto(url)
  await visitor.waitForFunction(() => globalThis.outcome !== undefined)
  return await visitor.evaluate(() =>
    globalThis.outcome?.then(
      () => undefined,
      ({ code, message, details }: { code: string; message: string; details: object }) => ({
        code,
        message,
        details,
      }),
    ),
  )
}

describe('esbuild', () => {
  test.each(['esm', 'iife'] as const)('%s, with the files that `daybook assets` copies', async (format) => {
    await bundle(format, format)
    await page(
      format,
      '<script>given = { assets: "./daybook" }</script><script type="module" src="main.js"></script>',
    )
    await daybook('assets', join(format, 'daybook'))
    const copied = await readdir(join(app.path, format, 'daybook'))
    expect(copied.filter((file) => !file.startsWith('worker-')).toSorted()).toEqual([
      'licenses.txt',
      'meaning.bin',
      'model-worker.js',
      'sqlite3.wasm',
      'tab-hub.js',
      'worker.js',
    ])
    expect(copied.map((file) => /^worker-(\w+)-/.exec(file)?.[1])).toEqual(
      expect.arrayContaining(['start', 'consent', 'continuity', 'bundle', 'pool']),
    )
    await using served = await serveFolder(join(app.path, format))
    await expectBook(browser, `${served.url}index.html`)
  })

  test.each(['esm', 'iife'] as const)('%s, without them, says what to do', async (format) => {
    const folder = `${format}-alone`
    await bundle(folder, format)
    await page(folder, '<script type="module" src="main.js"></script>')
    await using served = await serveFolder(join(app.path, folder))
    expect(await refusalAt(`${served.url}index.html`)).toMatchObject({
      code: 'engine-died',
      message: expect.stringContaining('npx daybook assets') as string,
    })
  })
})

test('a worker that was copied from another version is refused by name', async () => {
  await bundle('stale', 'esm')
  await page(
    'stale',
    '<script>given = { assets: "./daybook" }</script><script type="module" src="main.js"></script>',
  )
  await daybook('assets', 'stale/daybook')
  const folder = join(app.path, 'stale/daybook')
  const start = (await readdir(folder)).find((file) => file.startsWith('worker-start-')) ?? ''
  const worker = join(folder, start)
  const text = await readFile(worker, 'utf8')
  await writeFile(worker, text.replaceAll(product.version, '0.0.9'))
  await using served = await serveFolder(join(app.path, 'stale'))
  expect(await refusalAt(`${served.url}index.html`)).toMatchObject({
    code: 'assets-mismatch',
    details: { page: product.version, worker: '0.0.9' },
  })
})

test('a CDN, under a policy that names it', async () => {
  await using far = await serveFolder(join(app.path, 'node_modules/daybook/dist'), { isOpen: true })
  const origin = far.url.slice(0, -1)
  const policy = `default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' ${origin}; worker-src blob: ${origin}; connect-src ${origin}; img-src data:`
  await page(
    'far',
    `<meta http-equiv="content-security-policy" content="${policy}" />
    <script type="importmap">{ "imports": { "daybook": "${far.url}index.js" } }</script>
    <script type="module" src="/main.js"></script>`,
  )
  await using served = await serveFolder(app.path)
  await expectBook(browser, `${served.url}far/index.html`, { isHub: false })
})

test('assets of another origin', async () => {
  await using far = await serveFolder(join(app.path, 'node_modules/daybook/dist'), { isOpen: true })
  await bundle('apart', 'esm')
  await page(
    'apart',
    `<script>given = { assets: "${far.url}" }</script><script type="module" src="main.js"></script>`,
  )
  await using served = await serveFolder(join(app.path, 'apart'))
  await expectBook(browser, `${served.url}index.html`, { isHub: false })
})

test('the entry for pages says in Node which one to take', async () => {
  const open = `import { openDaybook } from 'daybook'
    const error = await openDaybook({ name: 'me' }).catch((error) => error)
    console.log(JSON.stringify([error.name, error.code, error.message]))`
  const { stdout } = await run('--input-type=module', '-e', open)
  const [name, code, message] = JSON.parse(stdout) as string[]
  expect([name, code]).toEqual(['DaybookError', 'needs-page'])
  expect(message).toContain('daybook/node')
})

test('`daybook assets` refuses what is no folder, and changes nothing', async () => {
  const refused = await daybook('assets', 'main.js').catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('main.js is not a folder') as string,
  })
  const none = await daybook('assets').catch((error: unknown) => error)
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('takes one folder') as string })
})
