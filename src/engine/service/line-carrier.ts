// The pool's transport over the line to the mirror, which relays messages between the devices of one book.
import type { PoolCarrier } from '../../core/pool.ts'
import type { Clock, Scheduler } from '../../core/ports.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { LiveLine } from '../../sync/device/live.ts'
import type { RelayedFrame } from '../../sync/wire/live-wire.ts'
import { TalkCarrier } from '../../commons/pool/service/talk-carrier.ts'
import { defined } from '../../core/defined.ts'

export interface LineCarrier {
  readonly carrier: TalkCarrier
  /** The line exists. */
  join(line: Pick<LiveLine, 'say'>): void
  /** The line may carry envelopes now, or may not any more. */
  turned(isOpen: boolean): void
  hear(frame: RelayedFrame): void
}

/** The name of the outbox's cursor. */
export const lineCarrierName = 'edge'
/** A third of what a line carries at most: heartbeats, pokes and the meeting room need it too. */
const framesPerSecond = 66

/** The pool's transports: those of the options, and the line. */
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
  let line: Pick<LiveLine, 'say'> | undefined
  let isOpen = false
  const carrier = new TalkCarrier({
    ...ports,
    name: lineCarrierName,
    perSecond: framesPerSecond,
    say: (data, to) => line?.say({ type: 'envelope', data, ...defined({ to }) }) ?? false,
  })
  return {
    carrier,
    join(joined) {
      line = joined
    },
    turned(is) {
      if (isOpen === is) return
      isOpen = is
      if (is) carrier.opened()
      else carrier.gone()
    },
    hear({ type, data, from }) {
      if (type === 'envelope') carrier.hear(data, from.device)
    },
  }
}
