// `npm run size`: what a page downloads, compressed, and whether the page entry keeps to its limit.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
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
if (pageBytes > pageLimitBytes) {
  console.error(`The page entry is ${kib(pageBytes)} compressed; its limit is ${kib(pageLimitBytes)}.`)
  process.exit(1)
}
