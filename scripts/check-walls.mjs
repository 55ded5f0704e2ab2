// Holds every import and every date of the product against scripts/wall.mjs, and finds the room of every file.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { root } from './place.mjs'
import { judgeClock, judgeImport, roomOf } from './wall.mjs'

/**
 * Every node of a file's syntax tree.
 * @param {string} file
 * @returns {Generator<any>}
 */
function* nodesOf(file) {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts'
  const waiting = [parseAst(readFileSync(join(root, file), 'utf8'), { lang, astType: 'ts' })]
  while (waiting.length > 0) {
    /** @type {any} */
    const node = waiting.pop()
    if (node) yield node
    for (const child of Object.values(node ?? {})) {
      if (Array.isArray(child)) waiting.push(...child.filter((each) => typeof each === 'object'))
      else if (child !== null && typeof child === 'object') waiting.push(child)
    }
  }
}

/**
 * What is wrong with a node: an `import`, `export … from` or `import()` through a wall, or a date that asks a clock.
 * @param {string} file @param {any} node
 */
function judge(file, node) {
  if (node.source?.type !== 'Literal') return judgeClock(file, node)
  const isType = node.type === 'TSImportType' || [node.importKind, node.exportKind].includes('type')
  return judgeImport(file, String(node.source.value), isType)
}

const files = globSync('{src,worker,demo}/**/*.{ts,tsx}', { cwd: root, exclude: ['demo/dist/**'] })
const faults = files
  .map((file) => file.replaceAll('\\', '/'))
  .flatMap((file) => {
    if (!roomOf(file)) return [`${file}: in no room of scripts/wall.mjs`]
    return [...nodesOf(file)].flatMap((node) => {
      const fault = judge(file, node)
      return fault ? [`${file}: ${fault}`] : []
    })
  })

if (faults.length > 0) {
  console.error(`${faults.join('\n')}\n\n${faults.length} times a wall was broken.`)
  process.exit(1)
}
