// One run of the bench: builds, starts a browser with a profile on disk, measures in rounds, prints, writes.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright'
import { browserArgs, findBrowser } from '../../../scripts/find-browser.mjs'
import type { BenchOptions } from '../bench-run.ts'
import { printComparison, unpackBefore } from './compare.ts'
import { readVersions } from './read-version.ts'
import { printConsent } from './report-consent.ts'
import { printEmbedding } from './report-embedding.ts'
import { printInspector } from './report-inspector.ts'
import { printPool } from './report-pool.ts'
import { printSearch, printStore, printVector } from './report.ts'
import { printSync } from './report-sync.ts'
import { printTabs } from './report-tabs.ts'
import { type ConsentFigures, runConsent } from './run-consent.ts'
import { type EmbeddingFigures, runEmbedding } from './run-embedding.ts'
import { type InspectorFigures, runInspector } from './run-inspector.ts'
import { type PoolFigures, runPool } from './run-pool.ts'
import { runSearch, type SearchFigures } from './run-search.ts'
import { runStore, type StoreFigures } from './run-store.ts'
import { runSync, type SyncFigures } from './run-sync.ts'
import { runTabs, type TabsFigures } from './run-tabs.ts'
import { runVector, type VectorFigures } from './run-vector.ts'
import { servePages } from '../serve-pages.ts'

const jsonFile = join(import.meta.dirname, '../../../.cache/bench.json')
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Runs the bench and answers how many peers failed, and how many rows are slower than those of `compare`. */
export async function runBench(options: BenchOptions): Promise<number> {
  const began = Date.now()
  const load = loadavg()[0] ?? 0
  const progress = (text: string) => {
    const seconds = String(Math.round((Date.now() - began) / 1000)).padStart(4)
    process.stderr.write(process.stderr.isTTY ? `\r\u001B[K${seconds} s  ${text}` : `${seconds} s  ${text}\n`)
  }
  progress('building the pages')
  const pages = await servePages(options.compare === undefined ? undefined : unpackBefore(options.compare))
  // Not an incognito context: that would keep OPFS and IndexedDB in the memory of another process.
  const profile = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  process.once('exit', () => rmSync(profile, { recursive: true, force: true }))
  const executablePath = await findBrowser()
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath && { executablePath }),
    args: [...browserArgs, ...quiet],
  })
  const machine = {
    browser: `Chromium ${context.browser()?.version() ?? ''}`,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? '',
    node: process.version,
    load,
  }
  const versions = readVersions()
  let store: StoreFigures | undefined
  let search: SearchFigures | undefined
  let vector: VectorFigures | undefined
  let embedding: EmbeddingFigures | undefined
  let sync: SyncFigures | undefined
  let tabs: TabsFigures | undefined
  let consent: ConsentFigures | undefined
  let pool: PoolFigures | undefined
  let inspector: InspectorFigures | undefined
  try {
    const run = { ...options, context, progress, url: pages.url }
    if (options.kinds.includes('store')) store = await runStore(run)
    if (options.kinds.includes('search')) search = await runSearch(run)
    if (options.kinds.includes('vector')) vector = await runVector(run)
    if (options.kinds.includes('embedding')) embedding = await runEmbedding(run)
    if (options.kinds.includes('sync')) sync = await runSync(run)
    if (options.kinds.includes('tabs')) tabs = await runTabs(run)
    if (options.kinds.includes('consent')) consent = await runConsent(run)
    if (options.kinds.includes('pool')) pool = await runPool(run)
    if (options.kinds.includes('inspector')) inspector = await runInspector(run)
  } finally {
    await context.close()
    await pages.close()
  }
  progress('done\n')
  const { browser, cores, cpu } = machine
  console.log(
    `${browser}, ${cores} cores (${cpu}), load ${load.toFixed(1)} at the start, ${options.rounds} rounds, medians\n`,
  )
  if (store) printStore(store, versions)
  const slower = store && options.compare !== undefined ? printComparison(store.peers) : 0
  if (search) printSearch(search, versions)
  if (vector) printVector(vector, versions)
  if (embedding) printEmbedding(embedding)
  if (sync) printSync(sync, versions)
  if (tabs) printTabs(tabs)
  if (consent) printConsent(consent)
  if (pool) printPool(pool)
  if (inspector) printInspector(inspector)
  mkdirSync(dirname(jsonFile), { recursive: true })
  const at = new Date(began).toISOString()
  writeFileSync(
    jsonFile,
    `${JSON.stringify({ at, machine, versions, options, store, search, vector, embedding, sync, tabs, consent, pool, inspector }, undefined, 2)}\n`,
  )
  return [store, search, vector, embedding, sync, tabs, consent, pool, inspector].reduce(
    (sum, part) => sum + (part?.failures.length ?? 0),
    slower,
  )
}
