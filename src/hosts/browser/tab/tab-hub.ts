// Runs in a SharedWorker. Gives a tab and the owner of its book a port to each other, which is faster than a
// channel.
// Invariant: it hands over ports and never sees their messages.
import type { HubMessage, HubRequest } from './hub-client.ts'

interface OwnerPort {
  readonly epoch: number
  readonly port: MessagePort
}

/** Ports to the tabs, and to owners that wait for a port to a tab, by the name of the tab's line. */
const tabs = new Map<string, MessagePort>()
const owners = new Map<string, OwnerPort>()

/** The hub holds this lock while it lives. Its clients detect its end by this lock only. */
const lock = `daybook-hub:${crypto.randomUUID()}`
const held = new Promise<void>((resolve) => {
  void navigator.locks.request(lock, () => {
    resolve()
    return new Promise(() => undefined)
  })
})

const send = (port: MessagePort, message: HubMessage, ...ports: MessagePort[]) =>
  port.postMessage(message, ports)

/** Gives both ends of the line a port, if both have requested one. */
function offerPorts(line: string): void {
  const tab = tabs.get(line)
  const owner = owners.get(line)
  if (!tab || !owner) return
  // Each request of an owner gets one port.
  owners.delete(line)
  const { port1, port2 } = new MessageChannel()
  const offer = { type: 'offer', line, epoch: owner.epoch, id: crypto.randomUUID() } as const
  send(tab, offer, port1)
  send(owner.port, offer, port2)
}

function hear(port: MessagePort, request: HubRequest): void {
  const { line } = request
  if (request.of === 'tab') {
    tabs.set(line, port)
    // The lock is granted when the tab has ended.
    void navigator.locks.request(request.alive, () => {
      tabs.delete(line)
      owners.delete(line)
    })
  } else if (request.epoch >= (owners.get(line)?.epoch ?? 0)) owners.set(line, { epoch: request.epoch, port })
  offerPorts(line)
}

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<HubRequest>) => hear(port, data)
  void held.then(() => send(port, { type: 'here', lock }))
})
