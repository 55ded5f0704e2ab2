// A page with the book of a stranger's app, as the browser finds it.
import type { Browser, Page } from 'playwright'
import { expect } from 'vitest'
import { createChannelGauge } from '../support/channel-gauge.ts'

interface Outcome {
  readonly id: string
  readonly stored: readonly string[]
  readonly recalled: readonly string[]
  readonly durability: string
}

declare global {
  var outcome: Promise<Outcome> | undefined
  /** Opens the book and keeps it open; whether this page is the owner. */
  var stay: () => Promise<boolean>
  var book: { status(): Promise<unknown> } | undefined
}

/**
 * Visits the page twice: a book opens, and what the first visit stored is there in the second. Two pages that stay have a
 * port to each other, unless there is no hub to give them one: every script of the package was found.
 */
export async function expectBook(browser: Browser, url: string, { isHub = true } = {}): Promise<void> {
  const context = await browser.newContext()
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(error.error().message))
  context.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  const page = await context.newPage()
  const visit = async (): Promise<Outcome | undefined> => {
    await page.goto(url)
    await page.waitForFunction(() => globalThis.outcome !== undefined)
    return page.evaluate(() => globalThis.outcome)
  }
  const first = await visit().catch((error: unknown) => {
    throw new Error([error, ...faults].join('\n'))
  })
  expect(first).toMatchObject({ durability: 'opfs', stored: [first?.id], recalled: [first?.id] })
  const second = await visit()
  expect(second?.stored.toSorted()).toEqual([first?.id, second?.id].toSorted())
  expect(await page.evaluate(() => globalThis.stay())).toBe(true)
  const follower = await context.newPage()
  await follower.goto(url)
  await follower.waitForFunction(() => globalThis.outcome)
  expect(await follower.evaluate(() => globalThis.stay())).toBe(false)
  if (isHub) await expectPort(follower)
  expect(faults).toEqual([])
  await context.close()
}

async function expectPort(follower: Page): Promise<void> {
  const gauge = await createChannelGauge(follower)
  await expect.poll(() => gauge(() => follower.evaluate(() => globalThis.book?.status()))).toBe(0)
}
