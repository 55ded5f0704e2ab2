// Asks the hub of this origin for a port between the two ends of a line.
// Invariant: without a hub no request fails, and no port is offered. When the hub ends, the client withdraws
// its ports and asks the next hub.

/**
 * Message to the hub. `line`: name of the line of a tab (`lineName`). `tab`: the tab of this line exists
 * while it holds the lock `alive`. `owner`: the owner of this epoch wants a port to that tab.
 */
export type HubRequest =
  | { readonly of: 'tab'; readonly line: string; readonly alive: string }
  | { readonly of: 'owner'; readonly line: string; readonly epoch: number }

/**
 * Message from the hub. `here`: the hub holds this lock while it lives. `offer`: one port of a pair; both
 * ends get the same id.
 */
export type HubMessage =
  | { readonly type: 'here'; readonly lock: string }
  | { readonly type: 'offer'; readonly line: string; readonly epoch: number; readonly id: string }

/** A port that the hub offers to one end. */
export interface PortOffer {
  readonly id: string
  readonly epoch: number
  readonly port: MessagePort
}

export interface OfferListener {
  /** Called once for each owner, and once more for each later hub. */
  readonly offered: (offer: PortOffer) => void
  /** Messages on the port `id` may be lost, because the hub that made the port has ended. */
  readonly lost?: (id: string) => void
}

/** Asks the hub for ports. Returns a function that withdraws the request. */
export type HubClient = (request: HubRequest, listener: OfferListener) => () => void

export interface HubClientOptions {
  /** Gets a port to the hub from the page; undefined without a hub. */
  readonly getHub: () => Promise<MessagePort | undefined>
  /** Resolves when no worker holds this lock. */
  readonly ended: (lock: string) => Promise<void>
}

export function createHubClient({ getHub, ended }: HubClientOptions): HubClient {
  const requests = new Map<string, { readonly request: HubRequest; readonly listener: OfferListener }>()
  let hub: Promise<MessagePort | undefined> | undefined

  const join = async () => {
    const port = await getHub()
    if (!port) return undefined
    const offers: { readonly id: string; readonly listener: OfferListener }[] = []
    const watch = async (lock: string) => {
      await ended(lock)
      hub = undefined
      for (const { id, listener } of offers) listener.lost?.(id)
      for (const { request } of requests.values()) ask(request)
    }
    port.onmessage = ({ data, ports: [offered] }: MessageEvent<HubMessage>) => {
      if (data.type === 'here') return void watch(data.lock)
      const { line, epoch, id } = data
      const { listener } = requests.get(`owner ${line} ${epoch}`) ?? requests.get(`tab ${line}`) ?? {}
      if (!listener || !offered) return offered?.close()
      offers.push({ id, listener })
      listener.offered({ id, epoch, port: offered })
    }
    return port
  }
  const ask = (request: HubRequest) => {
    hub ??= join().catch(() => undefined)
    void hub.then((port) => port?.postMessage(request))
  }

  return (request, listener) => {
    const key = request.of === 'owner' ? `owner ${request.line} ${request.epoch}` : `tab ${request.line}`
    requests.set(key, { request, listener })
    ask(request)
    return () => void requests.delete(key)
  }
}
