// What two devices do to the same memories without hearing of each other, and that nothing of it is there twice afterwards.
import { afterEach, describe, expect, it } from 'vitest'
import { type Device, openTwoDevices } from '../../../support/consent/two-devices.ts'

const category = 'a2p:interests.music'
const semantic = { category, memory_type: 'semantic' }

const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

function open(options: { skewMs?: number } = {}) {
  const devices = openTwoDevices(options)
  opened.push(devices)
  return devices
}
type Devices = ReturnType<typeof open>

const store = async ({ call }: Device, content: string, more: object = {}) =>
  (await call<{ id: string }>('a2p:store_memory', { content, ...semantic, ...more })).id

/** Both have the same, and nobody has to look at anything. */
async function expectAlike({ one, two, sync }: Devices) {
  await sync()
  expect(await two.memories()).toEqual(await one.memories())
  expect(await two.remembered()).toEqual(await one.remembered())
}

const openConflicts = async ({ conflicts }: Device) =>
  (await conflicts()).filter(({ state }) => state === 'open')

describe.each([0, 90_000, -90_000])('two devices whose clocks are %i ms apart', (skewMs) => {
  const begin = async (texts: readonly string[]) => {
    const devices = open({ skewMs })
    const ids: string[] = []
    for (const text of texts) ids.push(await store(devices.one, text))
    await devices.sync()
    return { ...devices, ids }
  }

  it('that make one of the same memories have one', async () => {
    const devices = await begin(['Likes jazz', 'Likes soul'])
    const { one, two, ids, pass } = devices
    await one.call('a2p:consolidate', { ids, content: 'Likes jazz and soul' })
    await pass(1000)
    await two.call('a2p:consolidate', { ids: ids.toReversed(), content: 'Likes jazz and soul' })
    await expectAlike(devices)
    expect(await one.remembered()).toEqual(['Likes jazz and soul'])
    expect((await one.memories()).length).toBe(3)
    expect([await openConflicts(one), await openConflicts(two)]).toEqual([[], []])
  })

  it('that make one of the same memories in other words have one, and the other words are kept', async () => {
    const devices = await begin(['Likes jazz', 'Likes soul'])
    const { one, two, ids } = devices
    await one.call('a2p:consolidate', { ids, content: 'Likes jazz and soul' })
    await two.call('a2p:consolidate', { ids, content: 'Jazz, soul' })
    await expectAlike(devices)
    const remembered = await one.remembered()
    expect(remembered).toEqual([expect.stringMatching(/^(?:Likes jazz and soul|Jazz, soul)$/)])
    const lost = remembered[0] === 'Jazz, soul' ? 'Likes jazz and soul' : 'Jazz, soul'
    expect(JSON.stringify([await one.conflicts(), await two.conflicts()])).toContain(lost)
  })

  it('that make one of memories of which they share one lose nothing of what was said', async () => {
    const devices = await begin(['Likes jazz', 'Likes soul', 'Likes folk'])
    const { one, two, ids } = devices
    const [jazz, soul, folk] = ids
    await one.call('a2p:consolidate', { ids: [jazz, soul] })
    await two.call('a2p:consolidate', { ids: [soul, folk] })
    await expectAlike(devices)
    const said = (await one.remembered()).join('\n')
    for (const text of ['jazz', 'soul', 'folk']) expect(said).toContain(text)
  })

  it('of which one makes one of several and the other forgets one of those have the rest', async () => {
    const devices = await begin(['Likes jazz', 'Likes soul'])
    const { one, two, ids } = devices
    await one.call('a2p:consolidate', { ids, content: 'Likes jazz and soul' })
    await two.call('a2p:forget', { id: ids[1] })
    await expectAlike(devices)
    expect(await one.remembered()).toEqual(['Likes jazz'])
  })

  it('that give a memory another class have the later one, and the other in the log', async () => {
    const devices = await begin(['Likes jazz'])
    const { one, two, ids, pass } = devices
    await one.call('a2p:reclassify', { id: ids[0], memory_type: 'procedural', reason: 'a habit' })
    await pass(300_000)
    await two.call('a2p:reclassify', { id: ids[0], memory_type: 'episodic', reason: 'it was once' })
    await expectAlike(devices)
    expect(await one.memories()).toMatchObject([
      { memory_type: 'episodic', reclassified: [{ reason: 'it was once' }] },
    ])
    expect(JSON.stringify([await one.conflicts(), await two.conflicts()])).toContain('a habit')
  })

  it('of which one approves another class and the other rejects it have the old one, and later edits', async () => {
    const devices = await begin(['Likes jazz'])
    const { one, two, ids, pass } = devices
    const agent = 'did:a2p:agent:local:assistant'
    const asked = { id: ids[0], category: 'a2p:preferences', reason: 'it fits' }
    const { id } = await one.call<{ id: string }>('a2p:reclassify', asked, agent)
    await devices.sync()
    await one.call('a2p:review', { id, action: 'approve' })
    expect(await one.memories()).toMatchObject([{ id: ids[0], category: 'a2p:preferences' }])
    await one.call('a2p:edit_memory', { id: ids[0], content: 'Likes free jazz' })
    await pass(1000)
    await two.call('a2p:review', { id, action: 'reject' })
    await expectAlike(devices)
    expect(await two.memories()).toMatchObject([{ id: ids[0], category, content: 'Likes free jazz' }])
    expect(await one.call('a2p:proposal_counts')).toMatchObject({ rejected: 1, approved: 0 })
    expect([await openConflicts(one), await openConflicts(two)]).toEqual([[], []])
  })
})

