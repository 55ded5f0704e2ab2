// The inspector of an app's own book, as a stranger gets it: one line in Vite's configuration, or a middleware.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, createServer, type Plugin } from 'vite'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { askRaw } from '../support/server/raw-request.ts'
import { type App, createApp } from './app.ts'

declare global {
  var ready: boolean | undefined
  var say: (goal: string) => Promise<unknown>
  var listBooks: () => Promise<unknown>
  var inspectBeside: () => Promise<string>
}

interface VitePart {
  daybookInspector(options?: {
    readonly build?: boolean
    readonly path?: string
    readonly frameAncestors?: readonly string[]
  }): Plugin
}
interface ServerPart {
  inspectorMiddleware(options?: {
    readonly path?: string
    readonly frameAncestors?: readonly string[]
  }): (request: IncomingMessage, response: ServerResponse, next: () => void) => unknown
}

let browser: Browser
let app: App

beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })
  app = await createApp(['vite'])
})
afterAll(async () => {
  await browser.close()
  await app[Symbol.asyncDispose]()
})

const partOf = async <Part>(file: string) =>
  (await import(pathToFileURL(join(app.path, 'node_modules/daybook/dist', file)).href)) as Part

/** A page of the app, with all that went wrong in it or in what it opened. */
async function openApp(url: string): Promise<{ page: Page; faults: string[]; close(): Promise<void> }> {
  const context = await browser.newContext()
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(error.error().message))
  context.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => globalThis.ready === true)
  return { page, faults, close: () => context.close() }
}

test('an app in Vite’s dev server has its inspector at the same origin, live', async () => {
  const { daybookInspector } = await partOf<VitePart>('vite.js')
  const lines: string[] = []
  const server = await createServer({
    root: app.path,
    configFile: false,
    plugins: [daybookInspector()],
    server: { host: '127.0.0.1', port: 0 },
    customLogger: {
      ...(await import('vite')).createLogger('silent'),
      info: (line) => void lines.push(line),
    },
  })
  try {
    await server.listen()
    server.printUrls()
    const origin = server.resolvedUrls?.local[0] ?? ''
    expect(lines.at(-1)).toContain(`${origin}__daybook/`)
    const { page, faults, close } = await openApp(`${origin}inspected.html`)
    expect(await page.evaluate(() => globalThis.listBooks())).toEqual([{ name: 'garden', storage: 'opfs' }])
    // The window opens in the click itself, before the inspector's own server answers: Safari blocks a later one.
    const serve = Promise.withResolvers<void>()
    await page.route('**/icon.svg', (route) => serve.promise.then(() => route.continue()))
    const opening = page.context().waitForEvent('page')
    await page.click('#inspect')
    const inspector = await opening
    expect(inspector.url()).toBe('about:blank')
    serve.resolve()
    await inspector.waitForURL(`${origin}__daybook/?book=garden`)
    // A second click shows the same window.
    const shownAgain = inspector.waitForEvent('framenavigated')
    await page.click('#inspect')
    await shownAgain
    expect(page.context().pages()).toHaveLength(2)
    await inspector.getByText('Water the tomatoes').first().waitFor()
    await page.evaluate(() => globalThis.say('Water the beans'))
    // What is being read does not move: what is new is counted, and shown when asked for.
    await inspector.getByRole('button', { name: '1 new' }).click()
    await inspector.getByText('Water the beans').first().waitFor()
    // Without a name in the address, the only book there is.
    const plain = await page.context().newPage()
    await plain.goto(`${origin}__daybook`)
    await plain.getByText('Water the beans').first().waitFor()
    expect(new URL(plain.url()).search).toBe('?book=garden')
    expect(await page.evaluate(() => globalThis.inspectBeside())).toBe('shown')
    const frame = page.frameLocator('iframe[title="Daybook inspector"]')
    await frame.getByText('Water the beans').first().waitFor()
    expect(faults).toEqual([])
    await close()
  } finally {
    await server.close()
  }
})

test('an app without it is told what to add', async () => {
  const server = await createServer({
    root: app.path,
    configFile: false,
    logLevel: 'silent',
    server: { host: '127.0.0.1', port: 0 },
  })
  try {
    await server.listen()
    const { page, close } = await openApp(`${server.resolvedUrls?.local[0] ?? ''}inspected.html`)
    const told = await page.evaluate(() => globalThis.inspectBeside())
    expect(told).toContain('not-found: No inspector is served at /__daybook/')
    expect(told).toContain('daybook/vite')
    const opening = page.context().waitForEvent('page')
    await page.click('#inspect')
    const blank = await opening
    if (!blank.isClosed()) await blank.waitForEvent('close')
    await close()
  } finally {
    await server.close()
  }
})

test('a production build has nothing of it unless that is asked for', async () => {
  const { daybookInspector } = await partOf<VitePart>('vite.js')
  const built = async (plugin: Plugin) => {
    const outDir = join(app.path, 'built')
    const input = join(app.path, 'inspected.html')
    await build({
      root: app.path,
      configFile: false,
      logLevel: 'silent',
      plugins: [plugin],
      build: { outDir, emptyOutDir: true, rolldownOptions: { input } },
    })
    return (await readdir(outDir, { recursive: true })).filter((file) => file.startsWith('__daybook'))
  }
  expect(await built(daybookInspector())).toEqual([])
  expect(await built(daybookInspector({ build: true }))).toContain(join('__daybook', 'index.html'))
  expect(() => daybookInspector({ path: 'daybook' })).toThrow('path: It must look like /__daybook/')
})

