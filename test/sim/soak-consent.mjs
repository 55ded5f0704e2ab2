// `npm run soak:consent -- [--orders 10000] [--from SEED]`: plays generated orders of what happens to proposals on three
// devices, and says what is wrong with the worlds that came of them.
import { parseArgs } from 'node:util'
import { perWorld, playWorld } from '../node/memory/consent/three-devices.ts'

const { values } = parseArgs({ options: { orders: { type: 'string' }, from: { type: 'string' } } })
const orders = Number(values.orders ?? 10_000)
const from = Number(values.from ?? 1)
const worlds = Math.ceil(orders / perWorld)
let faults = 0
for (let seed = from; seed < from + worlds; seed++) {
  for (const fault of await playWorld(seed)) {
    faults += 1
    console.log(fault)
  }
}
console.log(
  `${worlds * perWorld} orders in ${worlds} worlds, seeds ${from} to ${from + worlds - 1}: ${faults} faults.`,
)
process.exitCode = faults === 0 ? 0 : 1
