// `npm run new -- verb inbox.count`, `npm run new -- kind inbox/letter` and `npm run new -- chapter commons/notes`: writes
// and edits the files that src/README.md asks for. `--dry-run` prints them instead.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { nodeBinary, root } from '../place.mjs'
import { planChapter } from './chapter.mjs'
import { NameFault, read } from './file-plan.mjs'
import { planKind } from './kind.mjs'
import { planVerb } from './verb.mjs'

const usage = `Use: npm run new -- verb NAMESPACE.VERB      (inbox.count)
     npm run new -- kind CHAPTER/KIND        (inbox/letter)
     npm run new -- chapter GROUP/NAME       (commons/notes)
     --dry-run prints the files and writes nothing.`

/** Facts of the verbs that a page loads when needed, written by scripts/list-later-verbs.mjs. */
const laterVerbs = 'src/engine/later-verb.ts'
/** Files that follow from the table of verbs: their tests write them. */
const madeByTests = ['test/node/house/rights-page.test.ts', 'test/node/doors/manifest.test.ts']

/** @param {string} message @returns {never} */
function stop(message) {
  console.error(message)
  process.exit(2)
}

/** Lines that a file does not have yet. @param {string} path @param {string} text */
function addedLines(path, text) {
  const old = new Set(existsSync(join(root, path)) ? read(path).split('\n') : [])
  return text
    .split('\n')
    .filter((line) => !old.has(line))
    .join('\n')
}

/** @param {string} sort @param {string} name */
function planOf(sort, name) {
  if (sort === 'verb') return planVerb(name)
  if (sort === 'kind') return planKind(name)
  if (sort === 'chapter') return planChapter(name)
  return stop(usage)
}

/** @param {string[]} args */
function updateMade(args) {
  const listed = spawnSync(nodeBinary, ['scripts/list-later-verbs.mjs'], { cwd: root, encoding: 'utf8' })
  if (listed.status !== 0) stop(`${listed.stderr}\nThe files are written, but not ${laterVerbs}.`)
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts']
  const { status, stdout, stderr } = spawnSync(
    nodeBinary,
    [...vitest, '--project', 'node-quick', '--update=all', ...args],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0)
    stop(`${stdout}${stderr}\nThe files are written, but these tests failed: ${args.join(', ')}.`)
}

const args = process.argv.slice(2)
const isDry = args.includes('--dry-run')
const [sort, name, ...others] = args.filter((arg) => arg !== '--dry-run')
if (sort === undefined || name === undefined || others.length > 0) stop(usage)
try {
  const { files, next, changesVerbs } = planOf(sort, name)
  for (const { path, text } of files) {
    if (isDry) console.log(`--- ${path}\n${addedLines(path, text)}`)
    else {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
      console.log(`wrote ${path}`)
    }
  }
  const paths = files.map(({ path }) => path)
  if (!isDry)
    spawnSync(nodeBinary, ['node_modules/prettier/bin/prettier.cjs', '--write', ...paths], { cwd: root })
  if (changesVerbs && isDry)
    console.log(
      `--- ${laterVerbs}, docs/rights.md, test/node/doors/manifest-hash.json: made from the table of verbs`,
    )
  if (changesVerbs && !isDry) {
    updateMade(madeByTests)
    console.log(`wrote ${laterVerbs}\nwrote docs/rights.md\nwrote test/node/doors/manifest-hash.json`)
  }
  console.log(`\nNext: ${next}`)
} catch (error) {
  if (error instanceof NameFault) stop(error.message)
  throw error
}
