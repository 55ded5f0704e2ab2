// Asks the hub that pages of this site share for a port between the two ends of a line.
// Invariant: without a hub nobody is offered a port and nothing fails; when the hub ends, its ports are taken back and the
// next hub is asked.

/** To the hub: the tab of this line is here, as long as it holds that lock; or the owner of an epoch wants a port to it. */
export type HubRequest =
  | { readonly of: 'tab'; readonly line: string; readonly alive: string }
  | { readonly of: 'owner'; readonly line: string; readonly epoch: number }

/**
 * From the hub: the lock that it holds as long as it lives; or a port, whose twin it offers to the other end under the same
 * id.
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
  /** A tab is offered one port to each owner, an owner one; and others when the hub that gave those has ended. */
  readonly offered: (offer: PortOffer) => void
  /** What goes through that port may be lost: it may be cut when the process ends through which it was handed over. */
  readonly lost?: (id: string) => void
}

/** Asks the hub for ports. Returns a function that asks no more. */
export type HubClient = (request: HubRequest, listener: OfferListener) => () => void

export interface HubClientOptions {
  /** The page's way to the hub, if it has one. */
  readonly getHub: () => Promise<MessagePort | undefined>
  /** Resolves when nobody holds this lock of the origin any more. */
  readonly ended: (lock: string) => Promise<void>
}

export function createHubClient({ getHub, ended }: HubClientOptions): HubClient {
  const asking = new Map<string, { readonly request: HubRequest; readonly listener: OfferListener }>()
  let hub: Promise<MessagePort | undefined> | undefined

  const join = async () => {
    const port = await getHub()
    if (!port) return undefined
    const given: { readonly id: string; readonly listener: OfferListener }[] = []
    const watch = async (lock: string) => {
      await ended(lock)
      hub = undefined
      for (const { id, listener } of given) listener.lost?.(id)
      for (const { request } of asking.values()) ask(request)
    }
    port.onmessage = ({ data, ports: [offered] }: MessageEvent<HubMessage>) => {
      if (data.type === 'here') return void watch(data.lock)
      const { line, epoch, id } = data
      const { listener } = asking.get(`owner ${line} ${epoch}`) ?? asking.get(`tab ${line}`) ?? {}
      if (!listener || !offered) return offered?.close()
      given.push({ id, listener })
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
    asking.set(key, { request, listener })
    ask(request)
    return () => void asking.delete(key)
  }
}
