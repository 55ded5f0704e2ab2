// The package by the bundlers that people have, as they come from npm: nothing configured, a book opened in Chromium.
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import type { App } from '../package/app.ts'
import { serveFolder } from '../package/serve.ts'
import { expectBook } from '../package/visit.ts'
import { fetchApp } from './fetched-app.ts'

declare global {
  var ready: boolean | undefined
  var say: (goal: string) => Promise<unknown>
}

let browser: Browser
let app: App
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', FORCE_COLOR: '0' }

beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath && { executablePath }), args: browserArgs })
  app = await fetchApp()
})
afterAll(async () => {
  await browser.close()
  await app[Symbol.asyncDispose]()
})

const tool = (name: string, ...args: string[]) =>
  promisify(execFile)(join('node_modules/.bin', name), args, { cwd: app.path, env })

/** What a server prints of where it is, once it is there. */
function addressOf(server: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const hear = (part: Buffer) => {
      output += String(part)
      const told = /^http:\S+$/m.exec(output)?.[0]
      if (told !== undefined) resolve(told)
    }
    server.stdout.on('data', hear)
    server.stderr.on('data', hear)
    server.on('exit', () => reject(new Error(output)))
  })
}

/** What Next.js serves in one of its modes, visited. */
async function visitNext(mode: 'dev' | 'start'): Promise<string> {
  const args = ['node_modules/next/dist/bin/next', mode, '--hostname', '127.0.0.1', '--port', '0']
  const server = spawn(process.execPath, args, { cwd: app.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(server, 'exit')
  let output = ''
  try {
    const url = await new Promise<string>((resolve, reject) => {
      const hear = (part: Buffer) => {
        output += String(part)
        const told = /Local: +(http:\S+)/.exec(output)?.[1]
        if (told !== undefined && /Ready in/.test(output)) resolve(told)
      }
      server.stdout.on('data', hear)
      server.stderr.on('data', hear)
      server.on('exit', () => reject(new Error(output)))
    })
    await expectBook(browser, url)
    return output
  } finally {
    server.kill()
    await ended
  }
}

describe('Next.js, by Turbopack', () => {
  test('in development', async () => {
    expect(await visitNext('dev')).not.toMatch(/Error|Warning/)
  })

  test('built, the page made first on the server', async () => {
    const { stdout, stderr } = await tool('next', 'build')
    expect(`${stdout}${stderr}`).not.toMatch(/Error|needs-page/)
    expect(await visitNext('start')).not.toMatch(/Error|Warning/)
  })
})

test('webpack’s dev server, with the inspector of the app’s own book, live', async () => {
  const server = spawn(process.execPath, ['webpack-serve.mjs'], {
    cwd: app.path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(server, 'exit')
  const context = await browser.newContext()
  try {
    const url = await addressOf(server)
    const page = await context.newPage()
    await page.goto(`${url}inspected.html`)
    await page.waitForFunction(() => globalThis.ready === true)
    const opening = context.waitForEvent('page')
    await page.click('#inspect')
    const inspector = await opening
    // The window is empty until the book answers.
    await inspector.waitForURL(`${url}__daybook/?book=garden`)
    await inspector.getByText('Water the tomatoes').first().waitFor()
    await page.evaluate(() => globalThis.say('Water the beans'))
    await inspector.getByRole('button', { name: '1 new' }).click()
    await inspector.getByText('Water the beans').first().waitFor()
  } finally {
    await context.close()
    server.kill()
    await ended
  }
})

test('Rspack', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['rspack.mjs'], { cwd: app.path })
  expect(stdout.trim()).toBe('')
  await cp(join(app.path, 'script.html'), join(app.path, 'by-rspack/index.html'))
  await using served = await serveFolder(join(app.path, 'by-rspack'))
  await expectBook(browser, `${served.url}index.html`)
})

test('Parcel', async () => {
  await tool('parcel', 'build', 'parcel.html', '--dist-dir', 'by-parcel', '--no-cache')
  await using served = await serveFolder(join(app.path, 'by-parcel'))
  await expectBook(browser, `${served.url}parcel.html`)
})

test('Bun, with the files that `daybook assets` copies', async () => {
  await tool('bun', 'build', 'main.js', '--outdir', 'by-bun', '--target', 'browser')
  await tool('daybook', 'assets', 'by-bun/daybook')
  await cp(join(app.path, 'assets.html'), join(app.path, 'by-bun/index.html'))
  await using served = await serveFolder(join(app.path, 'by-bun'))
  await expectBook(browser, `${served.url}index.html`)
})
