// State of a test run, from the lines that its processes append to a file: one JSON object a line; other
// lines are only signs of life.
// Tells what the run waits for, and makes the report that Vitest could not write.
import { relative } from 'node:path'
import { root } from './place.mjs'

/**
 * A line. A `file` is of a project and has a state, and so may one of its tests; a `step` is work outside of tests.
 * @typedef {{ project?: string, file?: string, state?: string, ms?: number, test?: string, step?: string, isOver?: boolean }} Line
 */
/** @typedef {{ project: string, file: string, state: string, ms: number, tests: Map<string, string> }} TestFile */
/** @typedef {{ status: string, fullName: string }} Assertion */
/** @typedef {{ name: string, status: string, message: string, assertionResults: Assertion[] }} Suite */

const openStates = new Set(['running', 'pending'])
const stateWords = /** @type {Record<string, string>} */ ({
  queued: 'loading its module',
  collected: 'loaded, before its first test',
  running: 'between its tests',
})

/** @param {Iterable<string>} items */
const list = (items) => [...items].map((item) => `\`${item}\``).join(', ')

/** The current work of a file; undefined when it is done. @param {TestFile} file */
function describeWork({ state, tests }) {
  const open = [...tests].filter(([, state]) => openStates.has(state)).map(([name]) => name)
  if (open.length > 0) return `in ${list(open)}`
  if (state === 'ended') return 'all its tests have ended, but its page has not'
  return stateWords[state]
}

export class TestProgress {
  /** @type {Map<string, TestFile>} */
  #files = new Map()
  /** Pages that were given a file. @type {Set<string>} */
  #busy = new Set()
  /** @type {Map<string, number>} */
  #steps = new Map()
  /** @type {TestFile | undefined} */
  #last

  /** @param {string} text */
  take(text) {
    if (!text.startsWith('{')) return
    /** @type {Line} */
    const line = JSON.parse(text)
    if (line.step !== undefined) this.#hearStep(line.step, line)
    else if (line.file !== undefined) this.#hearFile(line.file, line)
  }

  /** @param {string} step @param {Line} line */
  #hearStep(step, { project, isOver }) {
    const name = project === undefined ? step : `${project}  ${step}`
    const open = (this.#steps.get(name) ?? 0) + (isOver ? -1 : 1)
    if (open > 0) this.#steps.set(name, open)
    else this.#steps.delete(name)
  }

  /** @param {string} path @param {Line} line */
  #hearFile(path, { project = '', state = '', ms = 0, test }) {
    const key = `${project} ${path}`
    if (state === 'given') this.#busy.add(key)
    if (state === 'given' || state === 'returned') {
      if (state === 'returned') this.#busy.delete(key)
      return
    }
    const file = this.#files.get(key) ?? { project, file: path, state: 'planned', ms: 0, tests: new Map() }
    this.#files.set(key, file)
    file.ms += ms
    if (test === undefined) file.state = state
    else file.tests.set(test, state)
    if (state !== 'planned') this.#last = file
  }

  /** One line for each file and step that has begun and not ended. @returns {string[]} */
  pendingWork() {
    const files = [...this.#files].flatMap(([key, file]) => {
      const isOpen = file.state === 'ended' ? this.#busy.has(key) : file.state !== 'planned'
      return isOpen ? [`${file.project}  ${relative(root, file.file)}  ${describeWork(file)}`] : []
    })
    const pages = [...this.#busy]
      .filter((key) => !this.#isBegun(key))
      .map((key) => `${key}  loading its page`)
    const all = [...files, ...pages, ...this.#steps.keys()]
    if (all.length > 0) return all
    if (!this.#last) return ['Vitest, which has not started']
    const { project, file } = this.#last
    return [`Vitest, between files; the last one was ${project}  ${relative(root, file)}`]
  }

  /** @param {string} key */
  #isBegun(key) {
    return ![undefined, 'planned'].includes(this.#files.get(key)?.state)
  }

  /** The files that took longest, one line each: seconds, project, file. @param {number} count @returns {string[]} */
  slowest(count) {
    return [...this.#files.values()]
      .filter(({ ms }) => ms > 0)
      .sort((a, b) => b.ms - a.ms)
      .slice(0, count)
      .map(({ project, file, ms }) => {
        const seconds = (ms / 1000).toFixed(1).padStart(6)
        return `${seconds} s  ${project.padEnd(9)}  ${relative(root, file)}`
      })
  }

  /** Whether a test has failed. */
  get hasFailure() {
    return [...this.#files.values()].some(({ tests }) => [...tests.values()].includes('failed'))
  }

  /** The report that Vitest would have written so far: unfinished tests count as skipped. */
  report() {
    const testResults = [...this.#files.values()].map(({ file, state, tests }) => {
      const results = [...tests].map(([fullName, status]) => ({
        fullName,
        status: openStates.has(status) ? 'skipped' : status,
      }))
      const isSkipped = state === 'planned'
      /** @type {Suite} */
      const suite = {
        name: file,
        status: state === 'ended' ? 'passed' : 'pending',
        message: '',
        assertionResults: isSkipped ? [{ fullName: file, status: 'skipped' }] : results,
      }
      return suite
    })
    return { testResults }
  }
}

/** A report that counts one more failure. @param {{ testResults: Suite[] }} report @param {string} reason */
export function withFailure({ testResults }, reason) {
  const failure = { name: root, status: 'failed', message: reason, assertionResults: [] }
  return { success: false, testResults: [...testResults, failure] }
}
