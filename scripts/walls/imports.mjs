// Imports of a source file, read with the bundler's parser.
import { parseAst } from 'rolldown/parseAst'

/** @type {Record<string, 'js' | 'ts' | 'tsx'>} */
const languages = { ts: 'ts', tsx: 'tsx' }

/**
 * Every node of a file's syntax tree.
 * @param {string} file
 * @param {string} text
 * @returns {Generator<any>}
 */
export function* nodesOf(file, text) {
  const lang = languages[file.slice(file.lastIndexOf('.') + 1)] ?? 'js'
  const waiting = [parseAst(text, lang === 'js' ? { lang } : { lang, astType: 'ts' })]
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
 * The import of a node: `import`, `export … from` or `import()`.
 * @param {any} node
 * @returns {{ specifier: string, isType: boolean } | undefined}
 */
export function importOf(node) {
  if (node.source?.type !== 'Literal') return undefined
  const isType = node.type === 'TSImportType' || [node.importKind, node.exportKind].includes('type')
  return { specifier: String(node.source.value), isType }
}
