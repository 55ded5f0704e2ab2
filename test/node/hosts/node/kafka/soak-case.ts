// A small share of what `npm run soak:kafka` reads by the million.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type KafkaWorld, newGroup } from '../../../../support/kafka/kafka-world.ts'
import { putBacklog, soak } from './soak.ts'

/** More than it has when it has read a hundred times as much. */
const mostMegabytes = 500

/** Needs the broker of `world`. */
export function soakCases({ kafka }: KafkaWorld): void {
  it('takes in two thousand envelopes that lay there before it came, killed in the middle: each fact is there once', async () => {
    const home = await mkdtemp(join(tmpdir(), 'daybook-soak-'))
    await using ends = new AsyncDisposableStack()
    ends.defer(() => rm(home, { recursive: true }))
    const options = { broker: kafka().broker, group: newGroup(), home, count: 2000 }
    await putBacklog(options)
    const { expected, facts, wrong, results, peakMegabytes } = await soak(options)
    expect({ facts, wrong }).toEqual({ facts: expected.facts, wrong: 0 })
    expect(results).toMatchObject({ conflict: 0 })
    // What it had taken, and not said that it had, comes again.
    expect(results['rejected']).toBeGreaterThanOrEqual(expected.rejected)
    expect(results['duplicate']).toBeGreaterThanOrEqual(expected.duplicate)
    expect(peakMegabytes).toBeLessThan(mostMegabytes)
  })
}
