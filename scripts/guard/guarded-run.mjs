// A run of processes that leaves none behind. A guardian ends them when this process dies; this process ends
// them when it gets a signal, and when npm, its starter, is gone.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endMarked, markedWith } from './marked.mjs'
import { nodeBinary, root } from '../place.mjs'

const watchEveryMs = 250

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/** The parent of a process, and that parent's name. @param {number} pid */
function readParent(pid) {
  if (process.platform === 'linux') {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    return { name, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }
  }
  const text = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' })
  const [, parent, name = ''] = /^ *(\d+) +(.*)$/m.exec(text) ?? []
  return { name: name.trim(), parent: Number(parent) }
}

/** npm, and the shell between it and this process if there is one; empty if npm did not start it. */
function findBeginners() {
  if (!process.env['npm_lifecycle_event']) return []
  if (process.platform === 'win32') return [process.ppid]
  const { name, parent } = readParent(process.ppid)
  return /(^|[/-])(ba|da|z|k|a)?sh$/.test(name) ? [process.ppid, parent] : [process.ppid]
}

/** Exit code of a job that a signal ends, as in shells. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }

/** Keeps a guardian alive while this process lives. @param {string} mark @param {() => boolean} isEnding */
function guard(mark, isEnding) {
  const guardian = spawn(
    process.execPath,
    [join(root, 'scripts/guard/guardian.mjs'), mark, String(process.pid)],
    // In a session of its own, without this run's mark.
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true },
  )
  guardian.unref()
  const { stdin } = guardian
  stdin.on('error', () => undefined)
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  guardian.once('exit', () => isEnding() || guard(mark, isEnding))
}

/**
 * Calls once when npm, the starter of this process, is gone: a signal to npm doesn't always reach its script.
 * @param {() => void} call
 */
function onceOrphaned(call) {
  const begunBy = process.ppid
  const beginners = findBeginners()
  if (beginners.length === 0) return
  const watch = setInterval(() => {
    if (process.ppid === begunBy && beginners.every(isAlive)) return
    clearInterval(watch)
    call()
  }, watchEveryMs)
  watch.unref()
}

/**
 * @typedef {object} RunOptions
 * @property {'service' | 'job'} kind A service succeeds when a signal ends it; a job fails.
 * @property {number} graceMs Processes that don't end in this time are killed.
 * @property {() => void} [onEnded] Called when the run has ended, before this process does.
 */

/**
 * @typedef {object} GuardedRun
 * @property {(args: readonly string[], env?: Record<string, string>) => import('node:child_process').ChildProcess} start
 *   Starts a script with the project's Node, from the root, as a part of the run.
 * @property {() => boolean} isEnding
 * @property {(exitCode: number) => Promise<void>} end Ends all of the run and then this process; the first exit code counts.
 */

/**
 * Starts a run, which ends with a signal, with npm, or with `end`; then this process ends.
 * @param {RunOptions} options
 * @returns {GuardedRun}
 */
export function beginGuardedRun({ kind, graceMs, onEnded }) {
  const mark = randomUUID()
  const isService = kind === 'service'
  let isEnding = false

  /** @param {number} exitCode */
  async function end(exitCode) {
    if (isEnding) return
    isEnding = true
    await endMarked(mark, { root: process.pid, graceMs })
    onEnded?.()
    process.exit(exitCode)
  }

  guard(mark, () => isEnding)
  onceOrphaned(() => void end(isService ? 0 : 1))
  for (const [name, exitCode] of Object.entries(exitCodes))
    process.on(name, () => void end(isService ? 0 : exitCode))

  return {
    start: (args, env) =>
      spawn(nodeBinary, args, {
        cwd: root,
        stdio: isService ? ['ignore', 'inherit', 'inherit'] : 'inherit',
        // A service has its own process group: a Ctrl-C goes to this process, which ends it in order.
        detached: isService && process.platform !== 'win32',
        env: { ...process.env, ...env, ...markedWith(mark) },
      }),
    isEnding: () => isEnding,
    end,
  }
}
