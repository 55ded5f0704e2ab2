// What a book makes of envelopes that it is handed one after another, and which way it passes them on.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryBus } from './memory-carrier.ts'
import { ask, audited, createWorld, give, type World } from './pool-world.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.close())

const proposal = (proposalId: string, more: object = {}) =>
  world.envelope('claw-1', 'proposal', { proposalId, group: 'daybook', statement: 'S', ...more })

describe('an envelope without a signature', () => {
  it('is taken in with a warning, with none, or not at all, as it is configured', async () => {
    const book = world.open()
    for (const [verify, said] of [
      ['require', ['rejected: signature_required']],
      ['warn', ['accepted: new_proposal', 'accepted: warning: unsigned', 'rejected: signature_required']],
    ] as const) {
      await book.call('pool:configure', { verify })
      await give(book, proposal('kp-1'))
      expect(await audited(book, 'proposal')).toEqual(said)
    }
    await book.call('pool:configure', { verify: 'off' })
    await give(book, proposal('kp-2'))
    expect((await audited(book, 'proposal')).slice(0, 2)).toEqual([
      'accepted: new_proposal',
      'accepted: new_proposal',
    ])
  })
})

describe('a book with two carriers', () => {
  it('passes on what one brings over the other, once, and never back', async () => {
    const left = new MemoryBus()
    const right = new MemoryBus()
    const one = world.open('claw-1', [left.carrier('left')])
    const hub = world.open('claw-2', [left.carrier('left'), right.carrier('right')])
    const three = world.open('claw-3', [right.carrier('right')])
    for (const claw of [one, hub, three])
      await world.until(async () => (await ask<{ active: number }>(claw, 'pool:claws')).active === 3)
    const { proposal: made } = await ask<{ proposal: string }>(one, 'pool:propose', {
      statement: 'S',
      tags: ['ops'],
    })
    const heard = async () =>
      (await ask<{ proposals: object[] }>(three, 'pool:list_proposals', { proposal: made })).proposals
    await world.until(async () => (await heard()).length === 1)
    await world.pass(120_000)
    const passed = ({ sent }: MemoryBus) =>
      sent.filter(({ type, text }) => type === 'proposal' && text.includes(made)).length
    expect([passed(left), passed(right)]).toEqual([1, 1])
  })
})
