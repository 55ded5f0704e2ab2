// Answers requests at a mirror, on any host: admits the caller, charges its rate, checks its rights, writes the
// access log.
// Invariant: no request reads or writes anything before its caller is admitted, and each request costs one of the
// caller's rate.
import type { Accessor } from '../core/capability/access-log.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../core/errors.ts'
import { accessorOf, nobody } from '../engine/service/access-audit.ts'
import type { TakenOps } from '../sync/mirror/mirror.ts'
import { parseSyncRequest, readJson } from '../sync/wire/protocol.ts'
import type { TicketRequest, Purpose as AnyPurpose } from '../sync/wire/live-wire.ts'
import { type SyncReach, syncReachOf } from '../sync/mirror/sync-reach.ts'
import { type AdmittedCaller, assertBearerForm, quotaOwnerOf, identityOf } from '../trust/admission.ts'
import { type AgentAnswer, type AgentAsk, hideFromAgent, runAgentCall } from './agent/answer-agent.ts'
import type { RateState } from './agent/agent-gate.ts'
import type { Listener } from './line.ts'
import { noLines, ticketMs } from './live-lines.ts'
import { type BookEnd, BookEnding } from './book-end.ts'
import type {
  AgentPresented,
  CalledWith,
  EndRequest,
  MirrorBook,
  MirrorDoor,
  Presented,
} from './mirror-door.ts'
import { fromOutcome, type Outcome, toOutcome } from './outcome.ts'
import { permits, type GuardedVerb } from '../core/access/permission.ts'
import { isInRoom, meetingRoom, seesAll } from '../core/access/reach.ts'
import type { Caller } from '../core/capability/caller.ts'
import { defined } from '../core/defined.ts'

/**
 * Runs `work` on the current book. `mayMake`: creates a missing book; false: a missing book throws `unauthorized`.
 */
export type WithinBook = <Result>(
  mayMake: boolean,
  work: (book: MirrorBook) => Promise<Result>,
) => Promise<Result>

/** Default agent of records that an HTTP caller stores. */
export const edgeAgent = 'edge'

const reason = 'Token not found'
export const unknownToken = () => new DaybookError('unauthorized', `${reason}.`, { details: { reason } })

/** All unknown callers share one rate bucket, so they use up no rate of a known caller. */
const stranger = 'stranger'

async function admit(
  { engine, rate }: Pick<MirrorBook, 'engine' | 'rate'>,
  presented: AgentPresented,
): Promise<AdmittedCaller> {
  let admitted: AdmittedCaller
  try {
    admitted = await engine.admit(presented)
  } catch (error) {
    if (isDaybookError(error, 'unauthorized')) await rate.spend(stranger)
    throw error
  }
  if (presented.isPaid !== true) await rate.spend(quotaOwnerOf(admitted))
  return admitted
}

/** Admits a caller. Logs a refusal, with the caller if it is known. */
export async function admitAudited(
  book: Pick<MirrorBook, 'engine' | 'rate'>,
  presented: AgentPresented,
  capability: string,
): Promise<AdmittedCaller> {
  try {
    return await admit(book, presented)
  } catch (error) {
    const { audit } = book.engine
    const { bearer, grant, signed } = presented
    const isOwner = [bearer, grant, signed].every((one) => one === undefined)
    const outcome = toDaybookError(error).code
    if (!isOwner) audit.note({ accessor: audit.claimedCaller(presented) ?? nobody, capability, outcome })
    throw error
  }
}

/** Returns the reach of the caller's sync; undefined for the owner. Throws `forbidden` if the caller may not sync. */
function syncReach({ engine }: MirrorBook, { caller }: AdmittedCaller): SyncReach | undefined {
  engine.check('daybook:sync', caller)
  return syncReachOf(caller, engine.store.kinds)
}

async function exchange(book: MirrorBook, admitted: AdmittedCaller, request: string): Promise<string> {
  if (!book.mirror) throw book.engine.store.newer?.error()
  const { audit } = book.engine
  const isGuest = admitted.caller.role === 'guest'
  // The fetch of an owner is not logged. The fetch of a guest is logged outside the transaction, because a row inside
  // would need a commit.
  const noteTaken = ({ refused, ...taken }: TakenOps) => {
    const entry = { accessor: whoIs(admitted), capability: syncId }
    const isInside = taken.count > 0
    if (isGuest || isInside) audit.note({ ...entry, outcome: 'ok', ...taken, isInside })
    // Refused ops of a guest are logged like refused calls.
    if (isGuest) for (const { code, ...ops } of refused) audit.note({ ...entry, outcome: code, ...ops })
  }
  await book.turn?.(quotaOwnerOf(admitted))
  const { text, device, cursor, more } = await book.mirror.exchange(
    request,
    syncReach(book, admitted),
    noteTaken,
  )
  book.synced(device, more ? undefined : cursor)
  return text
}

