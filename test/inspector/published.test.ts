// The page as it is published, attacked from outside: what each answer carries, and what the browser then refuses.
import { type Browser, type Worker } from 'playwright'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { workerScript } from '../support/server/without-storage.ts'
import { makeTrace } from '../support/trace.ts'
import { launchBrowser, openInspector, storeTraces } from './open-inspector.ts'
import { type Published, startPublished, startStranger, type Stranger } from './serve-published.ts'

declare global {
  // What injected scripts would leave behind.
  var intruder: boolean | undefined
}

let browser: Browser
let published: Published
let stranger: Stranger
beforeAll(async () => {
  ;[browser, published] = await Promise.all([launchBrowser(), startPublished()])
  stranger = await startStranger(published.url)
}, 170_000)
afterAll(async () => {
  await browser.close()
  await stranger[Symbol.asyncDispose]()
  await published[Symbol.asyncDispose]()
})

const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const everywhere = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=15552000; includeSubDomains',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const forGood = 'public, max-age=31536000, immutable'

const ask = async (url: string) => {
  const response = await fetch(url, { redirect: 'manual' })
  await response.arrayBuffer()
  return response
}

it('sends page, workers, service worker, SQLite and every other file with their headers', async () => {
  const { url, paths } = published
  for (const part of [
    /^\/$/,
    workerScript,
    /worker-engine-[^/]*\.js$/,
    /tab-hub-[^/]*\.js$/,
    /sqlite3-[^/]*\.wasm$/,
    /index-[^/]*\.css$/,
  ])
    expect(paths.filter((path) => part.test(path))).toHaveLength(1)
  expect(paths).toContain('/service-worker.js')
  for (const path of paths) {
    const response = await ask(`${url}${path}`)
    const headers = Object.fromEntries(response.headers)
    expect({ path, status: response.status, headers }).toMatchObject({
      path,
      status: 200,
      headers: { ...everywhere, 'cache-control': path.startsWith('/assets/') ? forGood : 'no-cache' },
    })
    expect(headers['permissions-policy']).toMatch(/camera=\(\).*geolocation=\(\).*microphone=\(\)/)
    // What is kept for good has a name that changes with it.
    if (path.startsWith('/assets/')) expect(path).toMatch(/-[\w-]{8}\.\w+$/)
  }
})

it('keeps for good nothing that is not there, and shows nobody how it is set up', async () => {
  for (const path of [
    '/_headers',
    '/assets/worker-00000000.js',
    '/assets/..%2findex.html',
    '/assets/%2e%2e/none',
    '/v1/books/b/live',
    '/health',
  ]) {
    const response = await ask(`${published.url}${path}`)
    expect({ path, status: response.status, headers: Object.fromEntries(response.headers) }).toMatchObject({
      status: path === '/health' ? 200 : path.endsWith('live') ? 400 : 404,
      headers: {
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    })
    expect([path, response.headers.get('cache-control')]).toEqual([path, null])
  }
  const { status, headers } = await ask(`${published.url}/index.html`)
  expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([307, '/', 'no-cache'])
})

it('is served with the same policy from its sources, but for the edge and what Vite injects', async () => {
  const edge = "connect-src 'self' http://127.0.0.1:9 ws://127.0.0.1:9;"
  const built = policy.replace("connect-src 'self';", edge)
  const fromSources = built.replace("style-src 'self';", "style-src 'self' 'unsafe-inline';")
  const { 'strict-transport-security': _published, ...common } = everywhere
  for (const [from, expected, ...paths] of [
    [inject('devUrl'), fromSources, '', 'main.tsx', 'service-worker.ts', 'nowhere.js'],
    [inject('builtUrl'), built, '', 'service-worker.js'],
  ] as const)
    for (const path of paths) {
      const headers = Object.fromEntries((await ask(`${from}${path}`)).headers)
      expect({ path, ...headers }).toMatchObject({ path, ...common, 'content-security-policy': expected })
    }
})

it('opens a book, stores, recalls and syncs with its edge on a line, and no policy is in the way', async () => {
  const { page, problems, name } = await openInspector(browser, { url: `${published.url}/` })
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await storeTraces(page, [makeTrace({ id: 'mine', task: { goal: 'Water the fern' } })])
  const found = await page.evaluate(async () => {
    const book = globalThis.book
    const { durability } = (await book?.status()) ?? {}
    const hits = (await book?.recall({ text: 'fern' }))?.hits.map(({ record }) => record.id)
    await book?.sync()
    return { durability, hits }
  })
  expect(found).toEqual({ durability: 'opfs', hits: ['mine'] })
  const live = () => page.evaluate(async () => (await globalThis.book?.status())?.sync?.live)
  await expect.poll(live).toBe('open')
  const answer = await fetch(`${published.url}/v1/books/${name}/capabilities/kstar:get_trace`, {
    method: 'POST',
    headers: { authorization: 'Bearer development', 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'mine' }),
  })
  expect(await answer.json()).toMatchObject({ id: 'mine' })
  await page.goto(`${published.url}/?book=${name}&view=sync`)
  await page.getByRole('heading', { name: 'Sync and conflicts' }).waitFor()
  expect(await problems()).toEqual([])
  await page.context().close()
})

