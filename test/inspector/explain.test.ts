// Why a record was not found: by a question in the recall view, and on the page of a record.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('explains a picked record, its place in each ranker and what helps, by keyboard, over a reload, and on the page of a record', async () => {
  const { page, problems } = await openView(browser, 'recall', async (book) => {
    const topics = ['trees', 'lists', 'towers', 'mazes', 'queens', 'islands', 'rivers']
    for (const [i, topic] of topics.entries())
      await book.perceptions.store({
        id: `seen-${i}`,
        subject: 'ana',
        content: `Ana solved the recursion exercise on ${topic} in week ${i}`,
      })
    await book.perceptions.store({ id: 'seen-garden', content: 'The garden gate squeaks at night' })
  })
  await page.getByLabel('Question').fill('recursion exercise')
  await page.keyboard.press('Enter')
  const why = page.locator('.why-not-found')
  await why.getByText('Why not found?').focus()
  await page.keyboard.press('Enter')
  const which = why.getByLabel('The record that you expected')

  // Words that no record has, then words of one, chosen by keyboard.
  await which.fill('zeppelin')
  await page.keyboard.press('Enter')
  await why.getByText(/^No record has this id or these words/).waitFor()
  await which.fill('garden')
  await page.keyboard.press('Enter')
  const choice = why.getByRole('list', { name: 'Records with these words' }).getByRole('button')
  await choice.getByText('The garden gate squeaks').waitFor()
  // The next question begins anew.
  const ask = async (question: string) => {
    await page.getByLabel('Question').fill(question)
    await page.keyboard.press('Enter')
  }
  await ask('exercise on trees')
  await choice.first().waitFor({ state: 'detached' })
  await ask('recursion exercise')
  await which.fill('garden')
  await page.keyboard.press('Enter')
  await choice.first().focus()
  await page.keyboard.press('Enter')
  await why.getByText('Not found among 7 hits.').waitFor()
  await why.getByText('none of the words that recall searches for: “recursion”, “exercise”.').waitFor()
  await why.getByRole('row', { name: 'full text none It has none of the words.' }).waitFor()
  expect(new URL(page.url()).searchParams.get('why')).toBe('seen-garden')
  await page.reload()
  await why.getByText('Not found among 7 hits.').waitFor()

  // The suggestion asks the changed question, which finds the record.
  const helps = why.getByRole('list', { name: 'What helps' })
  await helps.getByRole('button', { name: 'Ask this way' }).first().click()
  await why.getByText(/^Found: hit \d of \d, with score 0\.\d\d\.$/).waitFor()
  expect(await page.getByLabel('Question').inputValue()).toMatch(/^recursion exercise \w+$/)

  // A pasted id of a record below the limit; the suggestion raises the limit.
  await page.getByLabel('Question').fill('recursion exercise')
  await page.keyboard.press('Enter')
  await page.getByLabel('At most').selectOption('5')
  await why.getByRole('button', { name: 'Another record' }).click()
  await page.evaluate(async () => {
    const { hits } = (await globalThis.book?.recall({ text: 'recursion exercise', limit: 7 })) ?? { hits: [] }
    document.title = hits[6]?.record.id ?? ''
  })
  await why.getByText('Why not found?').click()
  await which.fill(await page.title())
  await page.keyboard.press('Enter')
  await why.getByText('Not found among 5 hits.').waitFor()
  await why.getByText(/It is number 7 with score 0\.\d\d; the lowest of 5 hits has/).waitFor()
  await helps.getByRole('button', { name: 'Ask this way' }).first().click()
  await why.getByText(/^Found: hit 7 of 7/).waitFor()
  expect(await page.getByLabel('At most').inputValue()).toBe('20')
  await which.fill('zeppelin:77')
  await page.keyboard.press('Enter')
  await why.getByText(/^No record has this id or these words/).waitFor()

  // On the page of a record, with the options of the recall view.
  await why.getByRole('button', { name: 'Open', exact: true }).waitFor({ state: 'detached' })
  await page
    .getByRole('list', { name: /Hits for/ })
    .getByRole('button')
    .first()
    .click()
  const found = page.getByRole('region', { name: 'Found by' })
  const tried = found.getByLabel('Would a question find this record?')
  expect(await tried.inputValue()).toBe('recursion exercise')
  await tried.press('Enter')
  await found.getByText(/^Found: hit 1 of 7/).waitFor()
  await tried.fill('garden gate')
  await tried.press('Enter')
  await found.getByText('Not found among 1 hit.').waitFor()
  expect(await problems()).toEqual([])
})
