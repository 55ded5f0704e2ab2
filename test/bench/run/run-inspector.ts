// The inspector as people meet it, built for production: how long until it can be used, how a list of many traces scrolls, and how
// soon a search answers. Each round opens a new page; what is in the browser's cache stays, as it does for people.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright'
import { build, type InlineConfig, preview } from 'vite'
import type { Daybook } from '../../../src/book/daybook.ts'
import { startWeight } from '../../../scripts/page-weight.mjs'
import { makeTrace } from '../../support/trace.ts'
import type { BenchRun, Failure } from '../bench-run.ts'

export interface InspectorFigures {
  readonly traces: number
  /** Bytes of compressed scripts before anything is shown. */
  readonly startBytes: number
  /** From the address to the first view of a new book, and to the first rows of the full one; milliseconds, each round one. */
  readonly cold: number[]
  readonly warm: number[]
  /** Each round the 95th percentile of the frames of a flick, milliseconds, and the share of them with rows still to come. */
  readonly frames: number[]
  readonly waiting: number[]
  /** From the last key of a search to its rows, milliseconds. */
  readonly search: number[]
  readonly failures: readonly Failure[]
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = `${root}.cache/bench-inspector`

/** Measures it over 100,000 traces, 10,000 when the run is quick, or as many as it says. */
export async function runInspector(run: BenchRun): Promise<InspectorFigures> {
  const traces = run.sizes?.[0] ?? (run.quick ? 10_000 : 100_000)
  const failures: Failure[] = []
  const found = { cold: [], warm: [], frames: [], waiting: [], search: [] } as Record<Row, number[]>
  run.progress('inspector: building it')
  const common: InlineConfig = {
    configFile: `${root}demo/vite.config.ts`,
    logLevel: 'error',
    mode: 'production',
    build: { outDir: folder, emptyOutDir: true },
  }
  await build(common)
  const server = await preview({ ...common, preview: { host: '127.0.0.1', port: 0, strictPort: false } })
  const at = `${server.resolvedUrls?.local[0] ?? ''}?book=`
  try {
    await fill(run, `${at}bench-full`, traces)
    for (let round = 0; round <= run.rounds; round++) {
      run.progress(
        `inspector, ${traces} traces: ${round === 0 ? 'warming up' : `round ${round} of ${run.rounds}`}`,
      )
      const figures = await measure(run, at, round)
      for (const [row, value] of round > 0 ? Object.entries(figures) : []) found[row as Row].push(value)
    }
  } catch (error) {
    failures.push({ peer: 'inspector', error: String(error) })
  } finally {
    await server.close()
  }
  return { traces, startBytes: startWeight(folder).bytes, ...found, failures }
}

type Row = 'cold' | 'warm' | 'frames' | 'waiting' | 'search'

declare global {
  var book: Daybook | undefined
  var shownMs: number | undefined
}

/** Opens an address and waits for the first element that `selector` names; milliseconds from the navigation to its frame. */
async function timeTo(run: BenchRun, url: string, selector: string): Promise<{ page: Page; ms: number }> {
  const page = await run.context.newPage()
  await page.addInitScript((wanted) => {
    const look = () => {
      if (document.querySelector(wanted)) globalThis.shownMs = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, selector)
  await page.goto(url)
  await page.waitForFunction(() => globalThis.shownMs !== undefined)
  return { page, ms: await page.evaluate(() => globalThis.shownMs ?? Number.NaN) }
}

async function fill(run: BenchRun, url: string, traces: number): Promise<void> {
  const { page } = await timeTo(run, url, 'main h1')
  const each = 1000
  for (let at = 0; at < traces; at += each) {
    if (at % 10_000 === 0) run.progress(`inspector: ${at} of ${traces} traces`)
    await page.evaluate(
      async ({ like, from, count }) => {
        const firstMs = Date.parse('2026-01-01T00:00:00.000Z')
        const all = Array.from({ length: count }, (_, i) => ({
          ...like,
          task: { goal: `Goal number ${from + i} of the courier` },
          timestamp: new Date(firstMs + (from + i) * 60_000).toISOString(),
        }))
        await globalThis.book?.traces.storeMany({ traces: all })
      },
      { like: makeTrace(), from: at, count: Math.min(each, traces - at) },
    )
  }
  await page.close()
}

async function measure(run: BenchRun, at: string, round: number): Promise<Record<Row, number>> {
  const cold = await timeTo(run, `${at}bench-new-${round}`, 'main h1')
  await cold.page.close()
  const { page, ms } = await timeTo(run, `${at}bench-full&view=traces`, '.record-row:not(.is-waiting)')
  const { frames, waiting } = await flick(page)
  const search = await timeSearch(page)
  await page.close()
  return { cold: cold.ms, warm: ms, frames, waiting, search }
}

/** Scrolls 600 px a frame for two seconds, 11 rows, as a fast flick does. */
function flick(page: Page): Promise<{ frames: number; waiting: number }> {
  return page.evaluate(async () => {
    const list = document.querySelector<HTMLElement>('[role=listbox]')
    const times: number[] = []
    let waiting = 0
    await new Promise<void>((resolve) => {
      const began = performance.now()
      let last = began
      const step = (now: number) => {
        times.push(now - last)
        last = now
        if (document.querySelector('.record-row.is-waiting')) waiting += 1
        list?.scrollBy(0, 600)
        if (now - began < 2000) requestAnimationFrame(step)
        else resolve()
      }
      requestAnimationFrame(step)
    })
    const sorted = times.slice(1).sort((a, b) => a - b)
    return {
      frames: sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? Number.NaN,
      waiting: waiting / times.length,
    }
  })
}

async function timeSearch(page: Page): Promise<number> {
  await page.getByRole('searchbox').first().fill('courier numbe')
  await page.locator('.record-row mark').first().waitFor()
  return page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>('input[type=search]')
    const list = document.querySelector('[role=listbox]')
    if (!input || !list) return Number.NaN
    const before = list.querySelector('.record-row mark')?.parentElement
    const began = performance.now()
    input.value = 'goal 4711'
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await new Promise<void>((resolve) => {
      const look = () => {
        const marks = [...list.querySelectorAll('.record-row mark')]
        if (marks.some(({ textContent }) => textContent === '4711')) resolve()
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    return before === undefined ? Number.NaN : performance.now() - began
  })
}
