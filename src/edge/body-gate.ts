// Limits request bodies on hosts where all books share one process.
// Invariant: no body is read for an unknown token or key (except at an erased book, whose devices lost their
// keys), no caller holds more bytes than its share, and bodies are parsed in turn.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import { assertBearerForm, quotaOwnerOf } from '../trust/admission.ts'
import { admitAndLog, throwForBearer, unknownCaller, type WithBook } from './mirror-service.ts'
import type { BookEraser } from './book-erasure.ts'
import type { MirrorBook, BodyGate, BodyPass, Credentials } from './mirror-door.ts'

/** Bytes of bodies that one caller may have in memory: fifteen of the largest, which have 4 MiB. */
const maxBytesPerCaller = 64_000_000
/** A refused body costs one request per this many bytes. */
const bytesPerCharge = 100_000
/** Shorter bodies are parsed without waiting for a turn: they take less than a millisecond. */
const maxUnqueuedBytes = 20_000

/** Bytes of bodies in memory, by caller, in one process. */
export class BodyMemory {
  readonly #maxBytes: number
  readonly #bytesByCaller = new Map<string, number>()

  constructor(maxBytes = maxBytesPerCaller) {
    this.#maxBytes = maxBytes
  }

  /** Counts bytes of a caller; throws `rate-limited` beyond its share. `release` counts them back. */
  reserve(caller: string, bytes: number): void {
    const total = (this.#bytesByCaller.get(caller) ?? 0) + bytes
    if (total > this.#maxBytes)
      throw new DaybookError(
        'rate-limited',
        'This caller has too many bytes of requests in progress. Send fewer at once.',
        {
          details: { retryAfterMs: 1000 },
        },
      )
    this.#bytesByCaller.set(caller, total)
  }

  release(caller: string, bytes: number): void {
    const total = (this.#bytesByCaller.get(caller) ?? 0) - bytes
    if (total > 0) this.#bytesByCaller.set(caller, total)
    else this.#bytesByCaller.delete(caller)
  }
}

export interface BodyGateDeps {
  /** The gate always passes false: it creates no book. */
  readonly withBook: WithBook
  readonly eraser: Pick<BookEraser, 'book' | 'tombstone'>
  readonly memory: BodyMemory
  /** Waits for this caller's turn: see thread-turns.ts. */
  waitForTurn(book: string, caller: string): Promise<void>
}

/** The gate of one book. */
export function createBodyGate(deps: BodyGateDeps): BodyGate {
  const { withBook, eraser } = deps
  return {
    async enter({ did, ...credentials }, capability) {
      const { bearer, grant } = credentials
      // Claims (`grant`) and the edge's key (no credentials: the owner) are verified already.
      if (did === undefined && bearer === undefined) return createPass(deps, grant?.id ?? 'owner')
      if (bearer !== undefined) assertBearerForm(bearer)
      try {
        return await withBook(false, async (book) => {
          if (did === undefined)
            return createPass(deps, await admitPayer(book, credentials, capability), { isPaid: true })
          const claimed = book.engine.audit.claimedCaller({ signed: { did } })?.id ?? unknownCaller
          // Nothing is proven yet: a stranger must not use up the rate of an agent that it names.
          return createPass(deps, claimed, { payer: unknownCaller })
        })
      } catch (error) {
        const isUnknown = isDaybookError(error, 'unauthorized') || isDaybookError(error, 'book-erased')
        // Not refused yet: the body has the signature, or the epoch that identifies a device of an erased book.
        if (!isUnknown || (did === undefined && !(await eraser.tombstone())))
          return throwForBearer(bearer)(error)
        return createPass(deps, unknownCaller)
      }
    },
  }
}

/** Admits the holder of a token or key, and charges it. Returns the caller whose quota the request uses. */
async function admitPayer(book: MirrorBook, credentials: Credentials, capability: string): Promise<string> {
  const isKnown = await book.engine.admit(credentials).then(
    () => true,
    () => false,
  )
  // Another process may just have made the key.
  if (!isKnown) await book.catchUp?.()
  return quotaOwnerOf(await admitAndLog(book, credentials, capability))
}

/**
 * `caller`: its bytes in memory and its turns are counted. `payer`: a refused body is charged to it. `isPaid`: this
 * request was charged to `caller` at admission.
 */
function createPass(
  { withBook, eraser, memory, waitForTurn }: BodyGateDeps,
  caller: string,
  { payer = caller, isPaid = false }: { readonly payer?: string; readonly isPaid?: boolean } = {},
): BodyPass {
  // Unknown callers of all books share one allowance, so more book names give them no more memory.
  const memoryKey = caller === unknownCaller ? unknownCaller : JSON.stringify([eraser.book, caller])
  let reserved = 0
  return {
    isPaid,
    reserve(byteCount) {
      memory.reserve(memoryKey, byteCount)
      reserved += byteCount
    },
    waitForTurn: async () => {
      if (reserved > maxUnqueuedBytes) await waitForTurn(eraser.book, caller)
    },
    async chargeRefusal() {
      const cost = Math.floor(reserved / bytesPerCharge)
      if (cost === 0) return
      await withBook(false, async ({ rate }) => {
        for (let i = 0; i < cost; i++) await rate.charge(payer)
      }).catch((error: unknown) => {
        // The caller gets the error of the refused body, not that of a missing book.
        if (isDaybookError(error, 'rate-limited')) throw error
      })
    },
    release() {
      memory.release(memoryKey, reserved)
      reserved = 0
    },
  }
}
