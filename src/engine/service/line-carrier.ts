// The pool's transport over the line to the mirror, which relays messages between the devices of one book.
import type { PoolCarrier } from '../../core/pool.ts'
import type { Clock, Scheduler } from '../../core/ports.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { LiveLine } from '../../sync/device/live.ts'
import { frameLimits, type RelayedFrame } from '../../sync/wire/live-wire.ts'
import { ChannelCarrier } from '../../commons/pool/service/channel-carrier.ts'
import { defined } from '../../core/defined.ts'

export interface LineCarrier {
  readonly carrier: ChannelCarrier
  /** Sends over `line` from now on. */
  join(line: Pick<LiveLine, 'send'>): void
  /** True while the line is open for envelopes. */
  setOpen(isOpen: boolean): void
  receive(frame: RelayedFrame): void
}

/** The name of this transport, and of its cursor in the outbox. Stored, so don't change it. */
export const lineCarrierName = 'edge'
/** Most frames a second: two thirds of the line's rate. Heartbeats, pokes and the meeting room use the line too. */
const framesPerSecond = Math.floor((frameLimits.perSecond * 2) / 3)

/** The pool's transports: the transports of the options and, with `poolLine` and a mirror, the line. */
export function poolTransportsOf({
  poolLine = false,
  carrier: syncCarrier,
  carriers: poolCarriers = [],
  ports,
}: EngineOptions): {
  readonly line: LineCarrier | undefined
  readonly carriers: readonly PoolCarrier[]
} {
  const line = poolLine && syncCarrier ? createLineCarrier(ports) : undefined
  return { line, carriers: line ? [...poolCarriers, line.carrier] : poolCarriers }
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
    // False before the line is open, and on a line of version 1.
    sendFrame: (data, to) => line?.send({ type: 'envelope', data, ...defined({ to }) }) ?? false,
  })
  return {
    carrier,
    join(joined) {
      line = joined
    },
    setOpen(isOpenNow) {
      if (isOpen === isOpenNow) return
      isOpen = isOpenNow
      if (isOpen) carrier.channelOpened()
      else carrier.channelClosed()
    },
    receive({ type, data, from }) {
      if (type === 'envelope') carrier.receive(data, from.device)
    },
  }
}
