// A newcomer's whole way: start the product, drop a trajectory, search it, reload, lose the browser, sync, look elsewhere.
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTrajectory } from '../support/made-trajectory.ts'
import { realTrajectories } from '../support/trajectories.ts'
import { openDaybook } from '../../src/hosts/node/index.ts'
import { createProfile, type Product, startProduct, waitInPage } from './product.ts'

const [name, text] = [...realTrajectories()].find(([file]) => file.includes('default')) ?? [
  'made.traj',
  makeTrajectory(12),
]
const question =
  realTrajectories().size > 0 ? 'rounding of TimeDelta milliseconds' : 'missing colon in parser number 7'

let product: Product
beforeAll(async () => {
  product = await startProduct()
}, 90_000)
afterAll(() => product[Symbol.asyncDispose]())

const count = (page: Page) => page.evaluate(async () => (await globalThis.book?.traces.count())?.total)
const recallTop = (page: Page) =>
  page.evaluate(
    async (words) => (await globalThis.book?.recall({ text: words }))?.hits[0]?.record.id,
    question,
  )

it('drops a trajectory on the page, finds it, and still has it after a reload, a killed browser, and in another profile', async () => {
  const url = `${product.demoUrl}/?book=journey-${crypto.randomUUID().slice(0, 8)}`
  await using first = await createProfile()
  let page = await first.open(url)
  const transfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const data = new DataTransfer()
      data.items.add(new File([content ?? ''], fileName ?? ''))
      return data
    },
    [name, text],
  )
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent('body', event, { dataTransfer: transfer })
  await waitInPage(page, async () => ((await globalThis.book?.traces.count())?.total ?? 0) > 0)
  const steps = await count(page)
  expect(steps).toBeGreaterThan(5)
  const top = await recallTop(page)
  expect(top).toMatch(/^swe-agent::/)

  await page.reload()
  await waitInPage(page, () => globalThis.book !== undefined)
  expect([await count(page), await recallTop(page)]).toEqual([steps, top])

  await first.kill()
  page = await first.open(url)
  expect([await count(page), await recallTop(page)]).toEqual([steps, top])
  await page.evaluate(async () => globalThis.book?.sync())

  await using second = await createProfile()
  const elsewhere = await second.open(url)
  await elsewhere.evaluate(async () => globalThis.book?.sync())
  expect([await count(elsewhere), await recallTop(elsewhere)]).toEqual([steps, top])

  // And back: what the second adds, the first sees.
  const id = await elsewhere.evaluate(async () => {
    const trace = {
      situation: { domain: 'd' },
      task: { goal: 'Answer from the second device' },
      action: { type: 'note' },
    }
    const receipt = await globalThis.book?.traces.store(trace)
    await globalThis.book?.sync()
    return receipt?.id ?? ''
  })
  const seen = await page.evaluate(async (wanted) => {
    await globalThis.book?.sync()
    return (await globalThis.book?.traces.get({ id: wanted }))?.task.goal
  }, id)
  expect(seen).toBe('Answer from the second device')
})

it('is told at once what another device wrote: no call, no waiting for the next period', async () => {
  const url = `${product.demoUrl}/?book=live-${crypto.randomUUID().slice(0, 8)}`
  await using first = await createProfile()
  await using second = await createProfile()
  const [here, there] = [await first.open(url), await second.open(url)]
  for (const page of [here, there])
    await waitInPage(page, async () => (await globalThis.book?.status())?.sync.live === 'open')
  const write = (page: Page, goal: string) =>
    page.evaluate(async (text) => {
      await globalThis.book?.traces.store({
        situation: { domain: 'd' },
        task: { goal: text },
        action: { type: 'note' },
      })
    }, goal)
  const arrives = (page: Page, goal: string) =>
    page.evaluate(
      (text) =>
        new Promise<void>((resolve) => {
          const look = async () => {
            const found = await globalThis.book?.traces.search({ query: text })
            if ((found?.records.length ?? 0) > 0) resolve()
          }
          globalThis.book?.on('change', () => void look())
          void look()
        }),
      goal,
    )
  await write(here, 'aardvark')
  await arrives(there, 'aardvark')
  await write(there, 'bandicoot')
  await arrives(here, 'bandicoot')
})

it('tells a book in Node too, on a line that was asked for', async () => {
  const name = `node-${crypto.randomUUID().slice(0, 8)}`
  const sync = { url: product.edgeUrl, key: 'development', live: true } as const
  const [here, there] = await Promise.all(
    ['here', 'there'].map((agent) => openDaybook({ name, agent, path: ':memory:', sync })),
  )
  if (!here || !there) throw new Error('no books')
  const open = async (book: typeof here) => {
    if ((await book.status()).sync.live === 'open') return
    await new Promise<void>((resolve) => book.on('sync', ({ live }) => live === 'open' && resolve()))
  }
  await Promise.all([open(here), open(there)])
  const came = new Promise<{ subject?: string }>((resolve) => there.on('inbox', resolve))
  await here.inbox.send({ to: 'there', subject: 'From here', text: 'Do you hear me?' })
  expect(await came).toMatchObject({ from: 'here', subject: 'From here' })
  expect((await there.inbox.take()).messages).toMatchObject([{ text: 'Do you hear me?' }])
  await Promise.all([here.close(), there.close()])
})
