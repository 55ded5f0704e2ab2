// A page of the internet whose mirror is a program of this machine, in a real Chromium: what its user is asked, and what is
// told while they have not said yes. The page is of the internet by name, and by what the browser is told of its address.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { browserArgs, findBrowser } from '../../../scripts/find-browser.mjs'

const { port } = new URL(inject('tabsUrl'))
const site = `http://memory.example:${port}`
let context: BrowserContext
let page: Page
let mirror: Server
let url: string
/** What the mirror was asked for. */
const asked: string[] = []

beforeAll(async () => {
  mirror = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
    response.writeHead(request.method === 'OPTIONS' ? 204 : 401, {
      'access-control-allow-origin': site,
      'access-control-allow-headers': 'authorization,content-type',
      'content-type': 'application/json',
    })
    response.end(
      request.method === 'OPTIONS'
        ? ''
        : '{"code":"unauthorized","message":"No key.","retry":false,"details":{}}',
    )
  })
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`
  const executablePath = await findBrowser()
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      ...browserArgs,
      '--host-resolver-rules=MAP memory.example 127.0.0.1',
      `--unsafely-treat-insecure-origin-as-secure=${site}`,
      `--ip-address-space-overrides=127.0.0.1:${port}=public`,
    ],
  })
  context = await browser.newContext()
  page = await context.newPage()
  await page.goto(`${site}/current/index.html`)
  await page.waitForFunction(() => 'tab' in globalThis)
  const opened = await page.evaluate(
    (mirrorUrl) =>
      tab.open({
        name: 'local',
        sync: { url: mirrorUrl, key: 'dbk-test-key-of-a-book', triggers: 'manual' },
      }),
    url,
  )
  expect(opened).toBe('open')
})

afterAll(async () => {
  await context.browser()?.close()
  mirror.close()
})

/** The error that a sync ends with. */
const sync = () =>
  page.evaluate(async () => {
    try {
      await tab.book?.sync()
      return undefined
    } catch (error) {
      const { code, message, retry, details } = error as {
        code: string
        message: string
        retry: boolean
        details: Record<string, unknown>
      }
      return { code, message, retry, details }
    }
  })

describe('a page of the internet whose mirror is on this machine', () => {
  it('is told that the browser keeps it from there, and what to do, and the mirror is never asked', async () => {
    expect(await page.evaluate((to) => tab.localNetwork.state(to), url)).not.toBe('granted')
    const error = await sync()
    expect(error).toMatchObject({
      code: 'local-network-blocked',
      retry: true,
      details: { address: url, permission: expect.stringMatching(/^(?:prompt|denied)$/) },
    })
    expect(error?.message).toMatch(/localNetwork\.ask/)
    expect(asked).toEqual([])
  })

  it('reaches it once its user has said yes; then a mirror that is gone is only offline', async () => {
    await context.grantPermissions(['local-network-access'], { origin: site })
    expect(await page.evaluate((to) => tab.localNetwork.ask(to), url)).toBe('granted')
    expect(await sync()).toMatchObject({ code: 'unauthorized' })
    expect(asked.some((one) => one.startsWith('POST /v1/books/local/sync'))).toBe(true)
    mirror.closeAllConnections()
    await new Promise((resolve) => mirror.close(resolve))
    expect(await sync()).toMatchObject({ code: 'offline' })
  })

  it('needs to ask nobody for an address of the internet', async () => {
    const state = await page.evaluate(() => tab.localNetwork.state('https://mirror.example.org'))
    expect(state).toBe('unneeded')
    const code = await page.evaluate(() =>
      tab.localNetwork.ask('no address').catch((error: { code: string }) => error.code),
    )
    expect(code).toBe('invalid-input')
  })
})
