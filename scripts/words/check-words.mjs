// `npm run words [-- folder …]`: lists names, comments and texts that are not plain.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../place.mjs'
import { isMisnamed, judgeWords } from './judge-words.mjs'

const folders = process.argv.slice(2)
const files = globSync('{src,worker,demo,scripts}/**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: ['demo/dist/**'],
})
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => folders.length === 0 || folders.some((folder) => file.startsWith(folder)))
/** @type {Record<string, number>} */
const counts = {}
for (const file of files) {
  const faults = judgeWords(file, readFileSync(join(root, file), 'utf8'))
  const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  if (isMisnamed(name)) faults.unshift({ line: 1, rule: 'file', text: name })
  for (const { line, rule, text } of faults) {
    counts[rule] = (counts[rule] ?? 0) + 1
    console.log(`${file}:${line} ${rule}: ${text.slice(0, 100)}`)
  }
}
console.log(JSON.stringify(counts))
