// Size of the scripts that a built inspector runs at start, compressed.
import { readFileSync } from 'node:fs'
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
