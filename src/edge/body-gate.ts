// Limits request bodies on hosts where all books share one process.
// Invariant: no body is read for an unknown token or key, no caller holds more bytes than its share, and bodies
// are parsed in turn.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import { assertBearerForm, quotaOwnerOf } from '../trust/admission.ts'
import { admitAudited, type WithinBook } from './answer-mirror.ts'
import type { BookEnd } from './book-end.ts'
import type { MirrorBook, BodyGate, BodyPass, Presented } from './mirror-door.ts'

/** Bytes of bodies that one caller may have in memory: some thirty of the largest. */
const mostBytes = 64_000_000
/** A refused body costs one request per this many bytes. */
const bytesOfRequest = 100_000
/** Shorter bodies take less than a millisecond to parse. */
const shortBytes = 20_000
/** Payer of all requests whose caller only the body can tell. */
const stranger = 'stranger'

/** Bytes of bodies in memory, by caller, in one process. */
export class BodyBytes {
  readonly #most: number
  readonly #held = new Map<string, number>()

  constructor(most = mostBytes) {
    this.#most = most
  }

  hold(caller: string, bytes: number): void {
    const held = (this.#held.get(caller) ?? 0) + bytes
    if (held > this.#most)
      throw new DaybookError(
        'rate-limited',
        'This caller has too many bytes of requests in progress. Send fewer at once.',
        {
          details: { retryAfterMs: 1000 },
        },
      )
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
  /** Waits for this caller's turn: see thread-turns.ts. */
  turn(book: string, caller: string): Promise<void>
}

/** The gate of one book. */
export function createBodyGate(parts: BodyGateParts): BodyGate {
  const { within, end } = parts
  return {
    async enter({ did, ...presented }, capability) {
      const { bearer, grant } = presented
      if (did === undefined && bearer === undefined) return passOf(parts, grant?.id ?? 'owner')
      if (bearer !== undefined) assertBearerForm(bearer)
      try {
        return await within(false, async (book) => {
          if (did === undefined) return passOf(parts, await payerIn(book, presented, capability), true)
          return passOf(parts, book.engine.audit.claimedCaller({ signed: { did } })?.id ?? stranger)
        })
      } catch (error) {
        const isUnknown = isDaybookError(error, 'unauthorized') || isDaybookError(error, 'book-erased')
        // Not an error yet: the body names who signed it, or the device of an erased book.
        if (!isUnknown || (did === undefined && !(await end.tombstone()))) throw error
        return passOf(parts, stranger)
      }
    },
  }
}

/** Admits the holder of a token or key; answers the payer. */
async function payerIn(book: MirrorBook, presented: Presented, capability: string): Promise<string> {
  const isHere = await book.engine.admit(presented).then(
    () => true,
    () => false,
  )
  // Another process may just have made the key.
  if (!isHere) await book.follow?.()
  return quotaOwnerOf(await admitAudited(book, presented, capability))
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
