// The inspector as an app of the system: Chromium itself finds nothing that keeps it from being installed, its pictures are what the
// manifest says, and a new version waits for its reader.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { browserArgs, findBrowser } from '../../../scripts/find-browser.mjs'

let context: BrowserContext
const folder = mkdtempSync(join(tmpdir(), 'daybook-install-'))
beforeAll(async () => {
  const executablePath = await findBrowser()
  // With a profile: nothing is installed from a private window.
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    ...(executablePath ? { executablePath } : {}),
    args: browserArgs,
  })
  context.setDefaultTimeout(60_000)
})
afterAll(async () => {
  await context.close()
  rmSync(folder, { recursive: true, force: true })
})

it('can be installed, with pictures of the sizes that the manifest names', async () => {
  const page = await context.newPage()
  await page.goto(`${inject('builtUrl')}?book=install`)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
  const devtools = await context.newCDPSession(page)
  expect(await devtools.send('Page.getInstallabilityErrors')).toEqual({ installabilityErrors: [] })
  const { errors, data = '' } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const { icons, screenshots } = JSON.parse(data) as Record<
    'icons' | 'screenshots',
    { src: string; sizes: string; type: string; purpose?: string; form_factor?: string }[]
  >
  const drawn = [...icons, ...screenshots].filter(({ type }) => type === 'image/png')
  const sizes = await page.evaluate(
    (all) =>
      Promise.all(
        all.map(async ({ src }) => {
          const image = await createImageBitmap(await (await fetch(src)).blob())
          return `${image.width}x${image.height}`
        }),
      ),
    drawn,
  )
  expect(sizes).toEqual(drawn.map((one) => one.sizes))
  expect(drawn.map(({ sizes: size, purpose, form_factor: form }) => `${size} ${purpose ?? form}`)).toEqual([
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
    '1280x800 wide',
    '390x844 narrow',
  ])
  await page.close()
})

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
}

/** Serves a folder, which may become another one. */
async function serve(at: { folder: string }) {
  const server = createServer(({ url = '/' }, response) => {
    const path = new URL(url, 'http://page').pathname
    const file = join(at.folder, path === '/' ? 'index.html' : path)
    response.setHeader('Content-Type', types[extname(file)] ?? 'application/octet-stream')
    response.setHeader('Cache-Control', 'no-cache')
    try {
      response.end(readFileSync(file))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The build as one with other bytes would be: another script, another revision. */
function makeNext(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  const page = join(to, 'index.html')
  const name = readdirSync(join(to, 'assets')).find((file) => /^index-.*\.js$/.test(file)) ?? ''
  const next = name.replace(/^index-/, 'index-next-')
  const change = (file: string, edit: (text: string) => string) =>
    writeFileSync(file, edit(readFileSync(file, 'utf8')))
  const script = readFileSync(join(to, 'assets', name), 'utf8')
  rmSync(join(to, 'assets', name))
  writeFileSync(join(to, 'assets', next), `globalThis.version = 'next';${script}`)
  change(page, (text) => text.replaceAll(name, next))
  change(join(to, 'service-worker.js'), (text) =>
    text.replaceAll(name, next).replace(/(revision[\\"]+:[\\"]+)/, '$1next'),
  )
  for (const file of readdirSync(join(to, 'assets')).filter((one) => one.endsWith('.js')))
    change(join(to, 'assets', file), (text) => text.replaceAll(name, next))
}

it('offers a new version, leaves what is being typed alone until its reader takes it, and is all of the new one then', async () => {
  const at = { folder: inject('builtFolder') }
  const server = await serve(at)
  const page = await context.newPage()
  const version = () => page.evaluate(() => (globalThis as { version?: string }).version)
  await page.goto(`${server.url}?book=updates`)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
  await page.getByRole('button', { name: 'Room', exact: true }).click()
  const draft = page.getByRole('textbox').first()
  await draft.fill('Half a sentence')
  const next = join(folder, 'next')
  makeNext(at.folder, next)
  at.folder = next
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update())
  const offer = page.getByRole('region', { name: 'Notices' }).getByText('A new version is available.')
  await offer.first().waitFor()
  expect(await offer.count()).toBe(1)
  expect(await draft.inputValue()).toBe('Half a sentence')
  expect(await version()).toBeUndefined()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.waitForFunction(() => (globalThis as { version?: string }).version === 'next')
  // Without a network too: nothing of the old one is asked for.
  await page.waitForFunction(async () => {
    const { waiting } = await navigator.serviceWorker.ready
    return !waiting && navigator.serviceWorker.controller?.state === 'activated'
  })
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  await context.setOffline(true)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  expect(await version()).toBe('next')
  await context.setOffline(false)
  await page.close()
  await server.close()
})
