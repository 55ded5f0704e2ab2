// A tab as a test drives it in any browser: what is asked of the page, and its plain answers.
import type { Page } from 'playwright'
import type { OpenOptions, Status } from '../../src/index.ts'
import type { TabPage } from './page/tab.ts'

declare global {
  var tab: TabPage
  var acked: ((keys: string[]) => Promise<void>) | undefined
}

export interface PageTab {
  readonly page: Page
  /** Opens the book in this tab; `open`, or the code of the error. */
  open(options: OpenOptions): Promise<string>
  isOwner(): Promise<boolean>
  status(): Promise<Status | undefined>
  store(goal: string, requestId?: string): Promise<string>
  goals(): Promise<string[]>
}

export function createPageTab(page: Page): PageTab {
  const status = () => page.evaluate(() => globalThis.tab.book?.status())
  return {
    page,
    status,
    open: (options) => page.evaluate((given) => globalThis.tab.open(given), options),
    isOwner: async () => (await status())?.owner ?? false,
    store: (goal, requestId) =>
      page.evaluate(([text, id]) => globalThis.tab.store(text ?? '', id), [goal, requestId]),
    goals: () => page.evaluate(() => globalThis.tab.goals()),
  }
}
