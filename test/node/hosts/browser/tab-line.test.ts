// The line between a tab and the owner of its book, on real channels and ports: it changes its way while it is in use.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openOwnerLine, openTabLine } from '../../../../src/hosts/browser/tab/tab-line.ts'
import { createHubClient } from '../../../../src/hosts/browser/tab/hub-client.ts'
import type { TabChannel } from '../../../../src/hosts/browser/tab/tab-port.ts'

interface Said {
  readonly type: 'said'
  readonly epoch: number
  readonly n: number
}

const ends: TabChannel<Said>[] = []
/** The lines whose tab was told that something may be lost. */
const cuts: string[] = []
const hubs: MessagePort[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end.close()
  for (const port of hubs.splice(0)) port.close()
  cuts.length = 0
  vi.unstubAllGlobals()
})

let connect: (port: MessagePort) => void
let endHub: () => void
let ended: Promise<void>

/** The hub that ships, on ports of this process. What it holds is held until the test ends it. */
async function startHub(): Promise<void> {
  vi.resetModules()
  ;({ promise: ended, resolve: endHub } = Promise.withResolvers<void>())
  const request = (name: string, hold: () => unknown) =>
    name.startsWith('daybook-hub:') ? hold() : undefined
  vi.stubGlobal('navigator', { locks: { request } })
  vi.stubGlobal('addEventListener', (_: string, hear: (event: unknown) => void) => {
    connect = (port) => hear({ ports: [port] })
  })
  await import('../../../../src/hosts/browser/tab/tab-hub.ts')
}
beforeEach(startHub)

function joinHub(): Promise<MessagePort> {
  const { port1, port2 } = new MessageChannel()
  hubs.push(port2)
  connect(port2)
  return Promise.resolve(port1)
}
const hubAt = (getHub: () => Promise<MessagePort>) => createHubClient({ getHub, ended: () => ended })

/** A hub whose offers to one end wait for the test. */
function holdOffers() {
  const held: MessageEvent[] = []
  let give: ((offer: MessageEvent) => void) | undefined
  const join = async () => {
    const hub = await joinHub()
    const { port1, port2 } = new MessageChannel()
    hubs.push(port1, hub)
    give = ({ data, ports }) => port1.postMessage(data, [...ports])
    hub.onmessage = (message) => (message.ports.length > 0 ? held.push(message) : give?.(message))
    port1.onmessage = ({ data }) => hub.postMessage(data)
    return port2
  }
  const release = (count: number) => held.splice(0, count).forEach((offer) => give?.(offer))
  return { held, join, release }
}

/** A channel that takes its time, as one through another process does; ports are quicker. */
const RealChannel = globalThis.BroadcastChannel
globalThis.BroadcastChannel = class extends RealChannel {
  override set onmessage(hear: ((event: MessageEvent) => void) | null) {
    super.onmessage = (event: MessageEvent) => void setTimeout(() => hear?.call(this, event), 15)
  }
}

/** What is said on the channel of a line, and who is told of it in no other way. */
const overheard = new Map<string, { type: string }[]>()
const turnsOf = (line: string) => overheard.get(line)?.filter(({ type }) => type === 'direct').length

let lines = 0
function newLine(): string {
  const line = `line-${process.pid}-${++lines}`
  const channel = new RealChannel(line)
  const said: { type: string }[] = []
  overheard.set(line, said)
  channel.onmessage = ({ data }) => said.push(data)
  ends.push({ post: () => undefined, close: () => channel.close() })
  return line
}

function openTab(line: string, hub = joinHub) {
  const heard: string[] = []
  const hear = ({ epoch, n }: Said) => void heard.push(`${epoch}:${n}`)
  // As a tab does, it speaks up at once.
  const cut = () => {
    cuts.push(line)
    end.post({ type: 'said', epoch: 1, n: 500 })
  }
  const end: TabChannel<Said> = openTabLine<Said, Said>(line, { alive: line, cut }, hear, hubAt(hub))
  ends.push(end)
  return { end, heard, say: (epoch: number, n: number) => end.post({ type: 'said', epoch, n }) }
}
function openOwner(line: string, epoch: number, hub = joinHub) {
  const heard: string[] = []
  const hear = ({ epoch: of, n }: Said) => void (of === epoch && heard.push(`${of}:${n}`))
  const end = openOwnerLine<Said, Said>(line, epoch, hear, hubAt(hub))
  ends.push(end)
  return { end, epoch, heard, say: (n: number) => end.post({ type: 'said', epoch, n }) }
}
type Tab = ReturnType<typeof openTab>
type Owner = ReturnType<typeof openOwner>
const numbers = (epoch: number, count: number) => Array.from({ length: count }, (_, n) => `${epoch}:${n}`)

