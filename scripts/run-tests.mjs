// `npm test [-- arguments of Vitest]`: runs Vitest in a process of its own, makes sure that the run ends, and
// leaves no process behind.
// After DAYBOOK_SILENCE_MS without a report (three minutes; 0: never) it prints what it waits for, and fails.
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { beginGuardedRun } from './guard/guarded-run.mjs'
import { root, testReport } from './place.mjs'
import { TestProgress, withFailure } from './test-progress.mjs'

const lookEveryMs = 250
const graceMs = 3_000
const slowestShown = 10

const silenceMs = Number(process.env['DAYBOOK_SILENCE_MS'] ?? 180_000)
if (!Number.isInteger(silenceMs) || silenceMs < 0) {
  console.error(
    `DAYBOOK_SILENCE_MS=${process.env['DAYBOOK_SILENCE_MS']} must be a whole number of milliseconds.`,
  )
  process.exit(2)
}

const args = process.argv.slice(2)
const has = (/** @type {string[]} */ ...names) =>
  args.some((arg) => names.some((name) => arg === name || arg.startsWith(`${name}=`)))
/** Waits for people, who may be silent. */
const isInteractive = has('--watch', '-w', '--ui', '--inspect', '--inspect-brk')

mkdirSync(join(root, '.cache'), { recursive: true })
const progressFile = join(root, `.cache/test-progress-${process.pid}.jsonl`)
writeFileSync(progressFile, '')
const input = openSync(progressFile, 'r')
rmSync(testReport, { force: true })

const progress = new TestProgress()
const decoder = new StringDecoder('utf8')
let readTo = 0
let rest = ''

/** Hears what was appended; whether there was anything. */
function readProgress() {
  const more = Buffer.alloc(fstatSync(input).size - readTo)
  if (more.length === 0) return false
  readTo += readSync(input, more, 0, more.length, readTo)
  const lines = (rest + decoder.write(more)).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) progress.take(line)
  return true
}

const run = beginGuardedRun({
  kind: 'job',
  graceMs,
  onEnded() {
    closeSync(input)
    rmSync(progressFile, { force: true })
  },
})

/** Says why the run failed, to people and in the report, which Vitest has written only if it came to its end. @param {string} reason */
function fail(reason) {
  console.error(`\n${reason}\n`)
  const report = existsSync(testReport) ? JSON.parse(readFileSync(testReport, 'utf8')) : progress.report()
  writeFileSync(testReport, JSON.stringify(withFailure(report, reason)))
}

const vitest = run.start(
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...(has('--config', '-c') ? [] : ['--config', 'test/vitest.config.ts']),
    // Reporters that are asked for here take the place of those of the configuration, of which this one must remain.
    ...(has('--reporter') ? ['--reporter=./test/progress-reporter.ts'] : []),
    ...args,
  ],
  { DAYBOOK_PROGRESS: progressFile },
)

vitest.once('exit', (code, signal) => {
  if (run.isEnding()) return
  readProgress()
  if (signal)
    fail(`Vitest was ended by ${signal}, while these ran:\n  ${progress.pendingWork().join('\n  ')}`)
  else if (code !== 0 && !progress.hasFailure) fail(`Vitest ended with ${code}; its reason is above.`)
  const slowest = progress.slowest(slowestShown)
  if (slowest.length > 1) console.log(`\nThe slowest files:\n${slowest.join('\n')}`)
  void run.end(code ?? 1)
})

let activeAt = performance.now()
setInterval(() => {
  if (run.isEnding() || readProgress() || isInteractive) {
    activeAt = performance.now()
    return
  }
  if (silenceMs === 0 || performance.now() - activeAt < silenceMs) return
  const waited = progress.pendingWork().join('\n  ')
  fail(`Nothing was reported for ${silenceMs / 1000} s, so the run was ended. It waited for:\n  ${waited}`)
  void run.end(1)
}, lookEveryMs)
