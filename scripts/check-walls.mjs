// Holds every import of the product against the walls of scripts/wall.mjs, and finds the room of every file.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { root } from './place.mjs'
import { judgeImport, roomOf } from './wall.mjs'

/**
 * Every `import`, `export … from` and `import()` of a file.
 * @param {string} file
 * @returns {Generator<{ specifier: string, isType: boolean }>}
 */
function* importsOf(file) {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts'
  const waiting = [parseAst(readFileSync(join(root, file), 'utf8'), { lang, astType: 'ts' })]
  while (waiting.length > 0) {
    /** @type {any} */
    const node = waiting.pop()
    if (node?.source?.type === 'Literal') {
      const isType = node.type === 'TSImportType' || [node.importKind, node.exportKind].includes('type')
      yield { specifier: String(node.source.value), isType }
    }
    for (const child of Object.values(node ?? {})) {
      if (Array.isArray(child)) waiting.push(...child.filter((each) => typeof each === 'object'))
      else if (child !== null && typeof child === 'object') waiting.push(child)
    }
  }
}

const files = globSync('{src,worker,demo}/**/*.{ts,tsx}', { cwd: root, exclude: ['demo/dist/**'] })
const faults = files
  .map((file) => file.replaceAll('\\', '/'))
  .flatMap((file) => {
    if (!roomOf(file)) return [`${file}: in no room of scripts/wall.mjs`]
    return [...importsOf(file)].flatMap(({ specifier, isType }) => {
      const fault = judgeImport(file, specifier, isType)
      return fault ? [`${file}: ${fault}`] : []
    })
  })

if (faults.length > 0) {
  console.error(`${faults.join('\n')}\n\n${faults.length} imports go through a wall.`)
  process.exit(1)
}
