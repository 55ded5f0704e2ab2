// What long work keeps between the calls that carry it: an export being read, an upload being sent.
// Invariant: only the caller who began it finds it again, and nothing stays after `idleMs` without a call. Names say which
// engine gave them, so that what went with another one is told from what has ended.
import type { Caller } from '../../core/capability/capability.ts'
import type { Holdings } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'

/** Longer than any pause of a caller who is still there. */
const idleMs = 300_000
/** Each may hold a list of the whole book. */
const holdingLimit = 16
/** Bytes of a name: of the engine, then of the holding. */
const [engineBytes, ownBytes] = [4, 16]
const isName = (name: string) => new RegExp(`^[0-9a-f]{${2 * (engineBytes + ownBytes)}}$`).test(name)

interface Holding {
  readonly value: object
  readonly owner: string
  readonly end: (() => void) | undefined
  cancel: () => void
}

export interface HoldingStore {
  of(caller: Caller): Holdings
  /** Forgets everything, without ending it: the engine goes. */
  close(): void
}

export function createHoldings({ random, scheduler }: Pick<Ports, 'random' | 'scheduler'>): HoldingStore {
  const holdings = new Map<string, Holding>()
  const engine = toHex(random.bytes(engineBytes))
  const drop = (name: string) => {
    const holding = holdings.get(name)
    if (!holding) return
    holdings.delete(name)
    holding.cancel()
    holding.end?.()
  }
  const expire = (name: string) => scheduler.later(idleMs, () => drop(name))
  return {
    of(caller) {
      const owner = caller.role === 'owner' ? 'owner' : `guest:${caller.token}`
      const own = (name: string) => {
        const holding = holdings.get(name)
        return holding?.owner === owner ? holding : undefined
      }
      return {
        keep(value, end) {
          if (holdings.size >= holdingLimit) {
            throw new DaybookError('rate-limited', 'Too many exports and imports are going on.', {
              details: { retryAfterMs: idleMs },
            })
          }
          const name = engine + toHex(random.bytes(ownBytes))
          holdings.set(name, { value, owner, end, cancel: expire(name) })
          return name
        },
        find(name) {
          if (isName(name) && !name.startsWith(engine)) {
            throw new DaybookError('owner-changed', 'What held the first part of this has ended.')
          }
          const holding = own(name)
          if (!holding) return undefined
          holding.cancel()
          holding.cancel = expire(name)
          return holding.value
        },
        drop(name) {
          if (own(name)) drop(name)
        },
      }
    },
    close() {
      for (const { cancel } of holdings.values()) cancel()
      holdings.clear()
    },
  }
}
