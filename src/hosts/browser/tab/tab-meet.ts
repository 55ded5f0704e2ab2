// How the two ends of a line come by a port of their own: both ask a hub that pages of this site share.
// Invariant: without a hub nothing is offered and nothing fails; when it ends, what it gave is taken back and the next is asked.

/** To the hub: the tab of this line is here, as long as it holds that lock; or the owner of an epoch would like to meet it. */
export type HubRequest =
  | { readonly of: 'tab'; readonly line: string; readonly alive: string }
  | { readonly of: 'owner'; readonly line: string; readonly epoch: number }

/** From the hub: what it holds as long as it lives; or with a port, whose twin the other end is offered under the same id. */
export type HubMessage =
  | { readonly type: 'here'; readonly lock: string }
  | { readonly type: 'offer'; readonly line: string; readonly epoch: number; readonly id: string }

/** What the hub offers to one end. */
export interface Way {
  readonly id: string
  readonly epoch: number
  readonly port: MessagePort
}

export interface Asker {
  /** A way: for a tab one to each owner, for an owner one; and others when the hub that gave those has ended. */
  readonly offered: (way: Way) => void
  /** What goes that way may be lost: a port that changed hands may be cut when the process ends through which it went. */
  readonly lost?: (id: string) => void
}

/** Asks the hub. Returns a function that asks no more. */
export type Meet = (request: HubRequest, asker: Asker) => () => void

export interface MeetOptions {
  /** The page's way to the hub, if it has one. */
  readonly getHub: () => Promise<MessagePort | undefined>
  /** Resolves when nobody holds this lock of the origin any more. */
  readonly ended: (lock: string) => Promise<void>
}

export function createMeet({ getHub, ended }: MeetOptions): Meet {
  const asking = new Map<string, { readonly request: HubRequest; readonly asker: Asker }>()
  let hub: Promise<MessagePort | undefined> | undefined

  const join = async () => {
    const port = await getHub()
    if (!port) return undefined
    const given: { readonly id: string; readonly asker: Asker }[] = []
    const watch = async (lock: string) => {
      await ended(lock)
      hub = undefined
      for (const { id, asker } of given) asker.lost?.(id)
      for (const { request } of asking.values()) ask(request)
    }
    port.onmessage = ({ data, ports: [offered] }: MessageEvent<HubMessage>) => {
      if (data.type === 'here') return void watch(data.lock)
      const { line, epoch, id } = data
      const { asker } = asking.get(`owner ${line} ${epoch}`) ?? asking.get(`tab ${line}`) ?? {}
      if (!asker || !offered) return offered?.close()
      given.push({ id, asker })
      asker.offered({ id, epoch, port: offered })
    }
    return port
  }
  const ask = (request: HubRequest) => {
    hub ??= join().catch(() => undefined)
    void hub.then((port) => port?.postMessage(request))
  }

  return (request, asker) => {
    const key = request.of === 'owner' ? `owner ${request.line} ${request.epoch}` : `tab ${request.line}`
    asking.set(key, { request, asker })
    ask(request)
    return () => void asking.delete(key)
  }
}
