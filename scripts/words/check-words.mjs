// `npm run words [-- folder …]`: lists names, comments and texts that are not plain, in sources and in papers.
// `npm run words -- --plain` looks at the places that have no fault, and fails when one comes in.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../place.mjs'
import { isMisnamed, judgePaper, judgeWords } from './judge-words.mjs'

/** Without a fault: `npm run lint` keeps them so. Add a folder or file when it is at zero. */
const plainPlaces = ['CHANGELOG.md', 'README.md', 'SECURITY.md', 'demo', 'docs', 'scripts', 'src', 'worker']

/** Names of columns and wire fields, which a clearer word would change for stored books and other devices. */
const storedNames = new Set([
  'src/commons/room/mirror-room.ts said',
  'src/commons/room/room-messages.ts given',
  'src/core/capability/port/room-port.ts anew',
  'src/core/capability/port/room-port.ts given',
])

const args = process.argv.slice(2)
const isGate = args.includes('--plain')
const places = isGate ? plainPlaces : args
/** @param {string} file */
const isWanted = (file) =>
  places.length === 0 || places.some((place) => file === place || file.startsWith(place.replace(/\/?$/, '/')))
const files = globSync(['{src,worker,demo,scripts}/**/*.{ts,tsx,mjs,md}', '{docs,test}/**/*.md', '*.md'], {
  cwd: root,
  exclude: ['demo/dist/**'],
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter(isWanted)
/** @type {Record<string, number>} */
const counts = {}
for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8')
  const faults = file.endsWith('.md') ? judgePaper(text) : judgeWords(file, text)
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  if (isMisnamed(name)) faults.unshift({ line: 1, rule: 'file', text: name })
  for (const { line, rule, text: fault } of faults) {
    if (rule === 'name' && storedNames.has(`${file} ${fault}`)) continue
    counts[rule] = (counts[rule] ?? 0) + 1
    console.log(`${file}:${line} ${rule}: ${fault.slice(0, 100)}`)
  }
}
if (!isGate) console.log(JSON.stringify(counts))
else if (Object.keys(counts).length > 0) {
  console.error(
    'Say it plainly: the subject first, the usual word. `npm run words -- FOLDER` lists the faults of a folder.',
  )
  process.exit(1)
}
