// A new chapter: a folder with its definition, a line in both tables of chapters and one in the map of src/README.md.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../place.mjs'
import { changeLine, inserted, NameFault, read } from './file-plan.mjs'

const table = 'src/engine/capability-table.ts'
/** All chapters, and those of a browser's worker: it has a new chapter from its start. */
const tables = [table, 'src/engine/later-chapters.ts']

/** @param {string} name @returns {import('./file-plan.mjs').Plan} */
export function planChapter(name) {
  const [, group = '', chapter = ''] = /^(memory|commons)\/([a-z]+)$/.exec(name) ?? []
  if (chapter === '')
    throw new NameFault(
      `\`${name}\` is not the place of a chapter. Write memory/NAME or commons/NAME in small letters.`,
    )
  const folder = `src/${name}`
  if (existsSync(join(root, folder))) throw new NameFault(`\`${folder}\` is there already.`)
  if (new RegExp(`\\b${chapter}\\b`).test(read(table)))
    throw new NameFault(`\`${chapter}\` is a name in ${table} already: choose another one.`)
  const path = `${folder}/${chapter}.ts`
  const test = `test/node/${group}/${chapter}-chapter.test.ts`
  return {
    changesVerbs: false,
    files: [
      { path, text: definition(chapter) },
      ...tables.map((one) => withChapter(one, name, chapter)),
      inserted(
        'src/README.md',
        (line) => line.startsWith(`src/${group}/`),
        `${`${folder}/`.padEnd(23)} fill in: its subject in a few words`,
      ),
      changeLine(`The chapter \`${chapter}\`: fill in what it does.`),
      { path: test, text: testOf(chapter, path) },
    ],
    next: `write the verbs and kinds of ${path} (src/README.md), its line in the map of src/README.md and in CHANGELOG.md; replace ${test}.`,
  }
}

/** A table of chapters with the new one before the engine's. @param {string} path @param {string} name @param {string} chapter */
function withChapter(path, name, chapter) {
  const { text } = inserted(
    path,
    (line) => line.startsWith('import { engineChapter }'),
    `import { ${chapter} } from '../${name}/${chapter}.ts'`,
  )
  return { path, text: text.replace('\n  engineChapter,\n', `\n  ${chapter},\n  engineChapter,\n`) }
}

/** @param {string} chapter */
const definition = (chapter) => `// The chapter \`${chapter}\`: fill in its subject and its invariants.
import { defineChapter } from '../../core/capability/chapter.ts'

export const ${chapter} = defineChapter({ name: '${chapter}', capabilities: [], kinds: [] })
`

/** @param {string} chapter @param {string} path */
const testOf = (chapter, path) => `import { expect, it } from 'vitest'

it('the chapter ${chapter} has verbs', () => {
  expect.fail('Write the verbs of ${path}, test them in test/contract, and remove this file.')
})
`
