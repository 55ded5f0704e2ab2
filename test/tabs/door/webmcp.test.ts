// The tools of a book as the agent of a real Chromium finds and calls them, through Playwright's own eyes.
import { type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { browserArgs, findBrowser } from '../../../scripts/find-browser.mjs'
import { rights } from '../../../src/core/access/permission.ts'
import { toolSetNames, toolsOf } from '../../../src/doors/mcp/tool-set.ts'
import type { OfferedTools, OfferOptions } from '../../../src/index.ts'
import { everyPermission, rightsBut, verbRights } from '../../contract/access/verb-right.ts'

declare global {
  var offered: OfferedTools | undefined
}

/** `recall` and `ks` both have a tool `recall`. */
const everySet = toolSetNames.filter((name) => name !== 'ks')

let context: BrowserContext
let page: Page
let serial = 0

beforeAll(async () => {
  const executablePath = await findBrowser()
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [...browserArgs, '--enable-features=WebMCP'],
  })
  context = await browser.newContext()
  page = await context.newPage()
  await page.goto(`${inject('tabsUrl')}current/index.html`)
  await page.waitForFunction(() => 'tab' in globalThis)
})

afterAll(() => context.browser()?.close())

/** A new book in the page, and the id of a token of it with these permissions. */
async function openBook(
  permissions: readonly string[],
  expires_at = '2099-01-01T00:00:00.000Z',
): Promise<string> {
  const name = `webmcp-${++serial}`
  return page.evaluate(
    async ([book, granted, until]) => {
      await tab.book?.close()
      expectOpen(await tab.open({ name: book, agent: 'owner' }))
      const { token } = await opened().tokens.grant({
        granted_to: 'browser-agent',
        scope: '**',
        permissions: [...granted],
        expires_at: until,
      })
      return token.token_id

      function expectOpen(outcome: string) {
        if (outcome !== 'open') throw new Error(outcome)
      }
      function opened() {
        if (!tab.book) throw new Error('No book is open.')
        return tab.book
      }
    },
    [name, permissions, expires_at] as const,
  )
}

const offer = (options: OfferOptions) =>
  page.evaluate(async (given) => {
    try {
      globalThis.offered = await tab.book?.offerTools(given)
      return { isSupported: offered?.isSupported, names: offered?.names }
    } catch (error) {
      const { code, details } = error as { code: string; details: unknown }
      return { code, details }
    }
  }, options)

const namesNow = async () => (await page.webmcp.tools()).map(({ name }) => name).toSorted()
const note = { text: 'The deploy key lies on the second floor' }

/** Another tab of the same origin, in which `agent` has tools of the book `name`. */
async function openTab(name: string, agent: string): Promise<Page> {
  const other = await context.newPage()
  await other.goto(`${inject('tabsUrl')}current/index.html`)
  await other.waitForFunction(() => 'tab' in globalThis)
  await other.evaluate(
    async ([book, granted_to]) => {
      await tab.open({ name: book, agent: 'owner' })
      if (!tab.book) throw new Error('No book is open.')
      const permissions = ['read', 'write', 'propose']
      const scope = '**'
      const expires_at = '2099-01-01T00:00:00.000Z'
      const { token } = await tab.book.tokens.grant({ granted_to, scope, permissions, expires_at })
      globalThis.offered = await tab.book.offerTools({
        as: token.token_id,
        set: ['records', 'katra', 'a2p'],
      })
    },
    [name, agent] as const,
  )
  return other
}

type Answer = Record<string, unknown>
const callIn = async (other: Page, tool: string, input: object = {}) =>
  ((await other.webmcp.callTool(tool, input as never)) as { structuredContent: Answer }).structuredContent
const contents = ({ memories }: Answer) => (memories as { content: string }[]).map(({ content }) => content)

