// Two profiles of a real browser on one mirror at a real edge: both write, lose their connection, lose their tab in the
// middle of a sync, and end with the same, with nothing lost and nothing there twice.
import type { Page } from 'playwright'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { askMirror, type Device, newBook, openDevice, trace } from './open-device.ts'

let a: Device
let b: Device
/** Has no OPFS. */
let without: Device
beforeAll(async () => {
  ;[a, b, without] = await Promise.all([openDevice(), openDevice(), openDevice(['opfs'])])
})
afterAll(() => Promise.all([a, b, without].map((device) => device[Symbol.asyncDispose]())))
afterEach(async () => {
  for (const { context, network } of [a, b, without]) {
    network.set('whole')
    await context.setOffline(false)
    await Promise.all(
      context.pages().map((page) => (page.url() === 'about:blank' ? undefined : page.close())),
    )
  }
})

const manual = { triggers: 'manual' } as const
const sync = (page: Page) => page.evaluate(() => globalThis.book?.sync())
const stateOf = (page: Page) => page.evaluate(async () => (await globalThis.book?.status())?.sync)
const durabilityOf = (page: Page) => page.evaluate(async () => (await globalThis.book?.status())?.durability)
const degradedOf = (page: Page) =>
  page.evaluate(async () => ((await globalThis.book?.status())?.degraded ?? []).join())
const codeOf = (page: Page) =>
  page.evaluate(() =>
    globalThis.book?.sync().then(
      () => 'synced',
      (error: { code?: string }) => error.code ?? String(error),
    ),
  )
const store = (page: Page, goals: readonly string[]) =>
  page.evaluate(
    async (traces) => (await globalThis.book?.traces.storeMany({ traces }))?.ids ?? [],
    goals.map(trace),
  )

/** Everything a book says, but for when it last said so. */
const all = (page: Page) =>
  page.evaluate(async () => {
    const { records = [] } = (await globalThis.book?.records.query({ limit: 1000 })) ?? {}
    return records.sort((one, other) => (one.id < other.id ? -1 : 1))
  })
const goals = async (page: Page) =>
  (await all(page))
    .map((record) => `${(record as { task?: { goal: string } }).task?.goal} v${record.ver}`)
    .sort()
const goalsAtMirror = async (book: string) => {
  const { records } = (await askMirror(book, 'kstar:query_traces', { limit: 1000 })) as {
    records: { ver: number; task: { goal: string } }[]
  }
  return records.map(({ ver, task }) => `${task.goal} v${ver}`).sort()
}
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const asNew = (names: readonly string[]) => names.map((name) => `${name} v1`).sort()

/** The page's process ends without a word. */
async function crash(device: Device, page: Page): Promise<void> {
  const cdp = await device.context.newCDPSession(page)
  const crashed = new Promise((resolve) => page.once('crash', resolve))
  void cdp.send('Page.crash').catch(() => undefined)
  await crashed
  await page.close()
}