/** Hides an erasure from an unknown caller, also from one whose key was erased with the book. */
const hide =
  ({ bearer }: Presented) =>
  (error: unknown): never => {
    throw bearer !== undefined && isDaybookError(error, 'book-erased') ? unknownToken() : error
  }

/** Returns the epoch of a device's request, or its former epoch; null without one. */
function epochOf(request: string): string | null {
  try {
    const { epoch, formerEpoch = null } = parseSyncRequest(readJson(request))
    return epoch ?? formerEpoch
  } catch {
    return null
  }
}

async function giveTicket(
  book: MirrorBook,
  admitted: AdmittedCaller,
  { device, for: purposes }: TicketRequest,
) {
  if (!book.lines) throw noLines()
  const { caller } = admitted
  for (const purpose of purposes ?? (['sync'] as const)) {
    if (purpose === 'sync') book.engine.check('daybook:sync', caller)
    else checkPurpose(purpose, caller)
  }
  const reach = syncReachOf(caller, book.engine.store.kinds)
  const standing = identityOf(admitted)
  await book.lines.admit(standing)
  const listener: Listener = {
    device,
    standing,
    ...(purposes ? { purposes } : {}),
    ...(reach ? { kinds: reach.pulled } : {}),
    ...(caller.role === 'guest' ? { agent: caller.agent } : {}),
  }
  return { ticket: await book.lines.give(listener), expiresInMs: ticketMs }
}

const syncId = 'daybook:sync'
const eraseId = 'daybook:erase'

/** Returns the admitted caller in the form of the access log. */
function whoIs({ caller, id }: AdmittedCaller): Accessor {
  return { ...accessorOf(caller, edgeAgent), ...(id === 'owner' ? {} : { id }) }
}

/** Runs `work` for an admitted caller. Logs the outcome unless the caller is the owner. */
async function audited<Result>(
  { engine: { audit } }: MirrorBook,
  admitted: AdmittedCaller,
  { capability, logsSuccess }: Auditing,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const note = (outcome: string) => {
    if (admitted.caller.role === 'guest') audit.note({ accessor: whoIs(admitted), capability, outcome })
  }
  try {
    const result = await work()
    if (logsSuccess) note('ok')
    return result
  } catch (error) {
    note(toDaybookError(error).code)
    throw error
  }
}

interface Auditing {
  readonly capability: string
  /** False if `work` logs its success itself. */
  readonly logsSuccess: boolean
  /** Epoch of the request, which identifies a device whose key was erased with the book. */
  readonly epoch?: () => string | null
}

/**
 * Answers requests at the mirror of one book. The host opens the book by `within`. Errors are values: see outcome.ts.
 */
export class MirrorService implements MirrorDoor {
  readonly #within: WithinBook
  readonly #clock: BookEnd['clock']
  readonly #ending: BookEnding

