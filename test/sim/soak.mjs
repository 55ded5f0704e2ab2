// `npm run soak -- [--minutes 10] [--count N] [--from SEED]`: plays schedules of fresh seeds one after the other and says
// how far it is. Stopped, it says where to go on. Each failure is made small and printed in the words of pinned.ts.
import { parseArgs } from 'node:util'
import { findFault } from './sound.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, count: { type: 'string' }, from: { type: 'string' } },
})
const read = (/** @type {string | undefined} */ text, /** @type {number} */ usual) => {
  const value = text === undefined ? usual : Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  console.error(`\`${text}\` is not a number.`)
  process.exit(2)
}
const count = read(values.count, Number.MAX_SAFE_INTEGER)
const minutes = read(values.minutes, values.count === undefined ? 10 : Number.MAX_SAFE_INTEGER)
// Beyond the seeds that every test run plays.
const from = read(values.from, 10_000 + Math.floor(Math.random() * 2 ** 31))

const began = performance.now()
let stopped = false
let faults = 0
let played = 0
let told = began
process.once('SIGINT', () => (stopped = true))

const tell = () => {
  const seconds = (performance.now() - began) / 1000
  const rate = Math.round(played / seconds)
  console.log(`${played} schedules, seeds ${from} to ${from + played - 1}, ${rate}/s, ${faults} failed`)
}
console.log(`From seed ${from}.`)
while (!stopped && played < count && performance.now() - began < minutes * 60_000) {
  const fault = await findFault(from + played)
  played += 1
  if (fault !== undefined) {
    faults += 1
    console.log(fault)
  }
  if (performance.now() - told > 10_000) {
    told = performance.now()
    tell()
  }
}
tell()
if (played < count && stopped) console.log(`To go on: npm run soak -- --from ${from + played}`)
process.exitCode = faults === 0 ? 0 : 1
