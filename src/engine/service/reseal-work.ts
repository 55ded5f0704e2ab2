// After a key was replaced, seals the records under the old key again, a few at a time.
// Invariant: a key is dropped only when no record and no entry of the activity log here needs the key, and the mirror has the
// resealed records.
import type { BookEvents } from '../../core/capability/event.ts'
import type { Ports } from '../../core/ports.ts'
import { resealBatch } from '../../store/activity/activity-log.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

const batch = 25
const stepMs = 20
/** Delay between two checks whether the mirror has every resealed record. */
const mirrorMs = 1000
/** Delay after a step that failed. */
const retryMs = 60_000

export interface ResealWork {
  /** Starts soon, if there are records to reseal and the keys are open. */
  wake(): void
  close(): void
}

export interface ResealWorkParts extends Pick<Ports, 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'resealing' | 'activity' | 'writes' | 'ops' | 'purge'>
  readonly keychain: Pick<
    Keychain,
    'state' | 'current' | 'changeKeys' | 'pairIdOf' | 'missingKeyCount' | 'receiveRequestedKeys'
  >
  /** True when no record sealed to an earlier public key can arrive. */
  readonly isSettled: () => boolean
  /** True: the book has a mirror, which must have every resealed record before the old key is dropped. */
  readonly hasMirror: boolean
  readonly progress: (step: BookEvents['progress']) => void
}

export function createResealWork(parts: ResealWorkParts): ResealWork {
  const { store, keychain, hasMirror, scheduler, log } = parts
  const { resealing, activity, writes, ops, purge } = store
  let closed = false
  let cancel: (() => void) | undefined
  let total = 0

  const progress = (done: number) =>
    parts.progress({ done, total, subject: 'Sealed under the new key', capability: 'seal:rotate' })

  const workIn = (delayMs: number) => {
    if (closed || cancel || keychain.state() !== 'open' || !resealing.isBegun()) return
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      void step().catch((error: unknown) => {
        // After a close, the next opening continues.
        if (closed) return
        log.warn('A record could not be sealed again.', { error: String(error) })
        workIn(retryMs)
      })
    })
  }

  const step = async () => {
    if (closed || keychain.state() !== 'open') return
    const current = keychain.current()
    const missingKeys = keychain.missingKeyCount()
    const isMore = await writes.write(() => resealing.step(batch) || (activity?.reseal(resealBatch) ?? 0) > 0)
    // The step met records whose keys must be received first.
    if (missingKeys !== keychain.missingKeyCount()) {
      await keychain.receiveRequestedKeys()
      return workIn(stepMs)
    }
    if (isMore) {
      // The last step is reported when the old key is dropped.
      const pending = Math.max(1, resealing.remainingCount())
      total = Math.max(total, pending + batch)
      progress(total - pending)
      return workIn(stepMs)
    }
    // Records that the mirror has not confirmed would be lost with the old key.
    if (hasMirror && (ops.pendingCount() > 0 || !parts.isSettled())) return workIn(mirrorMs)
    await dropUnneeded(current)
  }

  /** Drops the keys that nothing needs. If `current` is no longer the current key, another step follows. */
  const dropUnneeded = async (current: string | undefined) => {
    await keychain.changeKeys((keys) => {
      if (!keys || keys.current !== current) return undefined
      const needed = resealing.neededKeyIds()
      const isNeeded = (kid: string) =>
        kid === current || needed.has(kid) || needed.has(keychain.pairIdOf(kid) ?? '')
      const secrets = new Map([...keys.secrets].filter(([kid]) => isNeeded(kid)))
      return secrets.size < keys.secrets.size ? { ...keys, secrets } : undefined
    })
    const isEnded = await writes.write(() => {
      if (keychain.current() !== current) return false
      resealing.end()
      return true
    })
    if (!isEnded) return workIn(stepMs)
    purge.scrub()
    progress(total)
    total = 0
  }

  return {
    wake: () => workIn(stepMs),
    close() {
      closed = true
      cancel?.()
    },
  }
}