  constructor(within: WithinBook, end: BookEnd) {
    this.#within = within
    this.#clock = end.clock
    this.#ending = new BookEnding(end, (presented, work) =>
      this.#enter(presented, eraseId, (book, admitted) =>
        audited(book, admitted, { capability: eraseId, logsSuccess: true }, async () => {
          // Another process may have erased the book meanwhile.
          await book.follow?.()
          book.engine.check(eraseId, admitted.caller)
          return work(book)
        }),
      ),
    )
  }

  admit(id: string, presented: Presented): Promise<Outcome<void>> {
    return this.#audited(presented, { capability: id, logsSuccess: true }, ({ engine }, { caller }) =>
      engine.check(id, caller),
    )
  }

  exchange(request: string, presented: Presented = {}): Promise<Outcome<string>> {
    const auditing = { capability: syncId, logsSuccess: false, epoch: () => epochOf(request) }
    return this.#audited(presented, auditing, (book, admitted) => exchange(book, admitted, request))
  }

  erase(request: EndRequest, presented: Presented): Promise<Outcome<unknown>> {
    return toOutcome(() => this.#ending.erase(request, presented).catch(hide(presented)))
  }

  begin(request: EndRequest, presented: Presented): Promise<Outcome<unknown>> {
    return toOutcome(() => this.#ending.begin(request, presented).catch(hide(presented)))
  }

  ticket(request: TicketRequest, presented: Presented): Promise<Outcome<unknown>> {
    return this.#audited(presented, { capability: syncId, logsSuccess: true }, (book, admitted) =>
      giveTicket(book, admitted, request),
    )
  }

  async agentCall(ask: AgentAsk, presented: AgentPresented): Promise<AgentAnswer> {
    const { signed } = presented
    let rate: RateState | undefined
    const outcome = await toOutcome(() =>
      fromOutcome(
        this.#answer(presented, { capability: ask.id }, (book, admitted) =>
          runAgentCall(book, admitted, {
            ask,
            signed,
            audited: (gate) => audited(book, admitted, { capability: ask.id, logsSuccess: false }, gate),
            onRate: (state) => (rate = state),
          }),
        ),
      ).catch((error: unknown) => {
        throw hideFromAgent(error, signed, this.#clock.now())
      }),
    )
    return { outcome, rate }
  }

  call(
    id: string,
    input: unknown,
    { requestId, purpose, receipt, way = 'http', ...presented }: Presented & CalledWith,
  ): Promise<Outcome<unknown>> {
    return this.#answer(presented, { capability: id }, async (book, admitted) => {
      const { caller } = admitted
      await book.follow?.()
      await book.turn?.(quotaOwnerOf(admitted))
      return book.engine.call(id, input, {
        caller,
        ...defined({ requestId, purpose, receipt }),
        way,
      })
    })
  }

  async #enter<Result>(presented: AgentPresented, capability: string, work: Work<Result>): Promise<Result> {
    const { bearer, signed } = presented
    const isStranger = bearer !== undefined || signed !== undefined
    if (bearer !== undefined) assertBearerForm(bearer)
    // A request with a token or a signature never creates a book.
    return this.#within(!isStranger, async (book) => {
      if (isStranger) await book.follow?.()
      return work(book, await admitAudited(book, presented, capability))
    })
  }

  #answer<Result>(
    presented: AgentPresented,
    { capability, epoch }: Pick<Auditing, 'capability' | 'epoch'>,
    work: Work<Result>,
  ): Promise<Outcome<Result>> {
    return toOutcome(async () => {
      try {
        return await this.#enter(presented, capability, work)
      } catch (error) {
        throw (await this.#ending.errorFor(error, presented, epoch?.())) ?? unknownToken()
      }
    })
  }

  #audited<Result>(presented: Presented, auditing: Auditing, work: Work<Result>): Promise<Outcome<Result>> {
    return this.#answer(presented, auditing, (book, admitted) =>
      audited(book, admitted, auditing, () => work(book, admitted)),
    )
  }
}

type Work<Result> = (book: MirrorBook, admitted: AdmittedCaller) => Result | Promise<Result>

type Purpose = Exclude<AnyPurpose, 'sync'>

/** The verb whose right a purpose needs. Purpose `sync` needs the right `sync`. */
const verbs: Readonly<Record<Purpose, GuardedVerb>> = {
  room: { id: 'room:say', permission: 'write' },
  pool: { id: 'pool:publish', permission: 'write' },
}

/**
 * Throws `forbidden` unless `caller` may open a live connection for this purpose. `room` needs the meeting room in
 * scope, `pool` the whole book.
 */
function checkPurpose(purpose: Purpose, caller: Caller): void {
  if (caller.role === 'owner') return
  const { permissions, reach } = caller
  if (!permits(permissions, verbs[purpose]))
    throw refuse(`A line for \`${purpose}\` needs the right of \`${verbs[purpose].id}\`.`, 'for')
  if (purpose === 'room' && !isInRoom(reach))
    throw refuse(`The scope of the token does not have \`${meetingRoom}\`.`, 'scope')
  if (purpose === 'pool' && !seesAll(reach))
    throw refuse('A line for `pool` needs the scope of the whole book, `**`.', 'scope')
}

const refuse = (message: string, path: string) =>
  new DaybookError('forbidden', message, { details: { path } })
