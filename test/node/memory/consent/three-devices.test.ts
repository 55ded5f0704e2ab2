// Generated orders of what happens to proposals on three devices: 200 in `npm test`, 1,000 in `npm run soak:whole`;
// `npm run soak:consent` plays the rest.
import { expect, it } from 'vitest'
import { draws } from '../../../support/whole.ts'
import { perWorld, playWorld } from './three-devices.ts'

const orders = draws(200, 1000)

it(`C16 ${orders} orders of propose, withdraw, review, reopen, expire and sync on three devices have one outcome each, and nothing is remembered that somebody else than its proposer has not approved`, async () => {
  const faults: string[] = []
  for (let seed = 1; seed <= orders / perWorld; seed++) faults.push(...(await playWorld(seed)))
  expect(faults).toEqual([])
}, 170_000)
