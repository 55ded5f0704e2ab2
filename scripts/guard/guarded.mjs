// `node scripts/guard/guarded.mjs SCRIPT [ARGUMENTS]`: runs a script of the project of which nothing is left behind, however it ends.
import { spawn } from 'node:child_process'
import { beginGuardedRun } from './guarded-run.mjs'
import { nodeBinary, root } from '../place.mjs'

const graceMs = 3_000

const run = beginGuardedRun(() => void end(1))

/** @param {number} exitCode */
async function end(exitCode) {
  await run.end(graceMs)
  process.exit(exitCode)
}

const child = spawn(nodeBinary, process.argv.slice(2), {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...run.env },
})
child.once('exit', (code) => void end(code ?? 1))
process.on('SIGINT', () => void end(130))
process.on('SIGTERM', () => void end(143))
process.on('SIGHUP', () => void end(129))
