// What every mirror answers to whoever comes over HTTP, on any host: who it is, at what cost, and what it may ask.
// Invariant: nothing is read or written for a caller who was not let in, and each request costs one of the caller's rate.
import type { Accessor } from '../core/capability/access-log.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../core/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { accessorOf, nobody } from '../engine/service/access-audit.ts'
import type { Mirror, TakenOps } from '../sync/mirror/mirror.ts'
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
  readonly engine: Pick<Engine, 'admit' | 'audit' | 'call' | 'check' | 'store'>
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

/** Lets somebody in; who is not let in, or asks too much, is written down as far as somebody is known. */
async function admitNoted(book: MirrorBook, presented: Presented, capability: string): Promise<Admitted> {
  try {
    return await admit(book, presented)
  } catch (error) {
    const { audit } = book.engine
    const isOwner = presented.bearer === undefined && presented.grant === undefined
    const outcome = toDaybookError(error).code
    if (!isOwner) audit.note({ who: audit.claimant(presented) ?? nobody, capability, outcome })
    throw error
  }
}

/** How far the caller's sync goes; `forbidden` when it may not sync at all. */
function syncReach({ engine }: MirrorBook, { caller }: Admitted): SyncReach | undefined {
  engine.check('daybook:sync', caller)
  return syncReachOf(caller, engine.store.kinds)
}

async function exchange(book: MirrorBook, admitted: Admitted, request: string): Promise<string> {
  if (!book.mirror) throw book.engine.store.newer?.error()
  const { audit } = book.engine
  const isGuest = admitted.caller.role === 'guest'
  // What an owner's device only fetches is no write, and a row for each look of a guest's would cost a commit of its own.
  const noteTaken = (taken: TakenOps) => {
    const isInside = taken.count > 0
    if (isGuest || isInside)
      audit.note({ who: whoIs(admitted), capability: syncId, outcome: 'ok', ...taken, isInside })
  }
  const { text, device, cursor, more } = await book.mirror.exchange(
    request,
    syncReach(book, admitted),
    noteTaken,
  )
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

const syncId = 'daybook:sync'

/** Who was let in, for the log of access. */
function whoIs({ caller, id }: Admitted): Accessor {
  return { ...accessorOf(caller, edgeAgent), ...(id === 'owner' ? {} : { id }) }
}

/** Runs `work` for somebody who was let in, and writes down what came of it, unless that is the owner. */
async function noted<Result>(
  { engine: { audit } }: MirrorBook,
  admitted: Admitted,
  { capability, isNotedWell }: Noting,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const note = (outcome: string) => {
    if (admitted.caller.role === 'guest') audit.note({ who: whoIs(admitted), capability, outcome })
  }
  try {
    const result = await work()
    if (isNotedWell) note('ok')
    return result
  } catch (error) {
    note(toDaybookError(error).code)
    throw error
  }
}

interface Noting {
  readonly capability: string
  /** False where what goes well is written down by what does it. */
  readonly isNotedWell: boolean
}

/** The mirror of one book, which its host opens with `within`. Errors are answers: see outcome.ts. */
export function answerMirror(within: WithinBook): MirrorDoor {
  const answer = <Result>(
    presented: Presented,
    capability: string,
    work: (book: MirrorBook, admitted: Admitted) => Result | Promise<Result>,
  ): Promise<Outcome<Result>> =>
    toOutcome(() => {
      const { bearer } = presented
      const isStranger = bearer !== undefined
      if (isStranger) checkBearer(bearer)
      // A stranger with a token makes no book.
      return within(!isStranger, async (book) => {
        if (isStranger) await book.follow?.()
        return work(book, await admitNoted(book, presented, capability))
      })
    })
  const beside = <Result>(
    presented: Presented,
    noting: Noting,
    work: (book: MirrorBook, admitted: Admitted) => Result | Promise<Result>,
  ) =>
    answer(presented, noting.capability, (book, admitted) =>
      noted(book, admitted, noting, () => work(book, admitted)),
    )

  return {
    admit: (id, presented) =>
      beside(presented, { capability: id, isNotedWell: true }, ({ engine }, { caller }) =>
        engine.check(id, caller),
      ),
    exchange: (request, presented = {}) =>
      beside(presented, { capability: syncId, isNotedWell: false }, (book, admitted) =>
        exchange(book, admitted, request),
      ),
    ticket: (asked, presented) =>
      beside(presented, { capability: syncId, isNotedWell: true }, (book, admitted) =>
        giveTicket(book, admitted, asked),
      ),
    call: (id, input, { requestId, purpose, ...presented }) =>
      answer(presented, id, async (book, { caller }) => {
        await book.follow?.()
        return book.engine.call(id, input, {
          caller,
          ...(requestId === undefined ? {} : { requestId }),
          ...(purpose === undefined ? {} : { purpose }),
        })
      }),
  }
}
