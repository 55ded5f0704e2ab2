// After a key was replaced, what lies under the old one is sealed anew in idle time, a few records at a time.
// Invariant: a key is dropped only when nothing here needs it and the mirror has what replaced it.
import type { BookEvents } from '../../core/capability/event.ts'
import type { Ports } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

const batch = 25
const stepMs = 20
/** Until the mirror is asked again whether it has everything. */
const mirrorMs = 1000

export interface ResealWork {
  /** Begins soon, where there is something to seal anew and a key to do it with. */
  wake(): void
  close(): void
}

export interface ResealWorkParts extends Pick<Ports, 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'resealing' | 'writes' | 'ops' | 'purge'>
  readonly keychain: Pick<Keychain, 'state' | 'keys' | 'keep' | 'pairOf' | 'lacking' | 'receive'>
  /** True when nothing can arrive any more that is sealed to an earlier public key. */
  readonly isSettled: () => boolean
  /** True when the book has a mirror that must have everything first. */
  readonly hasMirror: boolean
  readonly progress: (step: BookEvents['progress']) => void
}

export function createResealWork(parts: ResealWorkParts): ResealWork {
  const { store, keychain, hasMirror, scheduler, log } = parts
  const { resealing, writes, ops, purge } = store
  let closed = false
  let cancel: (() => void) | undefined
  let total = 0

  const progress = (done: number) =>
    parts.progress({ done, total, what: 'Sealed under the new key', capability: 'seal:rotate' })

  const workIn = (delayMs: number) => {
    if (closed || cancel || keychain.state() !== 'open' || !resealing.isBegun()) return
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      void step().catch((error: unknown) => {
        // A book that was closed or erased meanwhile goes on with it at its next opening, or never.
        if (!closed) log.warn('A record could not be sealed anew.', { error: String(error) })
      })
    })
  }

  const step = async () => {
    if (closed || keychain.state() !== 'open') return
    const lacking = keychain.lacking()
    const isMore = await writes.write(() => resealing.step(batch))
    if (lacking !== keychain.lacking()) {
      await keychain.receive()
      return workIn(stepMs)
    }
    if (isMore) {
      // The last step is told when the old key is gone.
      const left = Math.max(1, resealing.remaining())
      total = Math.max(total, left + batch)
      progress(total - left)
      return workIn(stepMs)
    }
    // What the mirror has not acknowledged would be lost there with the old key.
    if (hasMirror && (ops.pendingCount() > 0 || !parts.isSettled())) return workIn(mirrorMs)
    await dropUnneeded()
  }

  const dropUnneeded = async () => {
    const keys = keychain.keys()
    if (!keys) return
    const needed = resealing.needed()
    const isNeeded = (kid: string) =>
      kid === keys.current || needed.has(kid) || needed.has(keychain.pairOf(kid) ?? '')
    const secrets = new Map([...keys.secrets].filter(([kid]) => isNeeded(kid)))
    if (secrets.size < keys.secrets.size) await keychain.keep({ ...keys, secrets })
    await writes.write(() => resealing.end())
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
