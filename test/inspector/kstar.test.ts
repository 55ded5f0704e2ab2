// The views of perceptions, facts, schemas and skills, in the inspector as it is built.
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, openView, partsOf } from './open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

const perceptions = { one: 'perception', many: 'perceptions' }
const facts = { one: 'fact', many: 'facts' }
const skills = { one: 'skill', many: 'skills' }

it('shows perceptions with their evidence, and expired ones only when asked to', async () => {
  const { page, problems } = await openView(browser, 'perceptions', async (book) => {
    const trace = await book.traces.store({
      situation: { domain: 'education' },
      task: { goal: 'Grade the recursion exercise' },
      action: { type: 'grade' },
    })
    await book.perceptions.store({ subject: 'ana', content: 'Was ill', valid_until: '2026-01-01' })
    await book.perceptions.store({
      subject: 'ana',
      content: 'Forgets the base case',
      confidence: 0.72,
      evidence: [trace.id],
    })
  })
  const { rows, detail } = partsOf(page, perceptions)
  await page.getByText('1 perception', { exact: true }).waitFor()
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringMatching(/base case[^]*ana[^]*72%/)])

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const menu = page.getByRole('dialog', { name: 'Add a filter' })
  await menu.getByLabel('Field').selectOption('Expired')
  await menu.getByRole('button', { name: 'shown too' }).click()
  await page.getByText('2 perceptions', { exact: true }).waitFor()
  await rows.filter({ hasText: 'Was ill' }).getByText('Expired').first().waitFor({ state: 'attached' })

  await rows.filter({ hasText: 'base case' }).click()
  await detail.getByRole('heading', { name: 'Forgets the base case' }).waitFor()
  await detail.getByRole('button', { name: /Grade the recursion exercise/ }).click()
  await page.getByRole('region', { name: 'Trace', exact: true }).getByText('education').waitFor()
  // The trace says in turn what it is evidence for.
  await page.getByRole('button', { name: /Forgets the base case/ }).click()
  await detail.getByRole('heading', { name: 'Forgets the base case' }).waitFor()
  expect(await problems()).toEqual([])
})

it('shows a fact with its check and its chain, and finds facts by a path into their data', async () => {
  const { page, problems } = await openView(browser, 'facts', async (book) => {
    const schema = { type: 'object', properties: { credits: { type: 'integer' } } }
    await book.facts.schemas.register({ name: 'course', schema })
    const { id } = await book.facts.store({ schema: 'course', data: { code: 'CS101', credits: 4 } })
    await book.facts.supersede({ id, data: { code: 'CS101', credits: 6 }, verified: true })
    await book.facts.store({ schema: 'room', data: { code: 'B12' } })
  })
  const { rows, detail } = partsOf(page, facts)
  await page.getByText('2 facts', { exact: true }).waitFor()
  await rows.filter({ hasText: 'credits: 6' }).click()
  await detail.getByText('Valid against “course” v1.').waitFor()
  const chain = detail.getByRole('region', { name: 'Previous values' })
  await chain.getByRole('listitem').nth(1).waitFor()
  expect(await chain.getByRole('listitem').count()).toBe(2)
  await chain.getByRole('button', { name: 'Earlier fact' }).click()
  await detail.getByText(/Superseded by another fact/).waitFor()
  await chain.getByRole('button', { name: 'Current fact' }).click()
  await detail.getByRole('heading', { name: /credits: 6/ }).waitFor()

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const menu = page.getByRole('dialog', { name: 'Add a filter' })
  await menu.getByLabel('Field').selectOption('Data')
  await menu.getByLabel(/JSONPath/).fill('$.code = B12')
  await menu.getByRole('button', { name: 'Add filter' }).click()
  await page.getByText('1 fact', { exact: true }).waitFor()
  await rows.filter({ hasText: 'code: B12' }).waitFor()
  await page.reload()
  await rows.filter({ hasText: 'code: B12' }).waitFor()
  expect(await rows.count()).toBe(1)
  expect(await problems()).toEqual([])
})

