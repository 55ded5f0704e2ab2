// The pool's way between the books of one origin: a BroadcastChannel that all of them are on, each under a name of its own.
import { TalkCarrier } from '../../../commons/pool/service/talk-carrier.ts'
import { toHex } from '../../../core/ids.ts'
import type { Ports } from '../../../core/ports.ts'
import { z } from 'zod'

export const tabCarrierName = 'tabs'
const channelName = 'daybook-pool'
/** Nobody counts here, but a flood of one book must leave the others time. */
const framesPerSecond = 2000

const said = z.object({ from: z.string().min(1), to: z.string().optional(), talk: z.unknown() })

/** A way to the other books of this origin that are open, in whichever tab. */
export function openTabCarrier({
  clock,
  scheduler,
  random,
}: Pick<Ports, 'clock' | 'scheduler' | 'random'>): TalkCarrier {
  const channel = new BroadcastChannel(channelName)
  const own = toHex(random.bytes(8))
  const carrier = new TalkCarrier({
    clock,
    scheduler,
    name: tabCarrierName,
    isOnePersons: true,
    perSecond: framesPerSecond,
    say(talk, to) {
      channel.postMessage({ from: own, to, talk })
      return true
    },
    close: () => channel.close(),
  })
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = said.safeParse(data).data
    if (message && (message.to === undefined || message.to === own)) carrier.hear(message.talk, message.from)
  })
  carrier.opened()
  return carrier
}
