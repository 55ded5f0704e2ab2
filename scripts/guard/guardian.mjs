// Outlives a run by a moment, in a session of its own: when the pipe from the runner ends, however the runner did, ends all that the
// run has left. Started by guarded-run.mjs with the mark of the run and the id of the runner.
import { endMarked } from './marked.mjs'

const graceMs = 1_500
const [mark = '', root = ''] = process.argv.slice(2)

// Its runner's terminal and whoever ends the runner are no reason to end before the work is done.
for (const name of /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM'])) process.on(name, () => undefined)
process.stdin.resume()
process.stdin.once('close', () => {
  void endMarked(mark, { root: Number(root), graceMs }).then(() => process.exit(0))
})