it('registers a schema, refuses one that is none with its place, and shows it as fields', async () => {
  const { page } = await openView(browser, 'schemas', async () => undefined)
  await page.getByRole('heading', { name: 'No schemas yet' }).waitFor()
  await page.getByRole('button', { name: 'Register a schema' }).click()
  const dialog = page.getByRole('dialog', { name: 'Register a schema' })
  await dialog.getByLabel(/Schema name/).fill('course')
  await dialog.getByLabel(/JSON Schema/).fill('{ "type": "nonsense" }')
  await dialog.getByRole('button', { name: 'Register', exact: true }).click()
  await dialog
    .getByRole('alert')
    .getByText(/schema\.type/)
    .waitFor()
  await dialog.getByRole('button', { name: 'Fill in an example' }).click()
  await dialog.getByRole('button', { name: 'Register', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const detail = page.getByRole('region', { name: 'Schema', exact: true })
  await detail.getByRole('heading', { name: 'course' }).waitFor()
  await detail.getByRole('listitem').filter({ hasText: 'credits' }).getByText('≥ 0').waitFor()
})

it('shows how a skill grew, and restores an earlier version with a way back', async () => {
  const { page, problems } = await openView(browser, 'skills', async (book) => {
    const skill = { name: 'Grade', definition: { procedure: 'Read it twice.' } }
    await book.skills.store(skill)
    for (const outcome of [true, false, true, true, true])
      await book.skills.recordOutcome({ skillName: 'Grade', outcome })
  })
  const { rows, detail } = partsOf(page, skills)
  await rows.filter({ hasText: '80% of 5 uses' }).click()
  await detail.getByRole('img', { name: /from 100% to 80%, competent/ }).waitFor()
  await detail.getByText('As a table').click()
  // A sync that was under way may have kept the version of the second use, as what its change was made on.
  const row = detail.getByRole('row').filter({ has: page.getByRole('rowheader', { name: '3', exact: true }) })
  const [outcome, ...grown] = (await row.getByRole('cell').allInnerTexts()).slice(0, 3)
  expect(outcome).toMatch(/^(1 of 2 failed|succeeded)$/)
  expect(grown).toEqual(['67%', 'novice'])

  // The last two versions stand beside each other, then any two.
  await detail.getByText('Compare two versions').click()
  const differences = detail.locator('.differences')
  await differences.locator('ins').first().waitFor()
  await detail.getByLabel('From version').selectOption('1')
  await detail.getByLabel('To version').selectOption('1')
  await detail.getByText('No differences.').waitFor()

  await detail.getByText(/^Version 2/).click()
  await detail.getByRole('button', { name: 'Restore version 2' }).click()
  await rows.filter({ hasText: '100% of 1 use' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await rows.filter({ hasText: '80% of 5 uses' }).waitFor()
  expect(await problems()).toEqual([])
})

it('says who cites a record before it is forgotten, and forgets what rested on it alone when asked to', async () => {
  const { page } = await openView(browser, 'traces', async (book) => {
    const trace = { situation: { domain: 'd' }, action: { type: 'a' } }
    const { id } = await book.traces.store({ ...trace, task: { goal: 'The ground' } })
    await book.traces.store({ ...trace, task: { goal: 'The next' }, metadata: { linked_traces: [id] } })
    await book.perceptions.store({ content: 'Rests on it', evidence: [id] })
  })
  const { rows, detail } = partsOf(page)
  await rows.filter({ hasText: 'The ground' }).click()
  await detail.getByRole('button', { name: 'Forget this trace' }).click()
  const dialog = page.getByRole('dialog', { name: 'Forget this trace?' })
  await dialog.getByText('2 records cite it').waitFor()
  await dialog.getByRole('listitem').filter({ hasText: 'Rests on it' }).getByText('no other source').waitFor()
  await dialog.getByLabel(/Also delete 1 record with no other source/).check()
  await dialog.getByRole('button', { name: 'Forget trace and 1 more' }).click()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page
    .getByText(/1 record lost a link to it. 1 record without another source deleted too/)
    .first()
    .waitFor()
  const left = await page.evaluate(async () => {
    const page = await globalThis.book?.records.query()
    return page?.records.map((record) => [record.kind, record['metadata']])
  })
  expect(left).toEqual([['trace', { mode: 'interactive', tags: [], linked_traces: [] }]])
})

it('leaves markup of records as text, fits 360 px, and is worked by keys alone', async () => {
  const { page, problems } = await openView(browser, 'facts', async (book) => {
    const bad = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    await book.facts.store({ schema: bad, data: { [bad]: bad.repeat(8) }, source: bad })
    await book.facts.schemas.register({ name: bad, schema: { description: bad, properties: { [bad]: {} } } })
    await book.perceptions.store({ subject: bad, content: bad, type: bad })
    await book.skills.store({ name: bad, description: bad, definition: { procedure: bad, triggers: [bad] } })
  })
  await page.setViewportSize({ width: 360, height: 740 })
  for (const entry of ['facts', 'schemas', 'perceptions', 'skills']) {
    await page.goto(page.url().replace(/view=\w+.*/, `view=${entry}`))
    const list = page.getByRole('listbox')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => list.evaluate((box) => box === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { level: 2 })
    await expect.poll(() => heading.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await heading.innerText()).toContain('<img')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(
      0,
    )
    await page.keyboard.press('Escape')
    await list.waitFor()
  }
  expect(await page.locator('main img, main script').count()).toBe(0)
  expect(await page.title()).toMatch(/^\w+ · test-\w+ · Daybook$/)
  expect(await problems()).toEqual([])
})

it('leads to every view from the foot of a narrow page', async () => {
  const { page } = await openView(browser, 'traces', async () => undefined)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'More' }).click()
  const places = page.getByRole('dialog', { name: 'All sections' })
  await places.getByRole('button', { name: 'Perceptions' }).click()
  await places.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'No perceptions yet' }).waitFor()
  expect(new URL(page.url()).searchParams.get('view')).toBe('perceptions')
})
