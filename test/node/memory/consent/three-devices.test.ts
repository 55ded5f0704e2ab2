// One thousand generated orders of what happens to proposals on three devices; `npm run soak:consent` plays the rest.
import { expect, it } from 'vitest'
import { perWorld, playWorld } from './three-devices.ts'

it('C16 1,000 orders of propose, withdraw, review, reopen, expire and sync on three devices have one outcome each, and nothing is remembered that somebody else than its proposer has not approved', async () => {
  const faults: string[] = []
  for (let seed = 1; seed <= 1000 / perWorld; seed++) faults.push(...(await playWorld(seed)))
  expect(faults).toEqual([])
}, 170_000)