/** Both have turned to their port, the `count`th of the line: what they say then is not on the channel. */
async function expectDirect(line: string, tab: Tab, owner: Owner, count = 1): Promise<void> {
  await expect.poll(() => turnsOf(line)).toBe(2 * count)
  const before = overheard.get(line)?.length
  owner.say(999)
  tab.say(owner.epoch, 999)
  const last = `${owner.epoch}:999`
  await expect.poll(() => [tab.heard.at(-1), owner.heard.at(-1)]).toEqual([last, last])
  expect(overheard.get(line)?.length).toBe(before)
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('keeps the order of both ends while it changes from the channel to a port', async () => {
  const line = newLine()
  const tab = openTab(line)
  const owner = openOwner(line, 1)
  let said = 0
  // Before, meanwhile and after.
  for (let after = 0; after < 50; said++) {
    owner.say(said)
    tab.say(1, said)
    await turn()
    if (turnsOf(line) === 2) after++
  }
  await expect.poll(() => tab.heard).toEqual(numbers(1, said))
  await expect.poll(() => owner.heard).toEqual(numbers(1, said))
  await expectDirect(line, tab, owner)
})

it('goes over to the next owner, whatever the one before still says', async () => {
  const line = newLine()
  const hub = holdOffers()
  const tab = openTab(line, hub.join)
  const first = openOwner(line, 1)
  first.say(0)
  await expect.poll(() => hub.held.length).toBe(1)
  hub.release(1)
  await expectDirect(line, tab, first)
  const second = openOwner(line, 2)
  // As a tab does, it answers to the new owner once that has spoken; there is no port to it by then.
  for (let [n, said] = [0, 0]; said < 100; n++) {
    if (n < 100) second.say(n)
    if (n < 100) first.say(n + 1)
    await turn()
    if (tab.heard.includes('2:0')) tab.say(2, said++)
    if (said >= 20) hub.release(1)
  }
  await expect.poll(() => (hub.release(1), turnsOf(line))).toBe(4)
  await expect.poll(() => tab.heard.filter((one) => one.startsWith('2:'))).toEqual(numbers(2, 100))
  await expect.poll(() => second.heard).toEqual(numbers(2, 100))
  const ofFirst = ['1:0', '1:999', ...numbers(1, 101).slice(1)]
  await expect.poll(() => tab.heard.filter((one) => one.startsWith('1:'))).toEqual(ofFirst)
  await expectDirect(line, tab, second, 2)
})

it('does not turn to an owner of before whose port comes late', async () => {
  const line = newLine()
  const hub = holdOffers()
  const tab = openTab(line, hub.join)
  const first = openOwner(line, 1)
  first.say(0)
  await expect.poll(() => tab.heard).toEqual(['1:0'])
  await expect.poll(() => hub.held.length).toBe(1)
  const second = openOwner(line, 2)
  second.say(0)
  await expect.poll(() => tab.heard).toEqual(['1:0', '2:0'])
  hub.release(1)
  first.say(1)
  await expect.poll(() => tab.heard).toContain('1:1')
  tab.say(2, 0)
  await expect.poll(() => second.heard).toEqual(['2:0'])
})

it('stays on the channel where there is no hub', async () => {
  const line = newLine()
  const tab = openTab(line)
  const owner = openOwner(line, 1, () => Promise.reject(new Error('There is none.')) as Promise<MessagePort>)
  for (let n = 0; n < 50; n++) {
    owner.say(n)
    tab.say(1, n)
    await turn()
  }
  await expect.poll(() => tab.heard).toEqual(numbers(1, 50))
  await expect.poll(() => owner.heard).toEqual(numbers(1, 50))
})

it('asks the next hub when one has ended', async () => {
  const line = newLine()
  const tab = openTab(line)
  const first = openOwner(line, 1)
  first.say(0)
  await expectDirect(line, tab, first)
  const end = endHub
  await startHub()
  end()
  first.end.close()
  const second = openOwner(line, 2)
  for (let n = 0; n < 50; n++) {
    second.say(n)
    if (tab.heard.includes('2:0')) tab.say(2, n)
    await turn()
  }
  await expect.poll(() => tab.heard.slice(2)).toEqual(numbers(2, 50))
  await expectDirect(line, tab, second, 2)
})

it('tells the tab that what was said last may be lost when the hub ends, and gives it another port', async () => {
  const line = newLine()
  const hub = holdOffers()
  const tab = openTab(line, hub.join)
  const owner = openOwner(line, 1)
  owner.say(0)
  await expect.poll(() => turnsOf(line)).toBe(1)
  await expect.poll(() => tab.heard).toEqual(['1:0'])
  // On its way to the tab through the hub, and never there.
  owner.say(1)
  const end = endHub
  await startHub()
  end()
  await expect.poll(() => cuts).toEqual([line])
  await expect.poll(() => hub.held.length).toBe(2)
  hub.release(2)
  owner.say(2)
  tab.say(1, 2)
  await expect.poll(() => tab.heard).toEqual(['1:0', '1:2'])
  await expect.poll(() => owner.heard).toEqual(['1:500', '1:2'])
  await expect.poll(() => turnsOf(line)).toBe(3)
  owner.say(3)
  await expect.poll(() => tab.heard).toEqual(['1:0', '1:2', '1:3'])
  expect(overheard.get(line)).not.toContainEqual(expect.objectContaining({ n: 3 }))
})

it('turns from the port of a hub that has ended to one of the next', async () => {
  const line = newLine()
  const tab = openTab(line)
  const owner = openOwner(line, 1)
  owner.say(0)
  await expectDirect(line, tab, owner)
  const end = endHub
  await startHub()
  end()
  await expect.poll(() => cuts).toEqual([line])
  owner.say(1)
  await expect.poll(() => tab.heard).toEqual(['1:0', '1:999', '1:1'])
  await expect.poll(() => owner.heard).toEqual(['1:999', '1:500'])
  await expectDirect(line, tab, owner, 2)
})