/** Reaches out as a script would that has got into `worker`; what the policy said of it. */
async function reachOut(worker: Worker, url: string) {
  // As text: Vitest would make an import of its own of it.
  const load = `import(${JSON.stringify(url)}).then(() => 'loaded', () => 'refused')`
  const loaded = await worker.evaluate<unknown>(load)
  const outcome = await worker.evaluate(async (address) => {
    const violations: string[] = []
    addEventListener('securitypolicyviolation', (event) =>
      violations.push((event as SecurityPolicyViolationEvent).violatedDirective),
    )
    await fetch(address).catch(() => undefined)
    // In the turn in which the debugger calls, everything may be evaluated.
    await new Promise((resolve) => setTimeout(resolve))
    const evaluated = await new Promise((resolve) => resolve(new Function('return 1')())).catch(String)
    return { violations, evaluated }
  }, url)
  return { ...outcome, loaded }
}

it('lets neither its worker nor its service worker reach a stranger', async () => {
  const { page } = await openInspector(browser, { url: `${published.url}/` })
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const workers = [...page.workers(), ...page.context().serviceWorkers()]
  expect(workers.map((worker) => new URL(worker.url()).pathname.replace(/-[\w-]{8}\./, '.')).sort()).toEqual([
    '/assets/worker.js',
    '/service-worker.js',
  ])
  const before = stranger.asked.length
  for (const worker of workers) {
    const { violations, evaluated, loaded } = await reachOut(worker, stranger.url)
    expect([worker.url(), evaluated, loaded]).toEqual([
      worker.url(),
      expect.stringMatching(/^EvalError/),
      'refused',
    ])
    expect(violations).toContain('connect-src')
  }
  expect(stranger.asked.slice(before)).toEqual([])
  await page.context().close()
})

it('runs no script that was put into it, and stands in no frame', async () => {
  const { page } = await openInspector(browser, { url: `${published.url}/` })
  await page.getByRole('heading', { name: /is empty/ }).waitFor()
  const before = stranger.asked.length
  const outcome = await page.evaluate(async (address) => {
    const add = (tag: string, attributes: Record<string, string>, text = '') => {
      const element = document.createElement(tag)
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
      element.append(text)
      const over = new Promise((resolve) => {
        element.addEventListener('load', resolve)
        element.addEventListener('error', resolve)
      })
      document.body.append(element)
      return over
    }
    void add('script', {}, 'globalThis.intruder = true')
    document.body.insertAdjacentHTML('beforeend', '<b onclick="globalThis.intruder = true">x</b>')
    document.querySelector<HTMLElement>('body > b')?.click()
    await Promise.all([
      add('script', { src: `${address}/script.js` }),
      add('script', { src: 'data:text/javascript,globalThis.intruder=true' }),
      add('img', { src: `${address}/pixel` }),
      fetch(`${address}/page`).catch(() => undefined),
    ])
    let evaluated: unknown
    try {
      evaluated = new Function('return 1')()
    } catch (error) {
      evaluated = (error as Error).name
    }
    return { intruder: globalThis.intruder, evaluated, violations: globalThis.violations }
  }, stranger.url)
  expect(outcome).toMatchObject({ evaluated: 'EvalError' })
  expect(outcome.intruder).toBeUndefined()
  expect(new Set(outcome.violations)).toEqual(
    new Set([
      `connect-src ${stranger.url}/page`,
      `img-src ${stranger.url}/pixel`,
      `script-src-elem ${stranger.url}/script.js`,
      'script-src-elem data',
      'script-src-elem inline',
      'script-src-attr inline',
    ]),
  )
  expect(stranger.asked.slice(before)).toEqual([])

  const framing = await page.context().newPage()
  const refused = framing.waitForEvent('console', (message) => /frame-ancestors/.test(message.text()))
  await framing.goto(`${stranger.url}/frame`)
  await refused
  for (const frame of framing.frames().slice(1))
    expect(await frame.evaluate(() => document.title)).not.toContain('Daybook')
  await page.context().close()
})