it('converges after both wrote without a connection, with every conflict decided as its kind says', async () => {
  const book = newBook()
  const [pageA, pageB] = await Promise.all([a.open(book, manual), b.open(book, manual)])
  const ids = await pageA.evaluate(async () => {
    const one = globalThis.book
    const { id: traceId = '' } =
      (await one?.traces.store({
        situation: { domain: 'test.devices' },
        task: { goal: 'shared' },
        action: { type: 'write' },
      })) ?? {}
    const { id: beliefId = '' } =
      (await one?.perceptions.store({ content: 'It rains', confidence: 0.5 })) ?? {}
    const { id: doomedId = '' } = (await one?.perceptions.store({ content: 'To be forgotten' })) ?? {}
    await one?.skills.store({ name: 'umbrella', definition: { procedure: 'Open it' } })
    await one?.sync()
    return { traceId, beliefId, doomedId }
  })
  await sync(pageB)
  expect(await all(pageB)).toEqual(await all(pageA))

  for (const { context, network } of [a, b]) {
    network.set('cut')
    await context.setOffline(true)
  }
  await pageA.evaluate(async ({ traceId, beliefId, doomedId }) => {
    const one = globalThis.book
    await one?.traces.complete({ id: traceId, result: { success: true, outcome: { by: 'a' } } })
    await one?.perceptions.update({ id: beliefId, updates: { confidence: 0.9 } })
    for (const outcome of [true, true, false])
      await one?.skills.recordOutcome({ skillName: 'umbrella', outcome })
    await one?.records.forget({ id: doomedId })
  }, ids)
  await pageB.evaluate(async ({ traceId, beliefId, doomedId }) => {
    const one = globalThis.book
    await one?.traces.complete({ id: traceId, result: { success: false, outcome: { by: 'b' } } })
    await one?.perceptions.update({ id: beliefId, updates: { content: 'It pours' } })
    for (const outcome of [true, true]) await one?.skills.recordOutcome({ skillName: 'umbrella', outcome })
    await one?.perceptions.update({ id: doomedId, updates: { content: 'Still true' } })
  }, ids)
  await store(pageA, numbered('a', 120))
  await store(pageB, numbered('b', 120))
  expect([await codeOf(pageA), await codeOf(pageB)]).toEqual(['offline', 'offline'])
  expect(await stateOf(pageA)).toMatchObject({
    phase: 'offline',
    conflicts: 0,
    lastError: { code: 'offline' },
  })

  for (const { context, network } of [a, b]) {
    network.set('whole')
    await context.setOffline(false)
  }
  await sync(pageA)
  await sync(pageB)
  await sync(pageA)
  const records = await all(pageA)
  expect(await all(pageB)).toEqual(records)
  const byId = new Map(records.map((record) => [record.id, record]))
  // local_wins: whoever comes later. What lost is in the mirror's log, where it lost.
  expect(byId.get(ids.traceId)).toMatchObject({ result: { success: false, outcome: { by: 'b' } } })
  // merge: both fields, both counts; and a forget wins over an edit that did not know of it.
  expect(byId.get(ids.beliefId)).toMatchObject({ content: 'It pours', confidence: 0.9 })
  expect(byId.get(ids.doomedId)).toBeUndefined()
  expect(records.find(({ kind }) => kind === 'skill')).toMatchObject({ maturity: { usage_count: 5 } })
  const { conflicts } = (await askMirror(book, 'daybook:list_conflicts', {})) as {
    conflicts: { record: string; policy: string; loser: { body: { result: { outcome: object } } } }[]
  }
  expect(conflicts.filter(({ record }) => record === ids.traceId)).toMatchObject([
    { policy: 'local_wins', loser: { body: { result: { outcome: { by: 'a' } } } } },
  ])
  const traces = [...numbered('a', 120), ...numbered('b', 120)]
  expect((await goalsAtMirror(book)).filter((goal) => !goal.startsWith('shared'))).toEqual(asNew(traces))
  for (const page of [pageA, pageB]) expect(await stateOf(page)).toMatchObject({ pending: 0, repairs: 0 })
})

it.each([
  ['crash', 'opfs'],
  ['reload', 'opfs'],
  ['close', 'opfs'],
  ['crash', 'indexeddb'],
] as const)(
  'a tab that ends in the middle of a sync loses nothing and sends nothing twice: %s, %s',
  async (way, durability) => {
    const own = durability === 'opfs' ? a : without
    const book = newBook()
    const [pageA, pageB] = await Promise.all([own.open(book, manual), b.open(book, manual)])
    expect(await durabilityOf(pageA)).toBe(durability)
    // The mirror takes the first 100, which is what a device sends that no mirror told of more; and it never hears of it.
    own.network.set('mute')
    await store(pageA, numbered('a', 150))
    const swallowed = own.network.swallowed()
    await pageA.evaluate(() => void globalThis.book?.sync().catch(() => undefined))
    await swallowed
    expect(await goalsAtMirror(book)).toHaveLength(100)
    if (way === 'crash') await crash(own, pageA)
    else if (way === 'close') await pageA.close()
    else await pageA.reload()
    own.network.set('whole')
    await store(pageB, ['b'])
    await sync(pageB)

    const again = await own.open(book, manual, way === 'reload' ? pageA : undefined)
    expect(await stateOf(again)).toMatchObject({ pending: 150 })
    await store(again, ['after'])
    await sync(again)
    await sync(pageB)
    const expected = asNew([...numbered('a', 150), 'b', 'after'])
    expect(await goalsAtMirror(book)).toEqual(expected)
    expect(await goals(again)).toEqual(expected)
    expect(await all(pageB)).toEqual(await all(again))
    expect(await stateOf(again)).toMatchObject({ pending: 0, conflicts: 0, repairs: 0 })
  },
)

