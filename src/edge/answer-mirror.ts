// What every mirror answers to whoever comes over HTTP, on any host: who it is, at what cost, and what it may ask.
// Invariant: nothing is read or written for a caller who was not let in, and each request costs one of the caller's rate.
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mirror } from '../sync/mirror/mirror.ts'
import type { TicketRequest } from '../sync/wire/live-wire.ts'
import { type SyncReach, syncReachOf } from '../sync/wire/sync-reach.ts'
import { type Admitted, checkBearer, type Standing, standingOf } from '../trust/admission.ts'
import type { Listener } from './line.ts'
import { noLines, ticketMs } from './live-lines.ts'
import { checkPurpose } from './line-right.ts'
import type { MirrorDoor, Presented } from './mirror-door.ts'
import { type Outcome, toOutcome } from './outcome.ts'

/** One book as its host has it open. */
export interface MirrorBook {
  readonly engine: Pick<Engine, 'admit' | 'call' | 'check' | 'store'>
  /** Absent while newer code has written the book: it is read only. */
  readonly mirror: Pick<Mirror, 'exchange'> | undefined
  readonly rate: {
    /** Takes one request out of the caller's bucket, or throws `rate-limited`. */
    spend(caller: string): void | Promise<void>
  }
  /** Reads what others have written since, where the truth of this book lies elsewhere. */
  follow?(): Promise<void>
  /** A device has synced; `cursor` is how far it has read once it has read everything, else undefined. */
  synced(device: string, cursor: number | undefined): void
  /** The lines of this book, where its host has lines. */
  readonly lines?: BookLines
}

interface BookLines {
  /** Throws `unauthorized` once the caller's key, token or claims have ended, `rate-limited` with too many lines. */
  admit(standing: Standing): void | Promise<void>
  /** A ticket that opens one line of `listener`. */
  give(listener: Listener): string | Promise<string>
}

/**
 * Runs `work` on the book as it is now. With `mayMake` a book that is not there yet is made; without, whoever asks for one
 * is `unauthorized`.
 */
export type WithinBook = <Result>(
  mayMake: boolean,
  work: (book: MirrorBook) => Promise<Result>,
) => Promise<Result>

/** The agent that is named when a caller over HTTP stores something and names none. */
export const edgeAgent = 'edge'

const reason = 'Token not found'
export const unknownToken = () => new DaybookError('unauthorized', `${reason}.`, { details: { reason } })

/** Strangers pay from one bucket together: none of them empties another's. */
const stranger = 'stranger'

async function admit({ engine, rate }: MirrorBook, presented: Presented): Promise<Admitted> {
  let admitted: Admitted
  try {
    admitted = await engine.admit(presented)
  } catch (error) {
    if (isDaybookError(error, 'unauthorized')) await rate.spend(stranger)
    throw error
  }
  await rate.spend(admitted.id)
  return admitted
}

/** How far the caller's sync goes; `forbidden` when it may not sync at all. */
function syncReach({ engine }: MirrorBook, { caller }: Admitted): SyncReach | undefined {
  engine.check('daybook:sync', caller)
  return syncReachOf(caller, engine.store.kinds)
}

async function exchange(book: MirrorBook, admitted: Admitted, request: string): Promise<string> {
  if (!book.mirror) throw book.engine.store.newer?.error()
  const { text, device, cursor, more } = await book.mirror.exchange(request, syncReach(book, admitted))
  book.synced(device, more ? undefined : cursor)
  return text
}

async function giveTicket(book: MirrorBook, admitted: Admitted, { device, for: purposes }: TicketRequest) {
  if (!book.lines) throw noLines()
  const { caller } = admitted
  for (const purpose of purposes ?? (['sync'] as const)) {
    if (purpose === 'sync') book.engine.check('daybook:sync', caller)
    else checkPurpose(purpose, caller)
  }
  const reach = syncReachOf(caller, book.engine.store.kinds)
  const standing = standingOf(admitted)
  await book.lines.admit(standing)
  const listener: Listener = {
    device,
    standing,
    ...(purposes ? { purposes } : {}),
    ...(reach ? { kinds: reach.pulled } : {}),
    ...(caller.role === 'guest' ? { agent: caller.agent } : {}),
  }
  return { ticket: await book.lines.give(listener), expires_in_ms: ticketMs }
}

/** The mirror of one book, which its host opens with `within`. Errors are answers: see outcome.ts. */
export function answerMirror(within: WithinBook): MirrorDoor {
  const answer = <Result>(
    presented: Presented,
    work: (book: MirrorBook, admitted: Admitted) => Result | Promise<Result>,
  ): Promise<Outcome<Result>> =>
    toOutcome(() => {
      const { bearer } = presented
      const isStranger = bearer !== undefined
      if (isStranger) checkBearer(bearer)
      // A stranger with a token makes no book.
      return within(!isStranger, async (book) => {
        if (isStranger) await book.follow?.()
        return work(book, await admit(book, presented))
      })
    })

  return {
    admit: (id, presented) => answer(presented, ({ engine }, { caller }) => engine.check(id, caller)),
    exchange: (request, presented = {}) =>
      answer(presented, (book, admitted) => exchange(book, admitted, request)),
    ticket: (asked, presented) => answer(presented, (book, admitted) => giveTicket(book, admitted, asked)),
    call: (id, input, { requestId, ...presented }) =>
      answer(presented, async (book, { caller }) => {
        await book.follow?.()
        return book.engine.call(id, input, requestId === undefined ? { caller } : { caller, requestId })
      }),
  }
}
