// Tabs of a real Firefox: Debian's, driven through WebDriver BiDi, on a profile of its own. Its tabs share processes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firefox } from 'playwright'
import { inject } from 'vitest'
import { installDebian } from '../support/server/install-debian.ts'
import { createPageTab, type PageTab } from './page-tab.ts'

const executablePath = process.env['DAYBOOK_FIREFOX'] ?? '/usr/bin/firefox-esr'

/** Why there is no Firefox to test in; undefined when there is one. */
export const findFirefox = (): string | undefined => installDebian(executablePath, ['firefox-esr'])

export interface FirefoxTabs extends AsyncDisposable {
  open(): Promise<PageTab>
}

/** `onAck` hears of every write of a stream that a page saw acknowledged; `isPrivate` is a window that keeps nothing. */
export async function openFirefox({
  onAck = () => undefined,
  isPrivate = false,
}: { onAck?: (key: string) => void; isPrivate?: boolean } = {}): Promise<FirefoxTabs> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-firefox-'))
  const context = await firefox.launchPersistentContext(folder, {
    channel: 'moz-firefox',
    executablePath,
    firefoxUserPrefs: { 'browser.privatebrowsing.autostart': isPrivate },
  })
  await context.exposeFunction('acked', (keys: string[]) => keys.forEach(onAck))
  return {
    async open() {
      const page = await context.newPage()
      await page.goto(`${inject('tabsUrl')}current/index.html`)
      await page.waitForFunction(() => 'tab' in globalThis)
      return createPageTab(page)
    },
    async [Symbol.asyncDispose]() {
      await context.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
