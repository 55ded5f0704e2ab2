// Holds the subjects of commits to one form: `area: imperative verb …`, 72 characters at most.
import { spawnSync } from 'node:child_process'
import { root } from '../place.mjs'
import { isSubject } from './subject.mjs'

/** The rule is younger than the first commits. */
const since = '2026-11-25'

const { status, stdout } = spawnSync('git', ['log', '--no-merges', `--since=${since}`, '--format=%h %s'], {
  cwd: root,
  encoding: 'utf8',
})
if (status !== 0) {
  console.log('No history of commits is here: their subjects are not checked.')
} else {
  const faults = stdout
    .split('\n')
    .filter((line) => line !== '' && !isSubject(line.slice(line.indexOf(' ') + 1)))
  for (const line of faults) console.error(line)
  if (faults.length > 0) {
    console.error(`Write these subjects as \`area: imperative verb …\`, 72 characters at most.`)
    process.exit(1)
  }
}
