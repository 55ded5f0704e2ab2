// The line between a tab and the owner of its book: a channel of the origin, and a port of their own as soon as they have one.
// Invariant: whatever way it takes, what one end posts to the other arrives in its order, or the tab is told that it may
// not have. Each end says on the channel that nothing more of it comes there, and only then does the other open the port.
import type { Meet, Way } from './tab-meet.ts'
import type { LineEnd, TabChannel } from './tab-port.ts'

/** On the channel, of the port of that id: what follows comes there, or what was said there may be lost. */
interface Turn {
  readonly type: 'direct' | 'cut'
  readonly id: string
}

interface Spoken {
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

/** Opens a port: what has come by then is heard first. */
function hearPort<In>({ port }: Way, hear: (message: In) => void): void {
  port.onmessage = ({ data }: MessageEvent<In>) => hear(data)
}

/** The owner's end, of one epoch. */
export function openOwnerLine<In, Out>(
  line: string,
  epoch: number,
  hear: (message: In) => void,
  meet: Meet,
): TabChannel<Out> {
  let way: Way | undefined
  const channel = openChannel<In & Spoken, Out | Turn>(line, (message) => {
    if (message.type !== 'direct') hear(message)
    else if (way && message.id === way.id) hearPort(way, hear)
  })
  const askNoMore = meet(
    { of: 'owner', line, epoch },
    {
      offered(next) {
        if (way) return next.port.close()
        channel.post({ type: 'direct', id: next.id })
        way = next
      },
      lost(id) {
        if (way?.id !== id) return
        way.port.close()
        way = undefined
        channel.post({ type: 'cut', id })
      },
    },
  )
  return {
    post: (message) => (way ? way.port.postMessage(message) : channel.post(message)),
    close() {
      askNoMore()
      channel.close()
      way?.port.close()
      way = undefined
    },
  }
}

/** The tab's end, for one owner after another. */
export function openTabLine<In, Out>(
  line: string,
  { alive, cut }: Omit<Extract<LineEnd, { of: 'tab' }>, 'of'>,
  hear: (message: In) => void,
  meet: Meet,
): TabChannel<Out> {
  const ways = new Map<string, Way>()
  /** The ports that owners have turned to, and those that they have given up. */
  const turned = new Set<string>()
  const givenUp = new Set<string>()
  let newest = 0
  let direct: Way | undefined
  let askNoMore: (() => void) | undefined

  const open = (id: string) => {
    const way = ways.get(id)
    if (!way || !turned.has(id)) return
    hearPort(way, hear)
    // An owner of before may still say something; it is told nothing any more.
    if (way.epoch < newest) return
    channel.post({ type: 'direct', id })
    direct = way
  }
  const offered = (way: Way) => {
    if (givenUp.has(way.id)) return way.port.close()
    ways.set(way.id, way)
    open(way.id)
  }
  const channel = openChannel<In & Spoken, Out | Turn>(line, (message) => {
    const { type, epoch = 0, id = '' } = message
    if (type === 'direct') {
      turned.add(id)
      return open(id)
    }
    if (type === 'cut') {
      givenUp.add(id)
      ways.get(id)?.port.close()
      if (direct?.id === id) direct = undefined
      return cut()
    }
    newest = Math.max(newest, epoch)
    // A new owner, with which there is no port yet.
    if (direct && epoch > direct.epoch) direct = undefined
    askNoMore ??= meet({ of: 'tab', line, alive }, { offered })
    hear(message)
  })
  return {
    post: (message) => (direct ? direct.port.postMessage(message) : channel.post(message)),
    close() {
      askNoMore?.()
      channel.close()
      for (const { port } of ways.values()) port.close()
    },
  }
}
