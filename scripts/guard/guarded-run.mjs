// A run of processes of which nothing is left behind, whoever dies first: the guardian ends them when this process does, and
// this process is told when npm, which began it, is gone.
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endMarked, markedWith } from './marked.mjs'
import { root } from '../place.mjs'

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

/** Who began a process, and what that one is called. @param {number} pid */
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

/** npm, and the shell between it and this process if there is one; nobody when npm did not begin it. */
function findBeginners() {
  if (!process.env['npm_lifecycle_event']) return []
  if (process.platform === 'win32') return [process.ppid]
  const { name, parent } = readParent(process.ppid)
  return /(^|[/-])(ba|da|z|k|a)?sh$/.test(name) ? [process.ppid, parent] : [process.ppid]
}

/**
 * @typedef {object} GuardedRun
 * @property {Record<string, string>} env What marks a process as one of this run.
 * @property {(graceMs: number) => Promise<void>} end Ends all processes of the run; those that do not within `graceMs` are killed.
 */

/**
 * Begins a run. `onOrphaned` hears when npm, which began this process, is gone: a signal that ends npm does not always
 * reach its script.
 * @param {() => void} onOrphaned
 * @returns {GuardedRun}
 */
export function beginGuardedRun(onOrphaned) {
  const mark = randomUUID()
  const begunBy = process.ppid
  const beginners = findBeginners()
  let isEnding = false
  const guard = () => {
    const guardian = spawn(
      process.execPath,
      [join(root, 'scripts/guard/guardian.mjs'), mark, String(process.pid)],
      // In a session of its own, without this run's mark.
      { stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true },
    )
    guardian.unref()
    guardian.stdin.on('error', () => undefined)
    const { stdin } = guardian
    if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
    guardian.once('exit', () => isEnding || guard())
  }
  guard()
  const watch = setInterval(() => {
    const isOrphaned = beginners.length > 0 && (process.ppid !== begunBy || !beginners.every(isAlive))
    if (!isOrphaned) return
    clearInterval(watch)
    onOrphaned()
  }, watchEveryMs)
  watch.unref()
  return {
    env: markedWith(mark),
    async end(graceMs) {
      isEnding = true
      await endMarked(mark, { root: process.pid, graceMs })
    },
  }
}
