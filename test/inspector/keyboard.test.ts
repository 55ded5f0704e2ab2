// The inspector without a mouse, and what a screen reader is told.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { launchBrowser, openWith, partsOf } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const traces = ['Alpha', 'Beta', 'Gamma', 'Delta'].map((goal, i) =>
  makeTrace({ task: { goal: `${goal} goal` }, timestamp: `2026-01-0${i + 1}T10:00:00.000Z` }),
)

const views = [
  'traces',
  'categories',
  'recall',
  'legs',
  'context',
  'facts',
  'schemas',
  'perceptions',
  'skills',
  'messages',
  'episodes',
  'profiles',
  'tasks',
  'personas',
  'days',
  'thoughts',
  'collections',
  'snapshots',
  'room',
  'tokens',
  'tokenTypes',
  'bundles',
  'sync',
  'storage',
]

it('is worked by keys: search, move, open, back, help, commands', async () => {
  const { page, problems } = await openWith(browser, traces)
  const { list, rows, selected, detail, search } = partsOf(page)
  const active = () =>
    list.evaluate(
      (box) => document.getElementById(box.getAttribute('aria-activedescendant') ?? '')?.innerText,
    )
  const press = (key: string) => page.keyboard.press(key)

  await press('/')
  await expect.poll(() => search.evaluate((box) => box === document.activeElement)).toBe(true)
  await page.keyboard.type('goal')
  await press('ArrowDown')
  await expect.poll(() => list.evaluate((box) => box === document.activeElement)).toBe(true)
  // Also where there is no list yet: it comes with what the search finds.
  await press('/')
  await search.fill('zebra')
  await list.waitFor({ state: 'detached' })
  await search.fill('goal')
  await press('ArrowDown')
  await expect.poll(() => list.evaluate((box) => box === document.activeElement)).toBe(true)
  await press('Escape')

  await press('/')
  await press('Escape')
  await page.getByText('4 traces', { exact: true }).first().waitFor()
  await list.focus()
  await press('Home')
  await expect.poll(active).toContain('Delta')
  await press('j')
  await press('ArrowDown')
  await expect.poll(active).toContain('Beta')
  await press('k')
  await expect.poll(active).toContain('Gamma')
  await press('Enter')
  const heading = detail.getByRole('heading', { level: 2 })
  await heading.getByText('Gamma goal').waitFor()
  await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
  await selected.filter({ hasText: 'Gamma' }).waitFor()

  // Esc goes back to the list; there the open trace follows the cursor; Esc again closes it.
  await press('Escape')
  await press('End')
  await heading.getByText('Alpha goal').waitFor()
  await press('Escape')
  await heading.waitFor({ state: 'detached' })
  await expect.poll(() => rows.count()).toBe(4)

  await press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await press('Escape')
  await press('Control+k')
  const command = page.getByRole('combobox', { name: 'Command' })
  await command.fill('storage')
  await press('Enter')
  await page.getByRole('heading', { name: 'Storage' }).waitFor()
  await page.goBack()
  await list.waitFor()
  expect(await problems()).toEqual([])
})

it('gives every control a name, every page its landmarks, and every list its roles', async () => {
  const { page } = await openWith(browser, traces)
  const { list, rows, detail } = partsOf(page)
  await rows.first().click()
  await detail.getByRole('heading', { level: 2 }).waitFor()
  for (const landmark of ['main', 'banner', 'contentinfo'] as const)
    expect(await page.getByRole(landmark).count()).toBe(1)
  // Places in the rail, and the views of this one: each with a name.
  expect(await page.getByRole('navigation', { name: 'Sections' }).count()).toBe(1)
  expect(await page.getByRole('navigation', { name: 'Traces' }).count()).toBe(1)
  expect(await list.getAttribute('aria-activedescendant')).toBe(await rows.first().getAttribute('id'))
  expect(await rows.first().getAttribute('aria-setsize')).toBe('4')
  for (const view of views) {
    await page.evaluate((name) => {
      history.pushState(null, '', `?${new URLSearchParams({ book: 'same', view: name })}`)
      dispatchEvent(new PopStateEvent('popstate'))
    }, view)
    await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await page.evaluate(namelessControls)).toEqual([])
  }
})

it('holds WCAG AA in both schemes', async () => {
  const { page } = await openWith(browser, traces)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const ratios = await page.evaluate(contrasts)
    for (const [pair, ratio] of Object.entries(ratios))
      expect.soft(ratio, `${colorScheme}: ${pair}`).toBeGreaterThan(4.5)
  }
})

/** Runs in the page: controls that nothing names. */
function namelessControls(): string[] {
  const controls = document.querySelectorAll(
    'button, a[href], input:not([aria-hidden]), select, textarea, [role=listbox], img',
  )
  return [...controls].flatMap((control) => {
    const labels =
      control instanceof HTMLInputElement || control instanceof HTMLSelectElement
        ? [...(control.labels ?? [])]
        : []
    const words = [
      control.textContent,
      control.getAttribute('aria-label'),
      ...labels.map((label) => label.textContent),
    ]
    const isNamed =
      control instanceof HTMLImageElement ? control.hasAttribute('alt') : words.some((text) => text?.trim())
    return isNamed ? [] : [control.outerHTML.slice(0, 200)]
  })
}

/** Runs in the page: contrast of each pair of tokens that text is set in (WCAG 2.2, relative luminance). */
function contrasts(): Record<string, number> {
  const pairs = [
    ...['text', 'quiet', 'faint', 'accent', 'good', 'bad', 'warn'].map((ink) => [ink, 'pane'] as const),
    ...['text', 'quiet', 'faint'].flatMap((ink) => [
      [ink, 'page'] as const,
      [ink, 'sunk'] as const,
      [ink, 'hover'] as const,
    ]),
    ...['text', 'faint', 'accent-strong', 'bad', 'good'].map((ink) => [ink, 'accent-soft'] as const),
    ['on-accent', 'accent'] as const,
    ['on-accent', 'accent-strong'] as const,
    ['on-bad', 'bad'] as const,
    ['text', 'bad-soft'] as const,
    ['faint', 'bad-soft'] as const,
    ['text', 'warn-soft'] as const,
    ['warn', 'warn-soft'] as const,
    ['text', 'mark'] as const,
  ]
  const probe = document.body.appendChild(document.createElement('i'))
  const luminance = (token: string) => {
    probe.style.color = `var(--${token})`
    const channels = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).slice(0, 3).map((channel) => {
      const value = Number(channel) / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * (channels[0] ?? 0) + 0.7152 * (channels[1] ?? 0) + 0.0722 * (channels[2] ?? 0)
  }
  return Object.fromEntries(
    pairs.map(([ink, ground]) => {
      const [a, b] = [luminance(ink), luminance(ground)]
      return [`${ink} on ${ground}`, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]
    }),
  )
}
