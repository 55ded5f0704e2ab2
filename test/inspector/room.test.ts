// The room in the inspector: empty, while agents talk, and with a message from the page itself.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('says how to begin, shows who is here and what is said as it comes, and says something by keyboard', async () => {
  const { page, problems } = await openView(browser, 'room', async () => undefined)
  await page.getByText('Nobody is in the room.').waitFor()
  const talk = page.getByRole('region', { name: 'Messages' })
  await page.evaluate(async () => {
    await globalThis.book?.room.join({ as: 'ada', name: 'Ada', role: 'coordinator' })
    await globalThis.book?.room.say({ as: 'ada', text: 'Shall we begin?' })
  })
  await talk.getByText('Shall we begin?').waitFor()
  await page.getByRole('region', { name: 'Here now' }).getByText('coordinator').waitFor()
  await page.getByLabel('Say something').fill('Yes.')
  await page.keyboard.press('Enter')
  await talk.getByText('Yes.').waitFor()
  expect(await talk.getByRole('listitem').count()).toBe(2)
  await page.getByLabel('Say something').fill('x'.repeat(1025))
  await page.keyboard.press('Enter')
  await page
    .getByRole('alert')
    .getByText(/1024 bytes/)
    .waitFor()
  // A page that comes later sees what is still there, and is not in the room for that.
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.reload()
  await page.getByText('Nobody is in the room.').waitFor()
  expect(await problems()).toEqual([])
})

it('sends each message once and keeps what is typed while one is on its way', async () => {
  const { page, problems } = await openView(browser, 'room', async () => undefined)
  const box = page.getByLabel('Say something')
  await box.fill('One.')
  // In one task: the book has not answered before the last letter.
  await box.evaluate((input: HTMLInputElement) => {
    const send = () => input.form?.requestSubmit()
    send()
    send()
    return Promise.resolve().then(() => {
      input.value = 'Two.'
      input.dispatchEvent(new Event('input', { bubbles: true }))
    })
  })
  const talk = page.getByRole('region', { name: 'Messages' })
  await talk.getByText('One.').waitFor()
  await page.getByText('Message sent.').waitFor({ state: 'attached' })
  expect(await box.inputValue()).toBe('Two.')
  await page.keyboard.press('Enter')
  await talk.getByText('Two.').waitFor()
  expect(await talk.getByRole('listitem').count()).toBe(2)
  expect(await problems()).toEqual([])
})
