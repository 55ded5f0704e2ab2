// Claws that are whole books, each with a key of its own, over carriers in memory: nothing of the rules is left out.
import { afterEach, describe, expect, it } from 'vitest'
import { tellStory } from '../../../contract/pool/pool-story.ts'
import { MemoryBus } from './memory-carrier.ts'
import { createWorld } from './pool-world.ts'

const world = createWorld()
const { until, pass } = world
afterEach(world.close)

function meeting() {
  const bus = new MemoryBus()
  return { bus, open: (agent: string) => world.open(agent, [bus.carrier()]) }
}

describe('claws over a carrier, each with its key', () => {
  it('find out who can do what, vote, and recall the fact that comes of it', async () => {
    const { open } = meeting()
    const claws = [open('claw-1'), open('claw-2'), open('claw-3'), open('claw-4')] as const
    await tellStory({ claws, until })
  })

  it('keeps what it has to say while the carrier is down, and says it once after', async () => {
    const { bus, open } = meeting()
    const [one, two] = [open('claw-1'), open('claw-2'), open('claw-3')]
    if (!one || !two) throw new Error('There are no claws.')
    await until(async () => ((await one.call('pool:claws', {})) as { active: number }).active === 3)
    bus.isDown = true
    const { proposal } = (await one.call('pool:propose', { statement: 'S', tags: ['ops'] })) as {
      proposal: string
    }
    await pass(30_000)
    const isOf = (text: string) => text.includes(proposal)
    expect(bus.sent.filter(({ text }) => isOf(text))).toEqual([])
    bus.up()
    await until(async () => bus.sent.some(({ text }) => isOf(text)))
    await pass(120_000)
    expect(bus.sent.filter(({ type, text }) => type === 'proposal' && isOf(text))).toHaveLength(1)
    expect(await two.call('pool:list_proposals', {})).toMatchObject({ proposals: [{ proposal }] })
  })
})
