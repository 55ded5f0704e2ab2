// Outlives a run for a moment, in a session of its own: when the pipe from the runner closes, it ends all
// processes of the run.
// Started by guarded-run.mjs with the mark of the run and the id of the runner.
import { endMarked } from './marked.mjs'

const graceMs = 1_500
const [mark = '', root = ''] = process.argv.slice(2)

// Ignore signals of the runner's terminal until the work is done.
for (const name of /** @type {const} */ (['SIGHUP', 'SIGINT', 'SIGTERM'])) process.on(name, () => undefined)
process.stdin.resume()
process.stdin.once('close', () => {
  void endMarked(mark, { root: Number(root), graceMs }).then(() => process.exit(0))
})
