// What every mirror answers to whoever comes over HTTP, on any host: who it is, at what cost, and what it may ask.
// Invariant: nothing is read or written for a caller who was not let in, and each request costs one of the caller's rate.
import type { Accessor } from '../core/capability/access-log.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../core/errors.ts'
import { accessorOf, nobody } from '../engine/service/access-audit.ts'
import type { TakenOps } from '../sync/mirror/mirror.ts'
import { parseSyncRequest, readJson } from '../sync/wire/protocol.ts'
import type { TicketRequest } from '../sync/wire/live-wire.ts'
import { type SyncReach, syncReachOf } from '../sync/wire/sync-reach.ts'
import { type Admitted, checkBearer, payerOf, standingOf } from '../trust/admission.ts'
import { hideFromAgent, runAgentCall } from './agent/answer-agent.ts'
import type { RateState } from './agent/agent-rate.ts'
import type { Listener } from './line.ts'
import { noLines, ticketMs } from './live-lines.ts'
import { type BookEnd, createEndOfBook } from './book-end.ts'
import { checkPurpose } from './line-right.ts'
import type { MirrorBook } from './mirror-book.ts'
import type { AgentPresented, MirrorDoor, Presented } from './mirror-door.ts'
import { fromOutcome, type Outcome, toOutcome } from './outcome.ts'

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

async function admit(
  { engine, rate }: Pick<MirrorBook, 'engine' | 'rate'>,
  presented: AgentPresented,
): Promise<Admitted> {
  let admitted: Admitted
  try {
    admitted = await engine.admit(presented)
  } catch (error) {
    if (isDaybookError(error, 'unauthorized')) await rate.spend(stranger)
    throw error
  }
  if (presented.isPaid !== true) await rate.spend(payerOf(admitted))
  return admitted
}

/** Lets somebody in; who is not let in, or asks too much, is written down as far as somebody is known. */
export async function admitNoted(
  book: Pick<MirrorBook, 'engine' | 'rate'>,
  presented: AgentPresented,
  capability: string,
): Promise<Admitted> {
  try {
    return await admit(book, presented)
  } catch (error) {
    const { audit } = book.engine
    const { bearer, grant, signed } = presented
    const isOwner = [bearer, grant, signed].every((one) => one === undefined)
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
  const noteTaken = ({ refused, ...taken }: TakenOps) => {
    const asked = { who: whoIs(admitted), capability: syncId }
    const isInside = taken.count > 0
    if (isGuest || isInside) audit.note({ ...asked, outcome: 'ok', ...taken, isInside })
    // What a guest tried and may not is told as it is of a call.
    if (isGuest) for (const { code, ...ops } of refused) audit.note({ ...asked, outcome: code, ...ops })
  }
  await book.turn?.(payerOf(admitted))
  const { text, device, cursor, more } = await book.mirror.exchange(
    request,
    syncReach(book, admitted),
    noteTaken,
  )
  book.synced(device, more ? undefined : cursor)
  return text
}

/** A stranger whose key was erased with the book is told no more than any other. */
const hide =
  ({ bearer }: Presented) =>
  (error: unknown): never => {
    throw bearer !== undefined && isDaybookError(error, 'book-erased') ? unknownToken() : error
  }

/** The epoch that a request of a device names, or that it knew before it started over. */
function epochOf(request: string): string | null {
  try {
    const { epoch, formerEpoch = null } = parseSyncRequest(readJson(request))
    return epoch ?? formerEpoch
  } catch {
    return null
  }
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
const eraseId = 'daybook:erase'

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
  /** The epoch by which a stranger is known whose key was erased with the book. */
  readonly epoch?: () => string | null
}

/** The mirror of one book, which its host opens with `within`. Errors are answers: see outcome.ts. */
export function answerMirror(within: WithinBook, end: BookEnd): MirrorDoor {
  const enter = <Result>(
    presented: AgentPresented,
    capability: string,
    work: (book: MirrorBook, admitted: Admitted) => Result | Promise<Result>,
  ): Promise<Result> => {
    const { bearer, signed } = presented
    const isStranger = bearer !== undefined || signed !== undefined
    if (bearer !== undefined) checkBearer(bearer)
    // A stranger with a token or a signature makes no book.
    return within(!isStranger, async (book) => {
      if (isStranger) await book.follow?.()
      return work(book, await admitNoted(book, presented, capability))
    })
  }
  const endOfBook = createEndOfBook(end, (presented, work) =>
    enter(presented, eraseId, (book, admitted) =>
      noted(book, admitted, { capability: eraseId, isNotedWell: true }, async () => {
        // Another process may have erased it.
        await book.follow?.()
        book.engine.check(eraseId, admitted.caller)
        return work(book)
      }),
    ),
  )

  const answer = <Result>(
    presented: AgentPresented,
    noting: Pick<Noting, 'capability' | 'epoch'>,
    work: (book: MirrorBook, admitted: Admitted) => Result | Promise<Result>,
  ): Promise<Outcome<Result>> =>
    toOutcome(async () => {
      try {
        return await enter(presented, noting.capability, work)
      } catch (error) {
        const told = await endOfBook.told(error, presented, noting.epoch?.())
        throw told ?? unknownToken()
      }
    })
  const beside = <Result>(
    presented: Presented,
    noting: Noting,
    work: (book: MirrorBook, admitted: Admitted) => Result | Promise<Result>,
  ) =>
    answer(presented, noting, (book, admitted) => noted(book, admitted, noting, () => work(book, admitted)))

  return {
    admit: (id, presented) =>
      beside(presented, { capability: id, isNotedWell: true }, ({ engine }, { caller }) =>
        engine.check(id, caller),
      ),
    exchange: (request, presented = {}) =>
      beside(
        presented,
        { capability: syncId, isNotedWell: false, epoch: () => epochOf(request) },
        (book, admitted) => exchange(book, admitted, request),
      ),
    erase: (asked, presented) => toOutcome(() => endOfBook.erase(asked, presented).catch(hide(presented))),
    begin: (asked, presented) => toOutcome(() => endOfBook.begin(asked, presented).catch(hide(presented))),
    ticket: (asked, presented) =>
      beside(presented, { capability: syncId, isNotedWell: true }, (book, admitted) =>
        giveTicket(book, admitted, asked),
      ),
    async agentCall(ask, presented) {
      const { signed } = presented
      let rate: RateState | undefined
      const outcome = await toOutcome(() =>
        fromOutcome(
          answer(presented, { capability: ask.id }, (book, admitted) =>
            runAgentCall(book, admitted, {
              ask,
              signed,
              noted: (gate) => noted(book, admitted, { capability: ask.id, isNotedWell: false }, gate),
              told: (state) => (rate = state),
            }),
          ),
        ).catch((error: unknown) => {
          throw hideFromAgent(error, signed, end.clock.now())
        }),
      )
      return { outcome, rate }
    },
    call: (id, input, { requestId, purpose, receipt, way = 'http', ...presented }) =>
      answer(presented, { capability: id }, async (book, admitted) => {
        const { caller } = admitted
        await book.follow?.()
        await book.turn?.(payerOf(admitted))
        return book.engine.call(id, input, {
          caller,
          ...(requestId === undefined ? {} : { requestId }),
          ...(purpose === undefined ? {} : { purpose }),
          ...(receipt === undefined ? {} : { receipt }),
          way,
        })
      }),
  }
}
