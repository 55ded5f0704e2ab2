// A device: a browser with a profile of its own, its way to the edge, and pages of an app that has a book.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright'
import { inject } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import type { OpenOptions } from '../../src/index.ts'
import { browserArgs, findBrowser } from '../../scripts/find-browser.mjs'
import { ownerLock } from '../../src/hosts/browser/tab/tab-wire.ts'
import { type Lack, takeFromWorkers } from '../support/server/without-storage.ts'
import { type Network, openNetwork } from './network.ts'

declare global {
  var book: Daybook | undefined
  var openBook: (options: OpenOptions) => Promise<void>
  var breakPages: (name: string, words: string) => Promise<number>
  var wordsInFiles: (name: string, words: readonly string[]) => Promise<string[]>
  var evict: (name: string) => Promise<void>
}

export type SyncOptions = Omit<NonNullable<OpenOptions['sync']>, 'url' | 'key'>

export interface Device extends AsyncDisposable {
  readonly context: BrowserContext
  readonly network: Network
  /** A new page of the app, without a book so far. `plain`: one that registers no service worker. */
  visit(page?: { plain?: boolean }): Promise<Page>
  /** Opens the book in `page`, or in a new one. */
  open(book: string, sync?: SyncOptions, page?: Page): Promise<Page>
}

/**
 * A device with an empty profile. Workers of its pages lack what stands in `without`; with `hasLines` its network lets
 * lines to the mirror through. It stands in `timeZone`, by default in that of this machine.
 */
export async function openDevice(
  without: readonly Lack[] = [],
  hasLines = false,
  timeZone?: string,
): Promise<Device> {
  const executablePath = await findBrowser()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-device-'))
  const [network, context] = await Promise.all([
    openNetwork(inject('edgeUrl'), hasLines),
    chromium.launchPersistentContext(folder, {
      ...(executablePath ? { executablePath } : {}),
      args: [...browserArgs],
      ...(timeZone === undefined ? {} : { env: { ...process.env, TZ: timeZone } as Record<string, string> }),
    }),
  ])
  context.setDefaultTimeout(60_000)
  await takeFromWorkers(context, without)
  await context.grantPermissions(['background-sync'], { origin: new URL(inject('pageUrl')).origin })
  const visit: Device['visit'] = async ({ plain = false } = {}) => {
    const page = await context.newPage()
    await page.goto(`${inject('pageUrl')}${plain ? '?plain' : ''}`)
    await page.waitForFunction(() => 'openBook' in globalThis)
    return page
  }
  return {
    context,
    network,
    visit,
    async open(name, sync = {}, page) {
      const place = page ?? (await visit())
      await place.evaluate((options) => globalThis.openBook(options), {
        name,
        sync: { url: network.url, key: 'development', ...sync },
      } as OpenOptions)
      return place
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      await network[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Closes a page that holds a book, and waits for its worker in `next`, another page of the app: the worker of a closed page
 * lives on for a moment (120 ms were seen), and syncs in it if the network is whole.
 */
export async function closeWithWorker(page: Page, book: string, next: Page): Promise<void> {
  await page.close()
  await next.evaluate((lock) => navigator.locks.request(lock, () => undefined), ownerLock(book))
}

export interface Wake extends AsyncDisposable {
  /** Fires the event that the browser fires when it has a connection again. */
  sync(tag: string): Promise<void>
}

/** Holds on to the service worker of the app from a page that is none of it. */
export async function holdServiceWorker({ context }: Device): Promise<Wake> {
  const origin = new URL(inject('pageUrl')).origin
  const page = context.pages().find((one) => one.url() === 'about:blank') ?? (await context.newPage())
  const cdp: CDPSession = await context.newCDPSession(page)
  const found = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(origin) && !isDeleted)
      if (own) resolve(own.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await found
  return {
    async sync(tag) {
      await cdp.send('ServiceWorker.dispatchSyncEvent', { origin, registrationId, tag, lastChance: false })
    },
    [Symbol.asyncDispose]: () => cdp.detach(),
  }
}

/** A capability of the mirror, asked past every device. */
export async function askMirror(book: string, id: string, input: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${inject('edgeUrl')}/v1/books/${book}/capabilities/${id}`, {
    method: 'POST',
    headers: { authorization: 'Bearer development', 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const answer = (await response.json()) as Record<string, unknown>
  if (!response.ok) throw new Error(JSON.stringify(answer))
  return answer
}

export const trace = (goal: string) => ({
  situation: { domain: 'test.devices' },
  task: { goal },
  action: { type: 'write' },
})

export const newBook = (): string => `device-${crypto.randomUUID().slice(0, 8)}`
