// Files to write, planned as a whole: a fault in the name is thrown before anything is written.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../place.mjs'

/** @typedef {{ path: string, text: string }} PlannedFile */
/** @typedef {{ files: PlannedFile[], next: string, changesVerbs: boolean }} Plan */

/** A name that is misspelled or taken. */
export class NameFault extends Error {}

/** @param {string} path */
export const read = (path) => readFileSync(join(root, path), 'utf8')

/** The modules of the product, by path. */
export function sources() {
  return globSync('src/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: read(path) }))
}

/**
 * The file with `text` inserted before or after a line.
 * @param {string} path @param {(line: string) => boolean} isPlace
 * @param {string} text @param {{ isAfter?: boolean }} [where]
 * @returns {PlannedFile}
 */
export function inserted(path, isPlace, text, { isAfter = false } = {}) {
  const lines = read(path).split('\n')
  const at = lines.findIndex(isPlace)
  if (at < 0) throw new Error(`scripts/new finds no place in ${path}: correct the script.`)
  lines.splice(at + (isAfter ? 1 : 0), 0, text)
  return { path, text: lines.join('\n') }
}

/** A line of the change log. @param {string} text */
export function changeLine(text) {
  const path = 'CHANGELOG.md'
  const [head = '', added = ''] = read(path).split(/^(?=### Added$)/m)
  const [title = '', blank = '', ...lines] = added.split('\n')
  return { path, text: head + [title, blank, `- ${text}`, ...lines].join('\n') }
}
