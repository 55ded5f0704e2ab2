// Sessions of exports and uploads, which take several calls.
// Invariant: only the caller that began a session finds it, a session ends after `idleMs` without a call, and guests
// take no session from the owner's limit. A session's name begins with the id of its engine, so `find` distinguishes
// a session of an ended engine from an ended session.
import { type Caller, topHolder } from '../../core/capability/caller.ts'
import type { Service } from '../../core/capability/chapter.ts'
import type { TransferSessions } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'

/** A session without a call for this time ends: longer than any pause of an active caller. */
const idleMs = 300_000
/** A finished session is kept for this time, for a caller that missed the last answer. */
const finishedMs = 30_000
/**
 * Most sessions at a time: each may list the whole book. A delegate counts with the guest at the top of its chain.
 */
const limits = { owner: 16, eachGuest: 4, guests: 16, finished: 16 } as const
/** Bytes of a session's name: first the id of the engine, then the id of the session. */
const engineBytes = 4
const ownBytes = 16
const isName = (name: string) => new RegExp(`^[0-9a-f]{${2 * (engineBytes + ownBytes)}}$`).test(name)

interface Session {
  readonly value: object
  /** Only this caller finds the session. */
  readonly caller: string
  /** `owner`, or the guest whose limit the session counts against. */
  readonly holder: string
  /** True after `finish`: it counts against no limit of open sessions. */
  isFinished: boolean
  readonly end: (() => void) | undefined
  cancel: () => void
}

export interface TransferSessionStore extends Service {
  of(caller: Caller): TransferSessions
  /** Drops all sessions without calling their `end`. Call it only when the engine closes. */
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
