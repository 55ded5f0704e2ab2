// Connects the pools of one origin's books over a BroadcastChannel; each open book has a random name on the
// channel.
import { ChannelCarrier } from '../../../commons/pool/service/channel-carrier.ts'
import { toHex } from '../../../core/ids.ts'
import type { Ports } from '../../../core/ports.ts'
import { z } from 'zod'

export const tabCarrierName = 'tabs'
const channelName = 'daybook-pool'
/** Most frames per second, so that one book can't take the time of the others. */
const framesPerSecond = 2000

/** `from`, `to`: names of books on the channel; without `to`, for all. `talk`: a `CarrierFrame`. */
const messageShape = z.object({ from: z.string().min(1), to: z.string().optional(), talk: z.unknown() })

/** Opens a pool carrier to the open books of this origin in all tabs. */
export function openTabCarrier({
  clock,
  scheduler,
  random,
}: Pick<Ports, 'clock' | 'scheduler' | 'random'>): ChannelCarrier {
  const channel = new BroadcastChannel(channelName)
  const own = toHex(random.bytes(8))
  const carrier = new ChannelCarrier({
    clock,
    scheduler,
    name: tabCarrierName,
    // All books of an origin belong to one person.
    servesOnePerson: true,
    maxFramesPerSecond: framesPerSecond,
    sendFrame(talk, to) {
      channel.postMessage({ from: own, to, talk })
      return true
    },
    close: () => channel.close(),
  })
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const message = messageShape.safeParse(data).data
    if (message && (message.to === undefined || message.to === own))
      carrier.receive(message.talk, message.from)
  })
  carrier.channelOpened()
  return carrier
}
