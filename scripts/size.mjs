// `npm run size`: sizes of a page's downloads, compressed. Fails if the page entry, the worker at its start or the
// inspector at its start is over its limit.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { kib, overweight, startWeight, workerLimitBytes, workerWeight } from './page-weight.mjs'
import { root } from './place.mjs'

const pageLimitBytes = 24.75 * 1024

/** @param {string} file */
function measure(file) {
  const content = readFileSync(join(root, 'dist', file))
  const brotliBytes = brotliCompressSync(content).length
  console.log(
    `${file.padEnd(18)} ${kib(content.length).padStart(12)} ${kib(brotliBytes).padStart(12)} brotli`,
  )
  return brotliBytes
}

/** @param {string} name @param {number} bytes */
const report = (name, bytes) => console.log(`${name.padEnd(31)} ${kib(bytes).padStart(12)} gzip`)

const pageBytes = measure('index.js')
measure('tab-hub.js')
measure('service-worker.js')
measure('sqlite3.wasm')
// Only for pages that use it; it hardly compresses.
console.log(`${'meaning.bin'.padEnd(18)} ${kib(statSync(join(root, 'dist/meaning.bin')).size).padStart(12)}`)
const worker = workerWeight(join(root, 'dist'))
report('worker, at start', worker.startBytes)
for (const { file, bytes } of worker.later) report(file, bytes)
const inspector = startWeight(join(root, 'dist/inspector'))
report('inspector, at start', inspector.bytes)

const faults = [
  overweight('The page entry', pageBytes, pageLimitBytes),
  overweight('The worker at its start', worker.startBytes, workerLimitBytes),
  overweight('The scripts of the inspector at its start', inspector.bytes, inspector.limitBytes),
].filter((fault) => fault !== undefined)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
