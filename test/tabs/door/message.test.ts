// A book of one page, used by a frame of another origin over `postMessage`, in a real Chromium.
import { type Browser, chromium, type Frame, type Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { browserArgs, findBrowser } from '../../../scripts/find-browser.mjs'
import type { BookConnection, MessageDoor } from '../../../src/doors/message/message.ts'

declare global {
  var messageDoor: MessageDoor | undefined
  var farBook: BookConnection | undefined
}

let browser: Browser
let page: Page
let frame: Frame

const here = new URL(inject('tabsUrl'))
/** The same server by another name: another origin. */
const elsewhere = `http://localhost:${here.port}`

beforeAll(async () => {
  const executablePath = await findBrowser()
  browser = await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: browserArgs })
  page = await browser.newPage()
  await page.goto(`${here.origin}/current/index.html`)
  await page.waitForFunction(() => 'tab' in globalThis)
  frame = await addFrame(`${elsewhere}/current/index.html`)
})

afterAll(() => browser?.close())

async function addFrame(src: string): Promise<Frame> {
  const element = await page.evaluateHandle((url) => {
    const made = document.createElement('iframe')
    made.src = url
    document.body.append(made)
    return made
  }, src)
  const added = await element.contentFrame()
  if (!added) throw new Error('The frame did not come.')
  await added.waitForFunction(() => 'tab' in globalThis)
  return added
}

/** Opens a book in the page that answers these origins, under a token that may read and write. */
const answer = (name: string, origins: string[]) =>
  page.evaluate(
    async ([book, allowed]) => {
      globalThis.messageDoor?.close()
      await tab.book?.close()
      await tab.open({ name: book, agent: 'owner' })
      if (!tab.book) throw new Error('No book is open.')
      const { token } = await tab.book.tokens.grant({
        granted_to: 'frame',
        scope: '**',
        permissions: ['read', 'write'],
        expires_at: '2099-01-01T00:00:00.000Z',
      })
      globalThis.messageDoor = tab.message.answer(tab.book, { as: token.token_id, origins: allowed })
    },
    [name, origins] as const,
  )

const connect = (from: Frame, origin: string, deadlineMs = 10_000) =>
  from.evaluate(
    async ([to, ms]) => {
      try {
        globalThis.farBook = await tab.message.connect({ to: parent, origin: to, deadlineMs: ms })
        return 'connected'
      } catch (error) {
        return (error as { code: string }).code
      }
    },
    [origin, deadlineMs] as const,
  )

describe('a book over postMessage, in Chromium', () => {
  it('is used by a frame of a named origin, as the holder of the token', async () => {
    await answer('message-1', [elsewhere])
    expect(await connect(frame, here.origin)).toBe('connected')
    const stored = await frame.evaluate(() =>
      farBook?.call('kstar:store_fact', { schema: 'note', data: { text: 'from the frame' } }),
    )
    const facts = await page.evaluate(() => tab.book?.facts.query({}))
    expect(facts?.records).toMatchObject([{ id: stored?.id, agent: 'frame' }])
    const refused = frame.evaluate(() =>
      farBook?.call('kstar:purge', {} as never).catch((error) => error.code),
    )
    expect(await refused).toBe('forbidden')
  })

  it('is not answered to an origin that was not named, nor heard by a window of another', async () => {
    await answer('message-2', ['https://app.example.com'])
    expect(await connect(frame, here.origin)).toBe('forbidden')
    // The message is for a window of its own origin, and the parent is none: nobody hears it.
    expect(await connect(frame, elsewhere, 50)).toBe('deadline-exceeded')
  })

  it('has no place for a frame that is gone, and ends with the book', async () => {
    await answer('message-3', [elsewhere])
    const going = await addFrame(`${elsewhere}/current/index.html`)
    expect(await connect(going, here.origin)).toBe('connected')
    expect(await connect(frame, here.origin)).toBe('connected')
    await page.evaluate(() => document.querySelectorAll('iframe')[1]?.remove())
    await expect.poll(() => page.evaluate(() => messageDoor?.connections)).toBe(1)
    await page.evaluate(() => messageDoor?.close())
    expect(await frame.evaluate(async () => (await farBook?.closed)?.code)).toBe('book-closed')
  })
})
