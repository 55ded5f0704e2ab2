// Long work between the calls that carry it: an export being read, an upload being sent.
// Invariant: only the caller who began it finds it again, nothing stays after `idleMs` without a call, and no guest takes a
// place of the owner or of another guest. A name carries the engine that gave it, so a lost engine differs from an end.
import { type Caller, topHolder } from '../../core/capability/caller.ts'
import type { Service } from '../../core/capability/service.ts'
import type { TransferSessions } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'

/** Longer than any pause of a caller who is still there. */
const idleMs = 300_000
/** For a caller whom the last answer did not reach. */
const finishedMs = 30_000
/** Each session may have a list of the whole book. Delegates count with the guest that the owner let in. */
const limits = { owner: 16, eachGuest: 4, guests: 16, finished: 16 } as const
/** Bytes of a name: of the engine, then of the session. */
const engineBytes = 4
const ownBytes = 16
const isName = (name: string) => new RegExp(`^[0-9a-f]{${2 * (engineBytes + ownBytes)}}$`).test(name)

interface Session {
  readonly value: object
  /** Only this caller finds it. */
  readonly caller: string
  /** The owner, or the guest among whose sessions it counts. */
  readonly holder: string
  isFinished: boolean
  readonly end: (() => void) | undefined
  cancel: () => void
}

export interface TransferSessionStore extends Service {
  of(caller: Caller): TransferSessions
  /** Forgets everything, without ending it: the engine goes. */
  close(): void
}

export function createTransferSessions({
  random,
  scheduler,
}: Pick<Ports, 'random' | 'scheduler'>): TransferSessionStore {
  const sessions = new Map<string, Session>()
  const engine = toHex(random.bytes(engineBytes))
  const drop = (name: string) => {
    const session = sessions.get(name)
    if (!session) return
    sessions.delete(name)
    session.cancel()
    session.end?.()
  }
  const expire = (name: string, afterMs = idleMs) => scheduler.later(afterMs, () => drop(name))
  const finished = () => [...sessions].filter(([, { isFinished }]) => isFinished).map(([name]) => name)
  const checkPlace = (holder: string) => {
    const open = [...sessions.values()].filter(({ isFinished }) => !isFinished)
    const own = open.filter((session) => session.holder === holder).length
    const guests = open.filter((session) => session.holder !== 'owner').length
    const isFull =
      holder === 'owner' ? own >= limits.owner : own >= limits.eachGuest || guests >= limits.guests
    if (!isFull) return
    throw new DaybookError('rate-limited', `${own} of your exports and imports are not finished.`, {
      details: { retryAfterMs: idleMs },
    })
  }
  return {
    name: 'transfer sessions',
    of(asking) {
      const isOwner = asking.role === 'owner'
      const caller = isOwner ? 'owner' : `guest:${asking.token}`
      const holder = isOwner ? 'owner' : `guest:${topHolder(asking).agent}`
      const own = (name: string) => {
        const session = sessions.get(name)
        return session?.caller === caller ? session : undefined
      }
      return {
        keep(value, end) {
          checkPlace(holder)
          const name = engine + toHex(random.bytes(ownBytes))
          sessions.set(name, { value, caller, holder, isFinished: false, end, cancel: expire(name) })
          return name
        },
        finish(name) {
          const session = own(name)
          if (!session) return
          session.isFinished = true
          session.cancel()
          session.cancel = expire(name, finishedMs)
          for (const oldest of finished().slice(0, -limits.finished)) drop(oldest)
        },
        find(name) {
          if (isName(name) && !name.startsWith(engine)) {
            throw new DaybookError('owner-changed', 'What held the first part of this has ended.')
          }
          const session = own(name)
          if (!session) return undefined
          if (session.isFinished) return session.value
          session.cancel()
          session.cancel = expire(name)
          return session.value
        },
        drop(name) {
          if (own(name)) drop(name)
        },
      }
    },
    close() {
      for (const { cancel } of sessions.values()) cancel()
      sessions.clear()
    },
  }
}
