// What may leave a book for its pool, and what never does. Nothing is changed by what is refused.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assertRecordMayLeave } from '../../../../src/commons/pool/rule/may-leave.ts'
import type { RecordHead } from '../../../../src/core/record.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { oneSecret } from '../../../support/made-secret.ts'
import { MemoryBus } from './memory-carrier.ts'
import { ask, createWorld, type World } from './pool-world.ts'

let world: World
let bus: MemoryBus
let book: Engine
beforeEach(() => {
  world = createWorld()
  bus = new MemoryBus()
  book = world.open('claw-1', [bus.carrier()])
})
afterEach(() => world.close())

const propose = (input: object) => book.call('pool:propose', { statement: 'S', tags: ['ops'], ...input })
const refused = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (fault: { code: string; details: { path: string; reason?: string } }) => fault,
  )
  return [error?.code, error?.details.path, error?.details.reason]
}
const head = { id: 'perception::1', kind: 'perception', agent: 'me' } as RecordHead
const perception = (more: object = {}) => ({
  subject: 'orders',
  content: 'No index',
  confidence: 0.9,
  ...more,
})
describe('what leaves a book for the pool', () => {
  afterEach(async () => {
    await world.pass(1000)
    expect((await ask<{ proposals: object[] }>(book, 'pool:list_proposals')).proposals).toEqual([])
    expect(bus.sent.filter(({ type }) => type === 'proposal')).toEqual([])
  })

  it('has a tag that is allowed, and none that is denied, however they are written', async () => {
    expect(await refused(propose({ tags: ['ops', ' PII '] }))).toEqual(['forbidden', 'tags', 'tag-denied'])
    expect(await refused(propose({ tags: ['weather'] }))).toEqual(['forbidden', 'tags', 'tag-not-allowed'])
    expect(await refused(propose({ tags: [] }))).toEqual(['invalid-input', 'tags', undefined])
    await ask(book, 'pool:configure', { tagsAllowed: ['weather'], tagsDenied: ['ops'] })
    expect(await refused(propose({}))).toEqual(['forbidden', 'tags', 'tag-denied'])
  })

  it('is no longer than 2,000 characters', async () => {
    expect(await refused(propose({ statement: 'x'.repeat(2001) }))).toEqual([
      'invalid-input',
      'statement',
      undefined,
    ])
  })

  it('holds no secret, and the error names the part that has one', async () => {
    const secret = oneSecret()
    const inputs = {
      statement: { statement: `The token is ${secret}` },
      title: { title: secret },
      tags: { tags: ['ops', secret] },
      fact: { fact: { subject: 'the token', predicate: 'is', object: secret } },
    }
    for (const [path, input] of Object.entries(inputs))
      expect(await refused(propose(input))).toEqual(['forbidden', path, 'secret'])
    const announce = (input: object) => book.call('pool:announce', { capabilities: ['db.read'], ...input })
    expect(await refused(announce({ displayName: secret }))).toEqual(['forbidden', 'displayName', 'secret'])
    expect(await refused(announce({ model: secret }))).toEqual(['forbidden', 'model', 'secret'])
    expect(await refused(announce({ capabilities: [secret] }))).toEqual([
      'forbidden',
      'capabilities',
      'secret',
    ])
    for (const name of ['group', 'claw', 'displayName', 'model'])
      expect(await refused(book.call('pool:configure', { [name]: secret }))).toEqual([
        'forbidden',
        name,
        'secret',
      ])
  })

  it('is no sealed record, no record of another agent, and none that says nothing', async () => {
    const publish = (record: string) => refused(book.call('pool:publish', { record, tags: ['ops'] }))
    for (const sensitivity of ['sensitive', 'restricted'] as const)
      expect(() => assertRecordMayLeave({ ...head, sensitivity }, 'me')).toThrow(/does not leave this book/)
    expect(() => assertRecordMayLeave(head, 'me')).not.toThrow()
    const others = { agent: 'ada' }
    const { id } = (await book.call('kstar:store_perception', perception(), { scope: others })) as {
      id: string
    }
    expect(await publish(id)).toEqual(['forbidden', 'record', 'other-agent'])
    expect(await publish('perception::none')).toEqual(['not-found', 'record', undefined])
  })
})

describe('what a book of several agents has to say, without a way to others', () => {
  it('is kept for a week', async () => {
    const db = openNodeDatabase({ path: ':memory:' })
    const alone = world.open('me', [], { db })
    const oldest = () => db.get<{ at: number }>('SELECT min(at) AS at FROM pool_outbox')?.at ?? 0
    const week = 7 * 86_400_000
    const now = () => Date.parse(world.at())
    await ask(alone, 'pool:configure', { timeout: '1h' })
    const began = now()
    await ask(alone, 'pool:propose', { statement: 'First', tags: ['ops'] })
    await world.pass(week - 1000)
    await ask(alone, 'pool:propose', { statement: 'Within the week', tags: ['ops'] })
    expect(oldest()).toBe(began)
    await world.pass(2 * 86_400_000)
    await ask(alone, 'pool:propose', { statement: 'After it', tags: ['ops'] })
    await expect.poll(oldest).toBeGreaterThanOrEqual(now() - week)
  })
})

describe('a claw with a way to others', () => {
  it('says every 45 seconds that it is there, and every five minutes what it can do', async () => {
    await ask(book, 'pool:announce', { capabilities: ['db.read'] })
    const said = (type: string) => bus.sent.filter((one) => one.type === type).length
    await expect.poll(() => said('capabilities')).toBe(2)
    const before = said('presence')
    // What is signed takes its own time: each is waited for.
    for (let n = 1; n <= 7; n++) {
      await world.pass(45_000)
      await expect.poll(() => said('presence')).toBe(before + n)
    }
    await expect.poll(() => said('capabilities')).toBe(3)
    expect(said('presence')).toBe(before + 7)
  })

  it('greets a claw that comes just after it has said that it is there, within seconds, and once', async () => {
    const said = () =>
      bus.sent.filter(({ type, key }) => type === 'presence' && key.startsWith('claw-1')).length
    await world.pass(100)
    await expect.poll(said).toBe(1)
    await ask(book, 'pool:configure', { admission: 'anyone' })
    await world.pass(100)
    await expect.poll(said).toBe(2)
    const before = said()
    const other = world.open('claw-2', [bus.carrier()])
    await ask(other, 'pool:configure', { admission: 'anyone' })
    const active = async () => (await ask<{ active: number }>(book, 'pool:claws')).active === 2
    await world.soon(active)
    expect(said()).toBe(before)
    await world.pass(5000)
    await expect.poll(said).toBe(before + 1)
    await world.pass(10_000)
    expect(said()).toBe(before + 1)
  })
})
