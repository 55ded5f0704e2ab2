// `node scripts/guard/guarded.mjs SCRIPT [ARGUMENTS]`: runs a script of the project and leaves no process
// behind.
import { beginGuardedRun } from './guarded-run.mjs'

const run = beginGuardedRun({ kind: 'job', graceMs: 3_000 })
run.start(process.argv.slice(2)).once('exit', (code) => void run.end(code ?? 1))
