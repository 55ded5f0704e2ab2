// Sessions of exports and uploads, which take several calls.
// Invariant: only the caller that began a session finds it, a session ends after `idleMs` without a call, and no guest takes a
// place of the owner or of another guest. A name contains the engine that made it, so a lost engine differs from an end.
import { type Caller, topHolder } from '../../core/capability/caller.ts'
import type { Service } from '../../core/capability/chapter.ts'
import type { TransferSessions } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'

/** Longer than any pause of an active caller. */
const idleMs = 300_000
/** For a caller that missed the last answer. */
const finishedMs = 30_000
/** Each session may list the whole book. Delegates count with the guest at the top of their chain. */
const limits = { owner: 16, eachGuest: 4, guests: 16, finished: 16 } as const
/** Bytes of a name: the engine's, then the session's. */
const engineBytes = 4
const ownBytes = 16
const isName = (name: string) => new RegExp(`^[0-9a-f]{${2 * (engineBytes + ownBytes)}}$`).test(name)

interface Session {
  readonly value: object
  /** Only this caller finds it. */
  readonly caller: string
  /** The owner, or the guest that it counts for. */
  readonly holder: string
  isFinished: boolean
  readonly end: (() => void) | undefined
  cancel: () => void
}

export interface TransferSessionStore extends Service {
  of(caller: Caller): TransferSessions
  /** Drops all sessions without ending them: the engine closes. */
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
    of(from) {
      const isOwner = from.role === 'owner'
      const caller = isOwner ? 'owner' : `guest:${from.token}`
      const holder = isOwner ? 'owner' : `guest:${topHolder(from).agent}`
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
            throw new DaybookError(
              'owner-changed',
              'The engine with the first part of this has ended. Start again.',
            )
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
