// `npm run soak:pool -- [--count 20000] [--from SEED] [--sort regretted]`: plays schedules of a pool and says how far it is.
import { parseArgs } from 'node:util'
import { findPoolFault } from './pool-fault.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    from: { type: 'string' },
    sort: { type: 'string', default: 'plain' },
  },
})
const count = Number(values.count ?? 20_000)
const from = Number(values.from ?? 0)
const every = 1000
const began = performance.now()
let faults = 0
for (let seed = from; seed < from + count; seed++) {
  const fault = await findPoolFault(seed, values.sort)
  if (fault !== undefined) {
    faults += 1
    console.log(fault)
  }
  const played = seed - from + 1
  if (played % every === 0 && played < count)
    console.log(
      `${played} schedules in ${Math.round((performance.now() - began) / 1000)} s, ${faults} failed`,
    )
}
const seconds = (performance.now() - began) / 1000
console.log(
  `${count} schedules, seeds ${from} to ${from + count - 1}, ${Math.round(count / seconds)}/s, ${faults} failed`,
)
process.exitCode = faults === 0 ? 0 : 1
