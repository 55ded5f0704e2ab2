// The processes of a run: each has the run's mark in its environment, inherited from its parent.
// Invariant: every process with the mark, and its descendants, can be found and ended even if the processes
// between are dead.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

const variable = 'DAYBOOK_RUN'

/** The mark of processes that outlive runs on purpose, such as package installation. */
const outlives = `${variable}=outlives`

const lookEveryMs = 25
const killDeadlineMs = 10_000

/** @typedef {{ pid: number, parent: number, isMarked: boolean, outlives: boolean }} Found */

/** The environment that marks a process. A run within a run carries the marks of both. @param {string} mark */
export const markedWith = (mark) => ({ [variable]: `${process.env[variable] ?? ''} ${mark}`.trim() })

/** @param {string} text @param {string} mark @returns {Pick<Found, 'isMarked' | 'outlives'>} */
const readMark = (text, mark) => ({
  isMarked: text.includes(mark),
  outlives: text.includes(outlives),
})

/** Linux: `/proc` has the environment that each process began with. @param {string} mark @returns {Found[]} */
function listLinux(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        if (state === 'Z') return []
        return [{ pid: Number(name), parent: Number(parent), ...readMark(readEnvironment(name), mark) }]
      } catch {
        // Ended meanwhile.
        return []
      }
    })
}

/**
 * Empty if it can't be read: Chromium's sandboxed processes hide it, but descend from a marked process.
 * @param {string} pid
 */
function readEnvironment(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}

/** macOS and other Unixes: `ps` shows the environment behind the command. @param {string} mark @returns {Found[]} */
function listWithPs(mark) {
  const text = execFileSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,ppid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return [...text.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(([, pid, parent, rest = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    ...readMark(rest, mark),
  }))
}

/**
 * Windows exposes no environment: there only the tree below `root` is known, with ids of dead parents. @param
 * {number} root @returns {Found[]}
 */
function listWindows(root) {
  const query = 'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId)" }'
  const text = execFileSync('powershell', ['-NoProfile', '-Command', query], { encoding: 'utf8' })
  return [...text.matchAll(/^(\d+) (\d+)/gm)].map(([, pid, parent]) => ({
    pid: Number(pid),
    parent: Number(parent),
    isMarked: Number(parent) === root,
    outlives: false,
  }))
}

/**
 * Living processes of the run with that mark, which `root` started.
 * @param {string} mark
 * @param {number} root
 */
export function findMarked(mark, root) {
  const all =
    process.platform === 'win32'
      ? listWindows(root)
      : process.platform === 'linux'
        ? listLinux(mark)
        : listWithPs(mark)
  const found = new Set(all.filter(({ isMarked }) => isMarked).map(({ pid }) => pid))
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const { pid, parent, outlives } of all) if (found.has(parent) && !outlives) found.add(pid)
  }
  found.delete(process.pid)
  return [...found]
}

/** @param {number} pid @param {NodeJS.Signals} name */
function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}

/**
 * Ends the run with that mark: asks its processes to end, and kills the rest after `graceMs`.
 * @param {string} mark
 * @param {{ root: number, graceMs: number }} options
 */
export async function endMarked(mark, { root, graceMs }) {
  const began = Date.now()
  let remaining = findMarked(mark, root)
  for (const pid of remaining) signal(pid, 'SIGTERM')
  while (remaining.length > 0 && Date.now() - began < graceMs + killDeadlineMs) {
    await delay(lookEveryMs)
    remaining = findMarked(mark, root)
    if (Date.now() - began >= graceMs) for (const pid of remaining) signal(pid, 'SIGKILL')
  }
}
