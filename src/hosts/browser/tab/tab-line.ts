// The line between a tab and the owner of its book: a channel, and a direct port if the hub offers a port.
// Invariant: messages of one end arrive in order, over channel or port, or the tab is notified that messages
// may be lost. Each end announces on the channel that it switches to the port; only then does the other end
// read the port.
import { type HubClient, type PortOffer, createHubClient } from './hub-client.ts'
import type { LineEnd, TabChannel, TabPort } from './tab-port.ts'

/**
 * Sent on the channel. `direct`: later messages use the port `id`. `cut`: messages on the port `id` may be
 * lost.
 */
interface PortNotice {
  readonly type: 'direct' | 'cut'
  readonly id: string
}

/** The fields of messages that this file reads. `epoch`: of an owner's message; `id`: of a `PortNotice`. */
interface LineMessage {
  readonly type: string
  readonly epoch?: number
  readonly id?: string
}

/** Opens a channel, which carries a line until a port replaces it. */
function openChannel<In, Out>(name: string, hear: (message: In) => void): TabChannel<Out> {
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<In>) => hear(data)
  return { post: (message) => channel.postMessage(message), close: () => channel.close() }
}

/** Starts reading the port; messages that the port has queued arrive first. */
function readPort<In>({ port }: PortOffer, hear: (message: In) => void): void {
  port.onmessage = ({ data }: MessageEvent<In>) => hear(data)
}

/** Opens the owner's end of a line, for one epoch. */
export function openOwnerLine<In, Out>(
  line: string,
  epoch: number,
  hear: (message: In) => void,
  hub: HubClient,
): TabChannel<Out> {
  let direct: PortOffer | undefined
  const channel = openChannel<In & LineMessage, Out | PortNotice>(line, (message) => {
    if (message.type !== 'direct') hear(message)
    else if (direct && message.id === direct.id) readPort(direct, hear)
  })
  const stopAsking = hub(
    { of: 'owner', line, epoch },
    {
      offered(next) {
        if (direct) return next.port.close()
        channel.post({ type: 'direct', id: next.id })
        direct = next
      },
      // Messages on the port may be lost: use the channel again.
      lost(id) {
        if (direct?.id !== id) return
        direct.port.close()
        direct = undefined
        channel.post({ type: 'cut', id })
      },
    },
  )
  return {
    post: (message) => (direct ? direct.port.postMessage(message) : channel.post(message)),
    close() {
      stopAsking()
      channel.close()
      direct?.port.close()
      direct = undefined
    },
  }
}

/** Opens the tab's end of a line, for all owners in turn. */
export function openTabLine<In, Out>(
  line: string,
  { alive, cut }: Omit<Extract<LineEnd, { of: 'tab' }>, 'of'>,
  hear: (message: In) => void,
  hub: HubClient,
): TabChannel<Out> {
  const offers = new Map<string, PortOffer>()
  /** Ids of ports that owners have switched to; `closedIds`: ids of ports that owners have cut. */
  const switched = new Set<string>()
  const closedIds = new Set<string>()
  /** The newest epoch of a message on the channel. */
  let newest = 0
  let direct: PortOffer | undefined
  /** Withdraws the request to the hub; undefined before the request. */
  let stopAsking: (() => void) | undefined

  /** Uses a port once the hub has offered it and the owner has switched to it: the two come in any order. */
  const open = (id: string) => {
    const offer = offers.get(id)
    if (!offer || !switched.has(id)) return
    readPort(offer, hear)
    // Read the messages of an earlier owner, but send that owner nothing.
    if (offer.epoch < newest) return
    channel.post({ type: 'direct', id })
    direct = offer
  }
  const offered = (offer: PortOffer) => {
    if (closedIds.has(offer.id)) return offer.port.close()
    offers.set(offer.id, offer)
    open(offer.id)
  }
  const channel = openChannel<In & LineMessage, Out | PortNotice>(line, (message) => {
    const { type, epoch = 0, id = '' } = message
    if (type === 'direct') {
      switched.add(id)
      return open(id)
    }
    if (type === 'cut') {
      closedIds.add(id)
      offers.get(id)?.port.close()
      if (direct?.id === id) direct = undefined
      return cut()
    }
    newest = Math.max(newest, epoch)
    // The new owner has no port yet: use the channel.
    if (direct && epoch > direct.epoch) direct = undefined
    // Not earlier: a tab without an owner needs no port.
    stopAsking ??= hub({ of: 'tab', line, alive }, { offered })
    hear(message)
  })
  return {
    post: (message) => (direct ? direct.port.postMessage(message) : channel.post(message)),
    close() {
      stopAsking?.()
      channel.close()
      for (const { port } of offers.values()) port.close()
    },
  }
}

/** Holds the lock until the resolved function is called: the browser frees it when the callback's promise resolves. */
const lock: TabPort['lock'] = (name, signal) =>
  new Promise((resolve, reject) => {
    const hold = () => new Promise<void>((free) => resolve(() => free()))
    navigator.locks.request(name, signal ? { signal } : {}, hold).catch(reject)
  })

/** Implements `TabPort` with `BroadcastChannel`, Web Locks, and message ports if the pages share a hub. */
export function createBrowserTabs(getHub: () => Promise<MessagePort | undefined>): TabPort {
  // Request a shared lock, so that a frozen waiter doesn't block the other waiters.
  const ended = (held: string) => navigator.locks.request(held, { mode: 'shared' }, () => undefined)
  const hub = createHubClient({ getHub, ended })
  return {
    open<In, Out>(name: string, hear: (message: In) => void, line?: LineEnd): TabChannel<Out> {
      if (!line) return openChannel(name, hear)
      return line.of === 'tab'
        ? openTabLine(name, line, hear, hub)
        : openOwnerLine(name, line.epoch, hear, hub)
    },
    lock,
    later(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      return () => clearTimeout(timer)
    },
  }
}
