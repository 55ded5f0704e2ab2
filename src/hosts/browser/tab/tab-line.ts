// The line between a tab and the owner of its book: a channel of the origin, and a port of their own as soon as they have one.
// Invariant: whether it takes the channel or the port, what one end posts to the other arrives in its order, or the tab hears
// that it may not have. Each end says on the channel that it posts nothing more there, and only then does the other open the
// port.
import type { HubClient, PortOffer } from './hub-client.ts'
import type { LineEnd, TabChannel } from './tab-port.ts'

/** On the channel: what follows is posted to the port of that id, or what was posted to it may be lost. */
interface PortNotice {
  readonly type: 'direct' | 'cut'
  readonly id: string
}

interface LineMessage {
  readonly type: string
  readonly epoch?: number
  readonly id?: string
}

/** What there is of a line when there is no hub: a channel. */
export function openChannel<In, Out>(name: string, hear: (message: In) => void): TabChannel<Out> {
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<In>) => hear(data)
  return { post: (message) => channel.postMessage(message), close: () => channel.close() }
}

/** Opens a port: `hear` gets what has come by then first. */
function hearPort<In>({ port }: PortOffer, hear: (message: In) => void): void {
  port.onmessage = ({ data }: MessageEvent<In>) => hear(data)
}

/** The owner's end, of one epoch. */
export function openOwnerLine<In, Out>(
  line: string,
  epoch: number,
  hear: (message: In) => void,
  hub: HubClient,
): TabChannel<Out> {
  let direct: PortOffer | undefined
  const channel = openChannel<In & LineMessage, Out | PortNotice>(line, (message) => {
    if (message.type !== 'direct') hear(message)
    else if (direct && message.id === direct.id) hearPort(direct, hear)
  })
  const askNoMore = hub(
    { of: 'owner', line, epoch },
    {
      offered(next) {
        if (direct) return next.port.close()
        channel.post({ type: 'direct', id: next.id })
        direct = next
      },
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
      askNoMore()
      channel.close()
      direct?.port.close()
      direct = undefined
    },
  }
}

/** The tab's end, for one owner after another. */
export function openTabLine<In, Out>(
  line: string,
  { alive, cut }: Omit<Extract<LineEnd, { of: 'tab' }>, 'of'>,
  hear: (message: In) => void,
  hub: HubClient,
): TabChannel<Out> {
  const offers = new Map<string, PortOffer>()
  /** The ports that owners have turned to, and those that they have given up. */
  const turned = new Set<string>()
  const givenUp = new Set<string>()
  let newest = 0
  let direct: PortOffer | undefined
  let askNoMore: (() => void) | undefined

  const open = (id: string) => {
    const offer = offers.get(id)
    if (!offer || !turned.has(id)) return
    hearPort(offer, hear)
    // An earlier owner may still say something, but the tab says nothing more to it.
    if (offer.epoch < newest) return
    channel.post({ type: 'direct', id })
    direct = offer
  }
  const offered = (offer: PortOffer) => {
    if (givenUp.has(offer.id)) return offer.port.close()
    offers.set(offer.id, offer)
    open(offer.id)
  }
  const channel = openChannel<In & LineMessage, Out | PortNotice>(line, (message) => {
    const { type, epoch = 0, id = '' } = message
    if (type === 'direct') {
      turned.add(id)
      return open(id)
    }
    if (type === 'cut') {
      givenUp.add(id)
      offers.get(id)?.port.close()
      if (direct?.id === id) direct = undefined
      return cut()
    }
    newest = Math.max(newest, epoch)
    // A new owner, with which there is no port yet.
    if (direct && epoch > direct.epoch) direct = undefined
    askNoMore ??= hub({ of: 'tab', line, alive }, { offered })
    hear(message)
  })
  return {
    post: (message) => (direct ? direct.port.postMessage(message) : channel.post(message)),
    close() {
      askNoMore?.()
      channel.close()
      for (const { port } of offers.values()) port.close()
    },
  }
}
