// The pool's transport over the line to the mirror, which relays messages between the devices of one book.
import type { PoolCarrier } from '../../core/pool.ts'
import type { Clock, Scheduler } from '../../core/ports.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { LiveLine } from '../../sync/device/live.ts'
import type { RelayedFrame } from '../../sync/wire/live-wire.ts'
import { ChannelCarrier } from '../../commons/pool/service/channel-carrier.ts'
import { defined } from '../../core/defined.ts'

export interface LineCarrier {
  readonly carrier: ChannelCarrier
  /** Sends over `line` from now on. */
  join(line: Pick<LiveLine, 'send'>): void
  /** `isOpen`: true if the line may carry envelopes now. */
  turned(isOpen: boolean): void
  hear(frame: RelayedFrame): void
}

/** The name of this transport, and of its cursor in the outbox. */
export const lineCarrierName = 'edge'
/**
 * Most frames a second: a third of the line's limit, because heartbeats, pokes and the meeting room use the line too.
 */
const framesPerSecond = 66

/** The pool's transports: the transports of the options and, with `poolLine` and a mirror, the line. */
export function waysOf({ poolLine = false, carrier, carriers = [], ports }: EngineOptions): {
  readonly line: LineCarrier | undefined
  readonly carriers: readonly PoolCarrier[]
} {
  const line = poolLine && carrier ? createLineCarrier(ports) : undefined
  return { line, carriers: line ? [...carriers, line.carrier] : carriers }
}

export function createLineCarrier(ports: {
  readonly clock: Clock
  readonly scheduler: Scheduler
}): LineCarrier {
  let line: Pick<LiveLine, 'send'> | undefined
  let isOpen = false
  const carrier = new ChannelCarrier({
    ...ports,
    name: lineCarrierName,
    maxFramesPerSecond: framesPerSecond,
    sendFrame: (data, to) => line?.send({ type: 'envelope', data, ...defined({ to }) }) ?? false,
  })
  return {
    carrier,
    join(joined) {
      line = joined
    },
    turned(is) {
      if (isOpen === is) return
      isOpen = is
      if (is) carrier.channelOpened()
      else carrier.channelClosed()
    },
    hear({ type, data, from }) {
      if (type === 'envelope') carrier.receive(data, from.device)
    },
  }
}
