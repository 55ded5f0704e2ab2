// What long work keeps between the calls that carry it: an export being read, an upload being sent.
// Invariant: only the caller who began it finds it again, and nothing stays after `idleMs` without a call. Names say which
// engine gave them, so that what went with another one is told from what has ended.
import type { Caller } from '../../core/capability/caller.ts'
import type { Service } from '../../core/capability/service.ts'
import type { TransferSessions } from '../../core/capability/transfer.ts'
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'

/** Longer than any pause of a caller who is still there. */
const idleMs = 300_000
/** Each may hold a list of the whole book. */
const sessionLimit = 16
/** Bytes of a name: of the engine, then of the session. */
const engineBytes = 4
const ownBytes = 16
const isName = (name: string) => new RegExp(`^[0-9a-f]{${2 * (engineBytes + ownBytes)}}$`).test(name)

interface Session {
  readonly value: object
  readonly owner: string
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
  const expire = (name: string) => scheduler.later(idleMs, () => drop(name))
  return {
    name: 'transfer sessions',
    of(caller) {
      const owner = caller.role === 'owner' ? 'owner' : `guest:${caller.token}`
      const own = (name: string) => {
        const session = sessions.get(name)
        return session?.owner === owner ? session : undefined
      }
      return {
        keep(value, end) {
          if (sessions.size >= sessionLimit) {
            throw new DaybookError('rate-limited', 'Too many exports and imports are going on.', {
              details: { retryAfterMs: idleMs },
            })
          }
          const name = engine + toHex(random.bytes(ownBytes))
          sessions.set(name, { value, owner, end, cancel: expire(name) })
          return name
        },
        find(name) {
          if (isName(name) && !name.startsWith(engine)) {
            throw new DaybookError('owner-changed', 'What held the first part of this has ended.')
          }
          const session = own(name)
          if (!session) return undefined
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
