// The inspector as an app: it starts without a network, and takes files that the system opens with it or shares with it.
import { globSync } from 'node:fs'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeTrajectory } from '../../support/made-trajectory.ts'
import { workerScript } from '../../support/server/without-storage.ts'
import { makeTrace } from '../../support/trace.ts'
import { launchBrowser, openInspector, partsOf, storeTraces } from '../open-inspector.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())

it('starts without a network, stores there, keeps it over another start, and takes what is shared and opened', async () => {
  const opened = await openInspector(browser)
  const { page } = opened
  const { rows } = partsOf(page)
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated')
  await page.context().setOffline(true)
  await page.reload()
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await storeTraces(page, [makeTrace({ task: { goal: 'Written in a tunnel' } })])
  await rows.filter({ hasText: 'Written in a tunnel' }).waitFor()
  await page.reload()
  await rows.filter({ hasText: 'Written in a tunnel' }).waitFor()
  await page.context().setOffline(false)

  const kept = await page.evaluate(async () => {
    const name = (await caches.keys()).find((one) => one.startsWith('inspector-page-')) ?? ''
    return (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
  })
  for (const part of [
    /^\/$/,
    workerScript,
    /worker-engine-[^/]*\.js$/,
    /sqlite3-[^/]*\.wasm$/,
    /\.css$/,
    /manifest\.webmanifest$/,
  ])
    expect(kept.filter((path) => part.test(path)).length, String(part)).toBeGreaterThan(0)
  // Also the parts that are loaded later, such as recall.
  const scripts = globSync('assets/*.js', { cwd: inject('builtFolder') })
  expect(scripts.some((file) => file.includes('/recall-part-'))).toBe(true)
  expect(scripts.filter((file) => !kept.includes(`/${file}`))).toEqual([])

  await page.evaluate(async (text) => {
    const form = new FormData()
    form.append('files', new File([text], 'shared.traj'))
    await fetch('/share', { method: 'POST', body: form })
  }, makeTrajectory(2))
  await page.goto(`${inject('builtUrl')}?book=${opened.name}&shared`)
  await page.getByText('3 traces', { exact: true }).first().waitFor()
  expect(new URL(page.url()).searchParams.has('shared')).toBe(false)
  expect(await opened.problems()).toEqual([])
})

it('imports files that the system opens with it', async () => {
  const context = await browser.newContext()
  await context.addInitScript((text) => {
    const files = [{ getFile: () => Promise.resolve(new File([text], 'opened.traj')) }]
    Object.defineProperty(globalThis, 'launchQueue', {
      value: { setConsumer: (take: (launch: object) => void) => take({ files }) },
    })
  }, makeTrajectory(3))
  const { page } = await openInspector(browser, { context })
  await page.getByText('3 traces', { exact: true }).first().waitFor()
  const manifest = await (await fetch(`${inject('builtUrl')}manifest.webmanifest`)).json()
  expect(Object.values(manifest.file_handlers[0].accept as Record<string, string[]>).flat()).toEqual(
    expect.arrayContaining(['.kstar', '.traj', '.jsonl', '.md']),
  )
})
