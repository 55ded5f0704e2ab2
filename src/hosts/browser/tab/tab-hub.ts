// Gives a tab and the owner of its book ports to each other, a shorter way than channels that all may hear. Runs in a
// SharedWorker, where there is one. Invariant: it hands ports over and knows nothing of what goes through them.
import type { HubMessage, HubRequest } from './tab-meet.ts'

interface Asked {
  readonly epoch: number
  readonly port: MessagePort
}

const homes = new Map<string, MessagePort>()
const asked = new Map<string, Asked>()

/** Held as long as this lives: nothing else tells those who are left. */
const lock = `daybook-hub:${crypto.randomUUID()}`
const held = new Promise<void>((resolve) => {
  void navigator.locks.request(lock, () => {
    resolve()
    return new Promise(() => undefined)
  })
})

const say = (port: MessagePort, message: HubMessage, ...ports: MessagePort[]) =>
  port.postMessage(message, ports)

function bringTogether(line: string): void {
  const home = homes.get(line)
  const owner = asked.get(line)
  if (!home || !owner) return
  asked.delete(line)
  const { port1, port2 } = new MessageChannel()
  const offer = { type: 'offer', line, epoch: owner.epoch, id: crypto.randomUUID() } as const
  say(home, offer, port1)
  say(owner.port, offer, port2)
}

function hear(port: MessagePort, request: HubRequest): void {
  const { line } = request
  if (request.of === 'tab') {
    homes.set(line, port)
    // Granted when the tab is gone.
    void navigator.locks.request(request.alive, () => {
      homes.delete(line)
      asked.delete(line)
    })
  } else if (request.epoch >= (asked.get(line)?.epoch ?? 0)) asked.set(line, { epoch: request.epoch, port })
  bringTogether(line)
}

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (!port) return
  port.onmessage = ({ data }: MessageEvent<HubRequest>) => hear(port, data)
  void held.then(() => say(port, { type: 'here', lock }))
})
