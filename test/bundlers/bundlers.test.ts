// The package by the bundlers that people have, as they come from npm: nothing configured, a book opened in Chromium.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import type { App } from '../package/app.ts'
import { serveFolder } from '../package/serve.ts'
import { expectBook } from '../package/visit.ts'
import { fetchApp } from './fetched-app.ts'

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