describe.each([0, 90_000, -90_000])('the upkeep on two devices whose clocks are %i ms apart', (skewMs) => {
  const begin = async () => {
    const devices = open({ skewMs })
    const { one, pass, sync } = devices
    const imported = { source: { type: 'user_import' }, memory_type: 'episodic' }
    const add = (content: string, confidence: number) =>
      store(one, content, { ...imported, confidence, category: 'a2p:interests' })
    const worn = await add('was somewhere', 0.29)
    const doubtful = await add('heard something', 0.45)
    const texts = ['today', 'yesterday', 'again'].map((when) => `User asked about Python async ${when}`)
    for (const text of texts) await add(text, 0.6)
    const sure = await add('User asked about Python async', 0.95)
    await sync()
    return { ...devices, worn, doubtful, sure, due: () => pass(1000) }
  }
  const use = async ({ call }: Device, id: string) => {
    for (let n = 0; n < 11; n++) await call('recall:use', { ids: [id] })
  }

  it('does the same once: promoted, flagged, archived', async () => {
    const devices = await begin()
    const { one, two, sure, worn, doubtful, pass } = devices
    for (const device of [one, two]) await use(device, sure)
    const all = { promoted: 1, flagged: 1, archived: 1 }
    expect(await one.call('a2p:maintain')).toEqual(all)
    await pass(60_000)
    expect(await two.call('a2p:maintain')).toEqual(all)
    await expectAlike(devices)
    const memories = new Map((await one.memories()).map((memory) => [memory['id'], memory]))
    expect(memories.size).toBe(6)
    expect(memories.get(worn)).toMatchObject({ status: 'archived' })
    expect(memories.get(doubtful)).toMatchObject({ status: 'approved', flagged: true })
    const promoted = memories.get(sure)
    // A list of one, and no other.
    expect(promoted).toMatchObject({ memory_type: 'semantic', reclassified: [{ by: 'automatic' }] })
    for (const device of [one, two]) {
      expect(await openConflicts(device)).toEqual([])
      expect(await device.call('a2p:maintain')).toEqual({ promoted: 0, flagged: 0, archived: 0 })
    }
  })

  it('promotes by the counters of the device that has them, and the other takes that over', async () => {
    const devices = await begin()
    const { one, two, sure } = devices
    await use(one, sure)
    expect(await two.call('a2p:maintain')).toMatchObject({ promoted: 0 })
    expect(await one.call('a2p:maintain')).toMatchObject({ promoted: 1 })
    await expectAlike(devices)
    const told = await two.call<{ memories: { id: string; metadata: object }[] }>('a2p:query_memories', {
      memory_type: 'semantic',
    })
    expect(told.memories).toMatchObject([{ id: sure }])
    // The counters themselves stay where they are.
    expect(told.memories[0]?.metadata).not.toHaveProperty('useCount')
  })

  it('yields to the user who confirms, edits or classes meanwhile what it puts away', async () => {
    const devices = await begin()
    const { one, two, worn, doubtful, sure, pass } = devices
    await use(one, sure)
    await one.call('a2p:maintain')
    await pass(200_000)
    await two.call('a2p:edit_memory', { id: worn, confirmed: true })
    await two.call('a2p:edit_memory', { id: doubtful, content: 'heard something good', confidence: 1 })
    await two.call('a2p:reclassify', { id: sure, memory_type: 'procedural', reason: 'a habit' })
    await expectAlike(devices)
    const memories = new Map((await one.memories()).map((memory) => [memory['id'], memory]))
    expect(memories.get(worn)).toMatchObject({ status: 'approved' })
    expect(memories.get(doubtful)).toMatchObject({ content: 'heard something good' })
    expect(memories.get(doubtful)).not.toHaveProperty('flagged')
    expect(memories.get(sure)).toMatchObject({ memory_type: 'procedural' })
    for (const { call } of [one, two])
      expect(await call('a2p:maintain')).toEqual({ promoted: 0, flagged: 0, archived: 0 })
  })
})

describe('a device', () => {
  const asked = { scopes: ['a2p:interests'], purpose: 'to plan the week' }
  const agent = 'did:a2p:agent:local:assistant'

  it('hears of what agents propose and ask on another one, and of what is decided there, once each', async () => {
    const { one, two, sync } = open()
    const proposals = two.heard('proposal')
    const requests = two.heard('consent')
    const { id } = await one.call<{ id: string }>('a2p:propose', { content: 'Likes jazz', category }, agent)
    const { request } = await one.call<{ request: { id: string } }>('consent:request', asked, agent)
    await sync()
    const made = { id, by: agent }
    expect(proposals).toEqual([{ ...made, status: 'pending' }])
    expect(requests).toEqual([{ id: request.id, agent, status: 'pending' }])
    await one.call('a2p:review', { id, action: 'approve' })
    await one.call('consent:decide', { id: request.id, decision: 'grant' })
    await sync()
    await sync()
    expect(proposals.slice(1)).toEqual([{ ...made, status: 'approved' }])
    expect(requests.slice(1)).toEqual([{ id: request.id, agent, status: 'granted' }])
    await two.call('a2p:reopen', { id })
    await sync()
    expect(proposals.slice(2)).toEqual([{ ...made, status: 'pending' }])
  })
})
