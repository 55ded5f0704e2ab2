// Stands before the bodies of requests where all books share one process. Invariant: nothing of a body is read for a token or
// key that opens nothing, no caller holds more bytes than its own share, and bodies are parsed in turn.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import { checkBearer, payerOf } from '../trust/admission.ts'
import { admitNoted, type WithinBook } from './answer-mirror.ts'
import type { BookEnd } from './book-end.ts'
import type { MirrorBook } from './mirror-book.ts'
import type { BodyGate, BodyPass, Presented } from './mirror-door.ts'

/** Bytes of bodies that one caller may have under way: some thirty of the largest. */
const mostBytes = 64_000_000
/** A refused body costs one request for each of so many bytes. */
const bytesOfRequest = 100_000
/** A body that is shorter is parsed within a millisecond, whatever is in it. */
const shortBytes = 20_000
/** Where books were erased, and of agents that no book knows, nobody is known before the body is read. */
const stranger = 'stranger'

/** Bytes of bodies under way, by caller, in one process. */
export class BodyBytes {
  readonly #most: number
  readonly #held = new Map<string, number>()

  constructor(most = mostBytes) {
    this.#most = most
  }

  hold(caller: string, bytes: number): void {
    const held = (this.#held.get(caller) ?? 0) + bytes
    if (held > this.#most)
      throw new DaybookError('rate-limited', 'This caller has too many bytes of requests under way.', {
        details: { retryAfterMs: 1000 },
      })
    this.#held.set(caller, held)
  }

  release(caller: string, bytes: number): void {
    const held = (this.#held.get(caller) ?? 0) - bytes
    if (held > 0) this.#held.set(caller, held)
    else this.#held.delete(caller)
  }
}

export interface BodyGateParts {
  readonly within: WithinBook
  readonly end: Pick<BookEnd, 'book' | 'tombstone'>
  readonly bytes: BodyBytes
  /** Waits until it is this caller's turn: see thread-turns.ts. */
  turn(book: string, caller: string): Promise<void>
}

/** The gate of one book. */
export function createBodyGate(parts: BodyGateParts): BodyGate {
  const { within, end } = parts
  return {
    async enter({ did, ...presented }, capability) {
      const { bearer, grant } = presented
      if (did === undefined && bearer === undefined) return passOf(parts, grant?.id ?? 'owner')
      if (bearer !== undefined) checkBearer(bearer)
      try {
        return await within(false, async (book) => {
          if (did === undefined) return passOf(parts, await payerIn(book, presented, capability), true)
          return passOf(parts, book.engine.audit.claimant({ signed: { did } })?.id ?? stranger)
        })
      } catch (error) {
        const isUnknown = isDaybookError(error, 'unauthorized') || isDaybookError(error, 'book-erased')
        // The signature, or the device whose book was erased, can be known by the body alone.
        if (!isUnknown || (did === undefined && !(await end.tombstone()))) throw error
        return passOf(parts, stranger)
      }
    },
  }
}

/** Lets the holder of a token or key in; answers who pays. */
async function payerIn(book: MirrorBook, presented: Presented, capability: string): Promise<string> {
  const isHere = await book.engine.admit(presented).then(
    () => true,
    () => false,
  )
  // Another process may have made the key a moment ago.
  if (!isHere) await book.follow?.()
  return payerOf(await admitNoted(book, presented, capability))
}

function passOf({ within, end, bytes, turn }: BodyGateParts, caller: string, isPaid = false): BodyPass {
  const name = caller === stranger ? stranger : JSON.stringify([end.book, caller])
  let held = 0
  return {
    isPaid,
    hold(count) {
      bytes.hold(name, count)
      held += count
    },
    turn: async () => {
      if (held > shortBytes) await turn(end.book, caller)
    },
    async refuse() {
      const cost = Math.floor(held / bytesOfRequest)
      if (cost === 0) return
      await within(false, async ({ rate }) => {
        for (let i = 0; i < cost; i++) await rate.spend(caller)
      }).catch((error: unknown) => {
        if (isDaybookError(error, 'rate-limited')) throw error
      })
    },
    end() {
      bytes.release(name, held)
      held = 0
    },
  }
}