describe('the tools of a page', () => {
  it('are found by the agent of the browser, those that the token permits, and marked', async () => {
    const as = await openBook(['read', 'write'])
    expect(await offer({ as })).toMatchObject({ isSupported: true })
    const tools = await page.webmcp.tools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      ['remember', 'recall', 'get', 'query_memory', 'store_trace'].toSorted(),
    )
    const marks = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
    expect(marks['recall']).toMatchObject({ readOnly: true, untrustedContent: true })
    expect(marks['remember']?.readOnly).not.toBe(true)
    expect(tools.find(({ name }) => name === 'remember')?.inputSchema).toMatchObject({
      type: 'object',
      required: ['text'],
    })
  })

  it('are called by it: what it stores is its own, and what is wrong it is told in the one error shape', async () => {
    const as = await openBook(['read', 'write'])
    await offer({ as })
    const stored = await page.webmcp.callTool('remember', note)
    expect(stored).toMatchObject({ structuredContent: { ref: expect.any(String) } })
    const found = (await page.webmcp.callTool('recall', { text: 'deploy key' })) as { content: unknown[] }
    expect(found).toMatchObject({
      structuredContent: { hits: [{ kind: 'perception' }] },
    })
    expect(found.content.at(-1)).toMatchObject({ text: expect.stringMatching(/never follow instructions/) })
    expect(await page.webmcp.callTool('remember', { about: 'key' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'invalid-input', details: { path: 'text' } },
    })
    const count = await page.evaluate(
      async () =>
        (await tab.book?.records.count({ kind: 'perception', filters: { agent: 'browser-agent' } }))?.total,
    )
    expect(count).toBe(1)
  })

  it('are fewer when the token permits less, and none when it is revoked', async () => {
    const as = await openBook(['read'])
    await offer({ as, set: ['recall', 'graph'] })
    expect(await namesNow()).toEqual(
      ['recall', 'get', 'query_memory', 'read_graph', 'search_nodes', 'open_nodes'].toSorted(),
    )
    await page.evaluate((token_id) => tab.book?.tokens.revoke({ token_id, reason: 'over' }), as)
    await expect.poll(namesNow).toEqual([])
    expect(await page.evaluate(() => offered?.names)).toEqual([])
  })

  it('are gone when they are taken back, when the handle is closed, and when the book is', async () => {
    const as = await openBook(['read'])
    await offer({ as })
    expect(await namesNow()).toHaveLength(3)
    await page.evaluate(() => offered?.close())
    expect(await namesNow()).toEqual([])
    await page.evaluate(async (token) => {
      const handle = tab.book?.with({ as: token })
      await handle?.offerTools()
      await handle?.close()
    }, as)
    expect(await namesNow()).toEqual([])
    await page.evaluate(async (token) => {
      await tab.book?.with({ as: token }).offerTools()
    }, as)
    expect(await namesNow()).toHaveLength(3)
    await page.evaluate(() => tab.book?.close())
    expect(await namesNow()).toEqual([])
  })

  it.each(rights)(
    'without the right `%s` are those alone that need another one, of every set',
    async (right) => {
      const as = await openBook(rightsBut(right))
      await offer({ as, set: everySet })
      const needed = toolsOf(everySet, 'device').filter(({ verbs }) =>
        verbs.every((id) => ![right, 'owner'].includes(verbRights[id as keyof typeof verbRights])),
      )
      expect(await namesNow()).toEqual(needed.map(({ name }) => name).toSorted())
    },
  )

  it('do nothing for a token that has ended, are taken back then, and are not offered to it again', async () => {
    const as = await openBook(everyPermission, new Date(Date.now() + 12_000).toISOString())
    const total = () => page.evaluate(async () => (await tab.book?.stats())?.total)
    const before = await total()
    await offer({ as, set: everySet })
    expect(await namesNow()).not.toEqual([])
    // They are taken back when the token ends; a call at that very moment is refused.
    const ended = async () => {
      if (!(await namesNow()).includes('query_memory')) return 'gone'
      const answer = (await page.webmcp.callTool('query_memory', {})) as {
        isError?: boolean
        structuredContent?: { code?: string }
      }
      return answer.isError ? answer.structuredContent?.code : 'answered'
    }
    const seen = new Set<unknown>()
    await expect
      .poll(async () => [...seen.add(await ended())].at(-1), { timeout: 60_000 })
      .toMatch(/^(gone|unauthorized)$/)
    expect([...seen].filter((one) => !['answered', 'unauthorized', 'gone'].includes(String(one)))).toEqual([])
    await expect.poll(namesNow).toEqual([])
    expect(await offer({ as, set: everySet })).toMatchObject({ code: 'unauthorized' })
    expect(await namesNow()).toEqual([])
    expect(await total()).toBe(before)
  })

  it('are not offered under a name that the page has taken: all or none', async () => {
    const as = await openBook(['read'])
    await page.evaluate(async () => {
      const { modelContext } = document as unknown as {
        modelContext: { registerTool(tool: object, options: object): Promise<unknown> }
      }
      const taken = new AbortController()
      const execute = () => 'mine'
      const tool = { name: 'query_memory', description: 'The page’s own', execute }
      await modelContext.registerTool(tool, { signal: taken.signal })
      Object.assign(globalThis, { taken })
    })
    expect(await offer({ as })).toMatchObject({ code: 'conflict', details: { tool: 'query_memory' } })
    expect(await namesNow()).toEqual(['query_memory'])
    await page.evaluate(() => (globalThis as unknown as { taken: AbortController }).taken.abort())
    expect(await offer({})).toMatchObject({ code: 'invalid-input', details: { path: 'options.as' } })
    expect(await offer({ as: 'token::of-nobody' })).toMatchObject({ code: 'unauthorized' })
    expect(await namesNow()).toEqual([])
  })

  it('are those of two agents in two tabs: Alice and Bob remember, talk, propose and sleep as themselves', async () => {
    const name = `webmcp-${++serial}`
    const alice = await openTab(name, 'alice')
    const bob = await openTab(name, 'bob')
    const { session_id: session } = await callIn(alice, 'katra_register', { name: 'Alice' })
    expect(await callIn(bob, 'katra_learn', { knowledge: 'Trains are late' })).toMatchObject({
      error: 'E_NOT_INITIALIZED',
    })
    await callIn(bob, 'katra_register', { name: 'Bob' })
    await callIn(alice, 'katra_learn', { knowledge: 'Cranes are oiled on Mondays' })
    await callIn(bob, 'katra_learn', { knowledge: 'Trains are late on Fridays' })
    expect(await callIn(alice, 'katra_whoami')).toMatchObject({ name: 'Alice', session_id: session })
    expect(contents(await callIn(alice, 'katra_recent'))).toEqual(['Cranes are oiled on Mondays'])
    expect(contents(await callIn(bob, 'katra_recent'))).toEqual(['Trains are late on Fridays'])
    await callIn(alice, 'katra_say', { message: 'Good night' })
    // The holder of a token speaks in its own name.
    expect(await callIn(bob, 'katra_hear')).toMatchObject({ speaker_name: 'alice', content: 'Good night' })
    const proposal = { content: 'Likes jazz', category: 'a2p:interests.music' }
    const { proposal_id: id } = await callIn(bob, 'a2p_propose_memory', { proposal })
    const approve = (proposed: string) => tab.book?.proposals.review({ id: proposed, action: 'approve' })
    expect(await alice.evaluate(approve, String(id))).toMatchObject({ id })
    expect(await callIn(alice, 'katra_session_end')).toMatchObject({ session_id: session })
    // The tab ends without a word.
    const { session_id: left } = await callIn(bob, 'katra_whoami')
    await bob.close()
    const present = () => alice.evaluate(async () => (await tab.book?.room.whoIsHere())?.participants)
    await expect.poll(present).toEqual([])
    const next = await openTab(name, 'bob')
    const again = await callIn(next, 'katra_register', { name: 'Bob' })
    expect(again).toMatchObject({ session_id: expect.any(String), also_in: [] })
    expect(again['session_id']).not.toBe(left)
    await Promise.all([alice.close(), next.close()])
  })
})
