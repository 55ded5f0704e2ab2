// What is wrong with a page at a width, as axe and its own width say.
import axe from 'axe-core'
import type { Page } from 'playwright'

/** Rules that are broken, and whether the page is wider than its window. */
export async function faults(page: Page, width: number): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: 900 })
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: typeof axe }
    const { violations } = await run.run(document, { resultTypes: ['violations'] })
    const isWide = document.documentElement.scrollWidth > innerWidth
    return [...violations.map(({ id }) => id), ...(isWide ? ['wider than the page'] : [])]
  })
}
