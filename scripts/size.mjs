// `npm run size`: sizes of a page's downloads, compressed, with limits for the page entry and the inspector.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { startWeight } from './page-weight.mjs'
import { root } from './place.mjs'

const pageLimitBytes = 20 * 1024

/** @param {string} file */
function measure(file) {
  const content = readFileSync(join(root, 'dist', file))
  const brotliBytes = brotliCompressSync(content).length
  console.log(
    `${file.padEnd(18)} ${kib(content.length).padStart(12)} ${kib(brotliBytes).padStart(12)} brotli`,
  )
  return brotliBytes
}

/** @param {number} bytes */
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`

const pageBytes = measure('index.js')
measure('worker.js')
measure('service-worker.js')
measure('sqlite3.wasm')
const { bytes: startBytes, limitBytes } = startWeight(join(root, 'dist/inspector'))
console.log(`${'inspector, at start'.padEnd(31)} ${kib(startBytes).padStart(12)} gzip`)
if (startBytes > limitBytes) {
  console.error(`The inspector starts with ${kib(startBytes)} of scripts; its limit is ${kib(limitBytes)}.`)
  process.exit(1)
}
if (pageBytes > pageLimitBytes) {
  console.error(`The page entry is ${kib(pageBytes)} compressed; its limit is ${kib(pageLimitBytes)}.`)
  process.exit(1)
}
