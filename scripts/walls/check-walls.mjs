// Checks the sources against wall.mjs and folder.mjs.
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { judgeFolders } from './folder.mjs'
import { importOf, nodesOf } from './imports.mjs'
import { root } from '../place.mjs'
import { judgeClock, judgeImport, roomOf } from './wall.mjs'

const files = globSync('{src,worker,demo,scripts,test}/**/*.{ts,tsx,mjs,css}', {
  cwd: root,
  exclude: ['demo/dist/**'],
}).map((file) => file.replaceAll('\\', '/'))
const fileSet = new Set(files)

/** @type {string[]} */
const faults = []
/** @type {import('./folder.mjs').Arrow[]} */
const arrows = []

/** @param {string} file @param {any} node */
function judge(file, node) {
  const imported = importOf(node)
  if (!imported) return judgeClock(file, node)
  const { specifier, isType } = imported
  const to = posix.join(posix.dirname(file), specifier.replace(/\?.*$/, ''))
  if (specifier.startsWith('.') && fileSet.has(to)) arrows.push({ from: file, to })
  return /^(?:src|worker|demo)\//.test(file) ? judgeImport(file, specifier, isType) : undefined
}

for (const file of files.filter((name) => !name.endsWith('.css'))) {
  if (/^(?:src|worker|demo)\//.test(file) && !roomOf(file))
    faults.push(`${file}: in no room of scripts/walls/wall.mjs`)
  for (const node of nodesOf(file, readFileSync(join(root, file), 'utf8'))) {
    const fault = judge(file, node)
    if (fault) faults.push(`${file}: ${fault}`)
  }
}
faults.push(...judgeFolders(arrows))

if (faults.length > 0) {
  console.error(`${faults.join('\n')}\n\n${faults.length} faults in the walls and folders of the house.`)
  process.exit(1)
}
