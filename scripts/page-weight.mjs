// Sizes of the scripts that a page and a built inspector run at start, compressed.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const limitBytes = 110 * 1024

/** @param {string} folder with the page's index.html */
export function startWeight(folder) {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const scripts = new Set(
    [...page.matchAll(/(?:src|href)="\.?\/?([^"]+\.js)"/g)].map(([, path]) => path ?? ''),
  )
  const bytes = [...scripts].reduce((sum, path) => sum + gzipSync(readFileSync(join(folder, path))).length, 0)
  return { bytes, limitBytes, scripts: [...scripts] }
}

/** Limit of the scripts that a worker runs at its start. */
export const workerLimitBytes = 355 * 1024

/**
 * Sizes of a built worker: of the scripts that it runs at its start, and of its files that are loaded later.
 * @param {string} folder with worker.js
 */
export function workerWeight(folder) {
  /** @type {Set<string>} */
  const start = new Set()
  const add = (/** @type {string} */ file, /** @type {RegExp} */ imports) => {
    if (start.has(file)) return
    start.add(file)
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, name = ''] of text.matchAll(imports))
      add(name, /(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
  }
  add('worker.js', /\bimport\(\s*["'`]\.\/([^"'`]+\.js)["'`]/g)
  const size = (/** @type {string} */ file) => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length
  const later = globSync('worker-*.js', { cwd: folder }).filter((file) => !start.has(file))
  return {
    startBytes: [...start].reduce((sum, file) => sum + size(file), 0),
    later: later.toSorted().map((file) => ({ file, bytes: size(file) })),
  }
}

/** The fault of a weight, in words; undefined within the limit. @param {string} name @param {number} bytes @param {number} limitBytes */
export function overweight(name, bytes, limitBytes) {
  if (bytes <= limitBytes) return undefined
  return `${name}: ${kib(bytes)} compressed; the limit is ${kib(limitBytes)}.`
}

/** @param {number} bytes */
export const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`