test('the middleware serves its own files to whoever reads, and hands everything else on', async () => {
  const { inspectorMiddleware } = await partOf<ServerPart>('dev-server.js')
  const serve = inspectorMiddleware({ path: '/look/' })
  const server = createHttpServer((request, response) =>
    serve(request, response, () => response.writeHead(418).end()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${origin}${path}`, { method, redirect: 'manual' })
    return [answer.status, answer.headers.get('content-type'), (await answer.text()).length > 0]
  }
  try {
    expect(await ask('/look')).toEqual([302, null, false])
    expect(await ask('/look/')).toEqual([200, 'text/html; charset=utf-8', true])
    expect(await ask('/look/icon.svg', 'HEAD')).toEqual([200, 'image/svg+xml', false])
    expect(await ask('/look/', 'POST')).toEqual([405, null, false])
    expect(await ask('/look/none.js')).toEqual([404, null, false])
    expect(await ask('/look/..%2f..%2fpackage.json')).toEqual([404, null, false])
    expect(await ask('/look/assets/%2e%2e/%2e%2e/%2e%2e/package.json')).toEqual([418, null, false])
    expect(await ask('/elsewhere')).toEqual([418, null, false])
    const page = await readFile(join(app.path, 'node_modules/daybook/dist/inspector/index.html'), 'utf8')
    expect(await (await fetch(`${origin}/look/index.html`)).text()).toBe(page)
    // Whatever a client sends as an address ends nothing; the app is handed what is not the inspector's.
    const { port } = server.address() as AddressInfo
    for (const target of ['//', '///', '//look/', '/%', '/%zz', 'http://[', '*', `/${'x'.repeat(15_000)}`])
      expect([target, (await askRaw(port, { method: 'GET', target })).status]).toEqual([
        target,
        target === 'http://[' ? expect.any(Number) : 418,
      ])
    expect((await askRaw(port, { method: 'GET', target: `${origin}/look/` })).status).toBe(200)
    expect(await ask('/look/')).toEqual([200, 'text/html; charset=utf-8', true])
    const widened = { frameAncestors: ["'none'; script-src *"] }
    expect(() => inspectorMiddleware(widened)).toThrow('frameAncestors: An origin must look like')
  } finally {
    server.close()
  }
})

test.each([
  ['a dev server', async () => (await partOf<ServerPart>('dev-server.js')).inspectorMiddleware],
  ['a server of plain files', async () => plainFiles],
])('%s has no page of another origin frame the inspector, unless the app names it', async (name, part) => {
  const serving = await part()
  const listen = async (answer: RequestListener) => {
    const server = createHttpServer(answer)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  let inner = ''
  const stranger = await listen((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<iframe src="${inner}"></iframe>`)
  })
  const showsIn = async (frameAncestors: readonly string[], own: boolean) => {
    const serve = serving({ frameAncestors })
    const served = await listen((request, response) => {
      if (request.url !== '/own') return void serve(request, response, () => response.writeHead(404).end())
      response.setHeader('content-type', 'text/html')
      response.end('<iframe src="/__daybook/"></iframe>')
    })
    inner = `${served.url}/__daybook/`
    const context = await browser.newContext()
    try {
      const answer = await fetch(inner)
      if (name === 'a dev server') {
        expect(answer.headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; .*frame-ancestors 'self'/,
        )
        expect(answer.headers.get('x-frame-options')).toBe(frameAncestors.length === 0 ? 'SAMEORIGIN' : null)
      }
      const page = await context.newPage()
      await page.goto(own ? `${served.url}/own` : stranger.url)
      const frame = page.frames().at(-1)
      // What can be clicked in it, once it has begun; a refused frame is a page of the browser's own.
      await frame?.waitForFunction(
        "!document.querySelector('#app') || document.querySelector('#app').firstChild",
      )
      return (await frame?.locator('#app button, #app a').count()) ?? 0
    } finally {
      await context.close()
      served.server.close()
      served.server.closeAllConnections()
    }
  }
  try {
    expect(await showsIn([], false)).toBe(0)
    expect(await showsIn(['http://127.0.0.1:1'], false)).toBe(0)
    expect(await showsIn([stranger.url], false)).toBeGreaterThan(0)
    expect(await showsIn([], true)).toBeGreaterThan(0)
  } finally {
    stranger.server.close()
    stranger.server.closeAllConnections()
  }
})

/** What the plugin puts into a build, by name. */
async function builtInspector(frameAncestors: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const { daybookInspector } = await partOf<VitePart>('vite.js')
  const files = new Map<string, Uint8Array>()
  const emitFile = ({ fileName, source }: { fileName: string; source: Uint8Array }) =>
    files.set(fileName, source)
  const { generateBundle } = daybookInspector({ build: true, frameAncestors })
  if (typeof generateBundle !== 'function') throw new Error('The plugin builds nothing.')
  await Reflect.apply(generateBundle, { emitFile }, [])
  return files
}

/** The build that has the inspector in it, served as plain files by something that sends no header of it. */
const plainFiles: ServerPart['inspectorMiddleware'] = ({ frameAncestors = [] } = {}) => {
  const built = builtInspector(frameAncestors)
  const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }
  return async ({ url = '/' }, response) => {
    const path = url.slice(1).split('?')[0] ?? ''
    const file = (await built).get(path.endsWith('/') ? `${path}index.html` : path)
    const type = Object.entries(types).find(([end]) => path.endsWith(end))?.[1] ?? 'text/html'
    response.writeHead(file ? 200 : 404, { 'content-type': type }).end(file)
  }
}
