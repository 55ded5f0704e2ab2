// Agents in two tabs of one book, by the real packages of their frameworks, without a network: one tab dies in the middle of
// their runs, and the other goes on where they were.
import type { Worker } from 'playwright'
import { expect, inject, it } from 'vitest'
import { useFreshTabs } from '../fresh-tabs.ts'
import type { Tab } from '../open-tabs.ts'
import type { RowsPage } from '../page/agent.ts'

const tabs = useFreshTabs()

interface Shown {
  readonly shown: RowsPage
}

async function openAgents(): Promise<Tab> {
  const tab = await tabs.open()
  await tab.page.goto(`${inject('tabsUrl')}current/agent.html`)
  await tab.page.waitForFunction(() => 'agents' in globalThis)
  return tab
}

it('goes on with the runs of LangGraph, AI SDK, OpenAI Agents and the memory tool when their tab has crashed', async () => {
  const [first, second] = [await openAgents(), await openAgents()] as const
  const book = { name: `agents-${crypto.randomUUID().slice(0, 8)}` }
  expect(await first.open(book)).toBe('open')
  expect(await second.open(book)).toBe('open')
  expect(await first.isOwner()).toBe(true)
  // A moment after it opened the book, each worker loads the verbs of all chapters, of the inbox last.
  const filesOf = (worker: Worker) =>
    worker.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  for (const { page } of [first, second]) {
    const files = async () => (await Promise.all(page.workers().map(filesOf))).flat().join()
    await expect.poll(files).toContain('/inbox-')
  }
  // A page is there without a network by a service worker, which is its own; nothing that follows asks for one.
  await first.page.context().setOffline(true)

  const count = 5
  await Promise.all(
    [first, second].map((tab, i) =>
      tab.page.evaluate(
        ([name, times]) => globalThis.agents.add(name as string, times as number),
        [`tab ${i}`, count],
      ),
    ),
  )
  const { file, items } = await second.page.evaluate(() => globalThis.agents.added())
  expect(file.match(/tab [01] \d/g)).toHaveLength(2 * count)
  expect(items).toBe(2 * count)

  await first.page.evaluate(() => globalThis.agents.begin())
  await first.end('crash')
  const ends = await second.page.evaluate(() => globalThis.agents.resume())
  const question = 'What is the weather in Lisbon, where I moved?'
  expect(ends).toEqual({
    langgraph: { steps: ['first', 'second', 'third'], ran: ['second', 'third'], city: 'Lisbon' },
    aiSdk: {
      isRecalled: true,
      // The crashed call has stored its question with its first step, and the call that is made again has stored it too.
      kept: ['I moved to Lisbon.', 'Noted.', question, question, 'Fog.'],
    },
    openai: { finalOutput: 'Fog.', said: expect.any(Array) as unknown },
    anthropic: { isRead: true },
  })
  const { said } = ends['openai'] as { said: string[] }
  expect(said.slice(0, 2)).toEqual(['user', 'assistant'])
  expect(said.slice(-4)).toEqual(['user', 'function_call', 'function_call_result', 'assistant'])
})

it('shows rows of a collection of TanStack DB that another tab writes, also when the tab with the book has crashed', async () => {
  const first = await openAgents()
  const second = await openAgents()
  const book = { name: `rows-${crypto.randomUUID().slice(0, 8)}` }
  for (const tab of [first, second]) {
    expect(await tab.open(book)).toBe('open')
    await tab.page.evaluate(() => void Object.assign(globalThis, { shown: globalThis.rows() }))
  }
  const insert = (tab: Tab, id: string) =>
    tab.page.evaluate((key) => (globalThis as unknown as Shown).shown.insert(key), id)
  const shows = (tab: Tab, ids: string[]) =>
    tab.page.evaluate((keys) => (globalThis as unknown as Shown).shown.shows(keys), ids)
  await insert(first, 'a')
  await shows(second, ['a'])
  await insert(second, 'b')
  await shows(first, ['a', 'b'])
  await first.end('crash')
  await insert(second, 'c')
  await shows(second, ['a', 'b', 'c'])
})
