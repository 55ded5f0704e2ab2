// The page as other eyes and hands meet it: enlarged fourfold, in colours that the system forces, by keys past the rail, by
// the title of its window, with files of long names.
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTrajectory } from '../support/made-trajectory.ts'
import { makeTrace } from '../support/trace.ts'
import { dropFiles, launchBrowser, openWith, partsOf } from './open-inspector.ts'

const traces = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta', 'Eta'].map((goal, i) =>
  makeTrace({ task: { goal: `${goal} goal` }, timestamp: `2026-01-0${i + 1}T12:00:00.000Z` }),
)

// One page for all: each test leaves it as it was.
describe('the page of the inspector', () => {
  let browser: Browser
  let page: Page
  let problems: () => Promise<readonly string[]>
  beforeAll(async () => {
    browser = await launchBrowser()
    ;({ page, problems } = await openWith(browser, traces))
  })
  afterAll(() => browser.close())

  it('draws the histogram of seven days, in words of its own kind and days of the reader', async () => {
    const picture = page.getByRole('img', { name: /^Traces by day: .*7 traces/ })
    await picture.waitFor()
    await expect.poll(() => picture.locator('rect.bar-all').count()).toBe(7)
  })

  it('says in the title which view, which record and which book are open', async () => {
    const book = new URL(page.url()).searchParams.get('book')
    await expect.poll(() => page.title()).toBe(`Traces · ${book} · Daybook`)
    await page.getByRole('button', { name: 'Facts', exact: true }).click()
    await expect.poll(() => page.title()).toBe(`Facts · ${book} · Daybook`)
    await page.goBack()
    const { rows, detail } = partsOf(page)
    await rows.filter({ hasText: 'Beta' }).click()
    await expect.poll(() => page.title()).toBe(`Beta goal · Traces · ${book} · Daybook`)
    // The exact time stands in the page, not in a title alone.
    await detail
      .getByText(/2026.*\d:00:00/)
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.title()).toBe(`Traces · ${book} · Daybook`)
  })

  it('is left by the first key past the rail, into the list', async () => {
    const { list } = partsOf(page)
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    const link = page.getByRole('link', { name: 'Skip to content' })
    await link.focus()
    const box = await link.boundingBox()
    expect(box && box.y).toBeGreaterThanOrEqual(0)
    const before = page.url()
    await page.keyboard.press('Enter')
    await expect.poll(() => list.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(page.url()).toBe(before)
  })

  it('begins a dialog at its first field, and one without fields at what takes nothing away', async () => {
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('dialog') && document.activeElement?.tagName)
    const name = () => page.evaluate(() => document.activeElement?.textContent)
    await page.getByRole('button', { name: /^test-/ }).click()
    await expect.poll(focused).toBe('INPUT')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await expect.poll(name).toBe('Keyboard shortcuts')
    await page.keyboard.press('Escape')
  })

  it('offers in its commands only books that there are', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command' }).fill('whatever')
    const options = page.getByRole('listbox', { name: 'Commands' }).getByRole('option')
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual(['Search traces for “whatever”', 'Recall: whatever'])
    for (const word of [
      'export',
      'dark',
      'unlock',
      'grant',
      'approve',
      'erase',
      'keys',
      'new book',
      'compact',
    ]) {
      await page.getByRole('combobox', { name: 'Command' }).fill(word)
      // The last two search and recall; before them is the act.
      await expect.poll(() => options.count(), { message: word }).toBeGreaterThan(2)
    }
    await page.keyboard.press('Escape')
  })

  it.each([
    [320, 256],
    [360, 180],
  ])('has a list to read where an enlarged page leaves %i by %i', async (width, height) => {
    const before = page.viewportSize()
    await page.setViewportSize({ width, height })
    const { list, rows, detail } = partsOf(page)
    const box = await list.boundingBox()
    expect(box?.height).toBeGreaterThan(100)
    await rows.first().scrollIntoViewIfNeeded()
    await rows.first().click()
    const heading = detail.getByRole('heading', { level: 2 })
    await heading.waitFor()
    const last = detail.getByRole('button', { name: 'Copy JSON' })
    await last.scrollIntoViewIfNeeded()
    expect((await last.boundingBox())?.y).toBeLessThan(height)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
    await page.keyboard.press('Escape')
    await page.setViewportSize(before ?? { width: 1280, height: 800 })
  })

  it.each([1100, 900])('names each entry of the rail in a window of %i', async (width) => {
    const before = page.viewportSize()
    await page.setViewportSize({ width, height: 900 })
    const words = page.locator('.rail-nav .rail-entry:not(.rail-more) .rail-word.short')
    const boxes = await words.evaluateAll((all) =>
      all.map((word) => {
        const own = word.getBoundingClientRect()
        const entry = word.parentElement?.getBoundingClientRect()
        return own.width > 10 && own.height > 8 && own.width <= (entry?.width ?? 0)
      }),
    )
    expect(boxes.length).toBeGreaterThan(10)
    expect(boxes).not.toContain(false)
    await page.setViewportSize(before ?? { width: 1280, height: 800 })
  })

  it('keeps selection, cursor and bars in forced colours', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    const { rows, selected } = partsOf(page)
    await rows.filter({ hasText: 'Gamma' }).click()
    await selected.waitFor()
    const outline = (of: typeof selected) => of.evaluate((row) => getComputedStyle(row).outlineStyle)
    expect(await outline(selected)).toBe('solid')
    expect(await outline(rows.filter({ hasText: 'Delta' }))).toBe('none')
    const bar = page.locator('.bar-all').first()
    const [fill, pane] = await bar.evaluate((element) => [
      getComputedStyle(element).fill,
      getComputedStyle(element.closest('.pane') ?? element).backgroundColor,
    ])
    expect(fill).not.toBe(pane)
    await page.emulateMedia({ forcedColors: null })
    await page.keyboard.press('Escape')
  })

  it.each([1280, 390])(
    'keeps the tray of imports in a window of %i, whatever a file is called',
    async (width) => {
      const before = page.viewportSize()
      await page.setViewportSize({ width, height: 800 })
      await dropFiles(page, { [`${'a-very-long-name-'.repeat(8)}${width}.traj`]: makeTrajectory(1) })
      const tray = page.getByRole('region', { name: 'Imports' })
      const show = tray.getByRole('button', { name: /^Show/ })
      const close = tray.getByRole('button', { name: 'Close the list of imports' })
      await close.waitFor()
      for (const part of [tray, show, close]) {
        const { x = -1, width: wide = 0 } = (await part.boundingBox()) ?? {}
        expect(x).toBeGreaterThanOrEqual(0)
        expect(x + wide).toBeLessThanOrEqual(width)
      }
      await close.click()
      await page.setViewportSize(before ?? { width: 1280, height: 800 })
    },
  )

  it('lets files be picked of every form that the book imports', async () => {
    const accepts = await page.locator('input[type=file]').first().getAttribute('accept')
    expect(accepts?.split(',')).toEqual(expect.arrayContaining(['.kstar', '.traj', '.json', '.jsonl', '.md']))
    expect(await problems()).toEqual([])
  })
})