it('goes on by itself when the connection is back, while both are writing', async () => {
  const book = newBook()
  const soon = { triggers: { on_wake: true, on_action: true } } as const
  const [pageA, pageB] = await Promise.all([a.open(book, soon), b.open(book, soon)])
  await store(pageA, numbered('a', 5))
  await expect.poll(() => goalsAtMirror(book)).toHaveLength(5)
  b.network.set('cut')
  await b.context.setOffline(true)
  await store(pageB, numbered('b', 5))
  await expect.poll(async () => (await stateOf(pageB))?.phase).toBe('offline')
  await store(pageA, numbered('more', 5))
  await expect.poll(() => goalsAtMirror(book)).toHaveLength(10)
  b.network.set('whole')
  await b.context.setOffline(false)
  const expected = asNew([...numbered('a', 5), ...numbered('more', 5), ...numbered('b', 5)])
  await expect.poll(() => goals(pageB)).toEqual(expected)
  await expect.poll(() => goalsAtMirror(book)).toEqual(expected)
  await sync(pageA)
  expect(await all(pageA)).toEqual(await all(pageB))
})

it('reads from the mirror what broken pages took and what the browser evicted, and keeps what it had not sent', async () => {
  const book = newBook()
  const page = await a.open(book, manual)
  const close = () => page.evaluate(() => globalThis.book?.close())
  await store(page, numbered('kept', 300))
  await sync(page)
  const sent = await all(page)
  a.network.set('cut')
  await store(page, ['unsent'])
  await close()
  expect(await page.evaluate((name) => globalThis.breakPages(name, 'kept77"'), book)).toBeGreaterThan(0)

  await a.open(book, manual, page)
  // Whichever call meets a broken page, the book is mended under it.
  const left = await goals(page)
  expect(left.length).toBeLessThan(sent.length)
  expect(left).toContain('unsent v0')
  expect(await degradedOf(page)).toContain('mended')
  a.network.set('whole')
  await sync(page)
  await sync(page)
  const expected = asNew([...numbered('kept', 300), 'unsent'])
  expect(await goals(page)).toEqual(expected)
  expect((await all(page)).filter(({ id }) => sent.some((one) => one.id === id))).toEqual(sent)
  expect(await goalsAtMirror(book)).toEqual(expected)

  await close()
  await page.evaluate((name) => globalThis.evict(name), book)
  await a.open(book, manual, page)
  expect(await goals(page)).toEqual([])
  expect(await degradedOf(page)).toMatch(/evicted: .* It is read again from the mirror/)
  await sync(page)
  expect(await goals(page)).toEqual(expected)
  expect(await degradedOf(page)).not.toContain('evicted')
  expect(await stateOf(page)).toMatchObject({ pending: 0, conflicts: 0 })
})

it.each(['older', 'later'] as const)(
  'leaves no byte of a purged record on either device when an %s edit of the one that was offline arrives',
  async (when) => {
    const book = newBook()
    const words = ['zanzibarish', 'quokkaberry']
    const [pageA, pageB] = await Promise.all([a.open(book, manual), b.open(book, manual)])
    const inFiles = (page: Page) =>
      page.evaluate(([name, all]) => globalThis.wordsInFiles(name, all), [book, words] as const)
    await store(pageA, numbered('else', 40))
    const content = 'The zanzibarish first'
    const id = await pageA.evaluate(
      async (content) => (await globalThis.book?.perceptions.store({ content }))?.id ?? '',
      content,
    )
    await sync(pageA)
    await sync(pageB)
    b.network.set('cut')
    const purge = () => pageA.evaluate((id) => globalThis.book?.records.purge({ id }), id)
    const edit = () =>
      pageB.evaluate(
        (id) => globalThis.book?.perceptions.update({ id, updates: { content: 'A quokkaberry edit' } }),
        id,
      )
    if (when === 'older') await edit()
    await purge()
    await sync(pageA)
    if (when === 'later') await edit()
    expect(await inFiles(pageB)).toEqual(words)
    b.network.set('whole')
    for (const page of [pageB, pageA, pageB]) await sync(page)
    expect(await all(pageA)).toEqual(await all(pageB))
    // A device that hears of a purge clears its pages when it is next idle.
    for (const page of [pageA, pageB]) await expect.poll(() => inFiles(page), { timeout: 30_000 }).toEqual([])
    for (const page of [pageA, pageB]) {
      await page.evaluate(() => globalThis.book?.close())
      expect(await inFiles(page)).toEqual([])
    }
  },
)
