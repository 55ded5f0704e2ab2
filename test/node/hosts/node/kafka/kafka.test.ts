// Everything of the pool over one real Apache Kafka, one after another: some of it stops the broker.
import { afterAll, beforeAll, describe } from 'vitest'
import { createKafkaWorld, skipped } from '../../../../support/kafka/kafka-world.ts'
import { carrierCases } from './carrier-case.ts'
import { commandCases } from './command-case.ts'
import { killedCases } from './killed-case.ts'
import { poolCases } from './pool-case.ts'
import { soakCases } from './soak-case.ts'

const world = createKafkaWorld()

describe.skipIf(skipped !== '')(`Over Apache Kafka${skipped}`, { timeout: 170_000 }, () => {
  beforeAll(world.open)
  afterAll(world.close)

  describe('a pool', () => {
    carrierCases(world)
  })
  describe('claws', () => {
    poolCases(world)
  })
  describe('a bridge that is killed', () => {
    killedCases(world)
  })
  describe('the bridge as a command', () => {
    commandCases(world)
    soakCases(world)
  })
})
