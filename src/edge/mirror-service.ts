// Answers requests at a mirror, on any host: admits the caller, charges its rate, checks its rights, writes the
// access log.
// Invariant: no request reads or writes anything before its caller is admitted, and each request costs one of the
// caller's rate.
import type { Accessor } from '../core/capability/access-log.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../core/errors.ts'
import { accessorOf, nobody } from '../engine/service/access-audit.ts'
import type { OpCounts } from '../sync/mirror/mirror.ts'
import { parseSyncRequest, parseJsonText } from '../sync/wire/protocol.ts'
import type { TicketRequest, Purpose as AnyPurpose } from '../sync/wire/live-wire.ts'
import { type SyncReach, syncReachOf } from '../sync/mirror/sync-reach.ts'
import {
  type AdmittedCaller,
  assertBearerForm,
  quotaOwnerOf,
  identityOf,
  unknownBearerError,
} from '../trust/admission.ts'
import { type AgentAnswer, type AgentRequest, maskMissingBook, runAgentCall } from './agent/run-agent-call.ts'
import type { RateState } from './agent/agent-gate.ts'
import type { Listener } from './line.ts'
import { noLinesError, ticketLifetimeMs } from './live-lines.ts'
import { type BookEraser, BookErasure } from './book-erasure.ts'
import type {
  AgentCredentials,
  CallOptions,
  EraseOrBeginRequest,
  MirrorBook,
  MirrorDoor,
  Credentials,
} from './mirror-door.ts'
import { fromOutcome, type Outcome, toOutcome } from './outcome.ts'
import { permits, type GuardedVerb } from '../core/access/permission.ts'
import { isInRoom, meetingRoom, seesAll } from '../core/access/reach.ts'
import type { Caller } from '../core/capability/caller.ts'
import { defined } from '../core/defined.ts'

/**
 * Runs `work` on the current book. `createIfMissing`: creates a missing book; false: a missing book throws `unauthorized`.
 */
export type WithBook = <Result>(
  createIfMissing: boolean,
  work: (book: MirrorBook) => Promise<Result>,
) => Promise<Result>

/** Default agent of records that an HTTP caller stores. */
export const edgeAgent = 'edge'

/**
 * Rethrows an error. A host, which does not read the bearer, reports a missing book as an unknown token; a bearer that
 * is an access key gets the error of an unknown key instead.
 */
export const throwForBearer =
  (bearer: string | undefined) =>
  (error: unknown): never => {
    const isMissing = isDaybookError(error, 'unauthorized') && error.details['reason'] === 'Token not found'
    throw isMissing ? unknownBearerError(bearer) : error
  }

/** The rate bucket of all unknown callers. They share one, so they use up no rate of a known caller. */
export const unknownCaller = 'stranger'

/** Admits a caller and charges one request. An unknown caller is charged too. */
async function admitAndCharge(
  { engine, rate }: Pick<MirrorBook, 'engine' | 'rate'>,
  credentials: AgentCredentials,
): Promise<AdmittedCaller> {
  let admitted: AdmittedCaller
  try {
    admitted = await engine.admit(credentials)
  } catch (error) {
    if (isDaybookError(error, 'unauthorized')) await rate.charge(unknownCaller)
    throw error
  }
  if (credentials.isPaid !== true) await rate.charge(quotaOwnerOf(admitted))
  return admitted
}

/** Admits a caller. Logs a refusal, with the caller if it is known. */
export async function admitAndLog(
  book: Pick<MirrorBook, 'engine' | 'rate'>,
  credentials: AgentCredentials,
  capability: string,
): Promise<AdmittedCaller> {
  try {
    return await admitAndCharge(book, credentials)
  } catch (error) {
    const { audit } = book.engine
    const { bearer, grant, signed } = credentials
    // No credentials: the edge's key, which is the owner's.
    const isOwner = [bearer, grant, signed].every((one) => one === undefined)
    const outcome = toDaybookError(error).code
    if (!isOwner) audit.note({ accessor: audit.claimedCaller(credentials) ?? nobody, capability, outcome })
    throw error
  }
}

/** Returns the reach of the caller's sync; undefined for the owner. Throws `forbidden` if the caller may not sync. */
function checkedSyncReach({ engine }: MirrorBook, { caller }: AdmittedCaller): SyncReach | undefined {
  engine.check('daybook:sync', caller)
  return syncReachOf(caller, engine.store.kinds)
}

async function exchangeWithMirror(
  book: MirrorBook,
  admitted: AdmittedCaller,
  request: string,
): Promise<string> {
  // The mirror is absent only if newer code wrote the book; then `newer` is set.
  if (!book.mirror) throw book.engine.store.newer?.error()
  const { audit } = book.engine
  const isGuest = admitted.caller.role === 'guest'
  // A request without ops only fetches. It commits nothing, so its entry is written later (`isInside: false`). An
  // owner's fetch gets no entry.
  // `ops`: the kinds and the number of the taken ops; `refused`: those of refused ops, by error code.
  const logTakenOps = ({ refused, ...ops }: OpCounts) => {
    const entry = { accessor: accessorOfAdmitted(admitted), capability: syncId }
    const isInTransaction = ops.count > 0
    if (isGuest || isInTransaction) audit.note({ ...entry, outcome: 'ok', ...ops, isInside: isInTransaction })
    // Refused ops of a guest are logged like refused calls.
    if (isGuest) for (const { code, ...ops } of refused) audit.note({ ...entry, outcome: code, ...ops })
  }
  await book.waitForTurn?.(quotaOwnerOf(admitted))
  // `more`: true if the device must fetch further pages, so it has not read everything yet.
  const { text, device, cursor, more } = await book.mirror.exchange(
    request,
    checkedSyncReach(book, admitted),
    logTakenOps,
  )
  book.noteSynced(device, more ? undefined : cursor)
  return text
}

/** The calls of a connection are made in its name, with the owner's rights. */
const connectionOf = (agent: string | undefined) =>
  agent === undefined ? {} : { from: { tab: agent, scope: { agent }, owner: true } }

/** Replaces `book-erased` by the error of an unknown bearer: only devices of the book may learn of the erasure. */
const hideErasure =
  ({ bearer }: Credentials) =>
  (error: unknown): never => {
    throw bearer !== undefined && isDaybookError(error, 'book-erased') ? unknownBearerError(bearer) : error
  }

/** Returns the epoch of a device's request, or its former epoch; null without one. */
function epochOfRequest(request: string): string | null {
  try {
    const { epoch, formerEpoch = null } = parseSyncRequest(parseJsonText(request))
    return epoch ?? formerEpoch
  } catch {
    return null
  }
}

/** Issues a ticket for a line, if the caller has the right to each of its purposes. */
async function issueTicket(
  book: MirrorBook,
  admitted: AdmittedCaller,
  { device, for: purposes }: TicketRequest,
) {
  if (!book.lines) throw noLinesError()
  const { caller } = admitted
  for (const purpose of purposes ?? (['sync'] as const)) {
    if (purpose === 'sync') book.engine.check('daybook:sync', caller)
    else assertMayUsePurpose(purpose, caller)
  }
  // Undefined: the owner, who may fetch all kinds.
  const reach = syncReachOf(caller, book.engine.store.kinds)
  const standing = identityOf(admitted)
  await book.lines.admit(standing)
  const listener: Listener = {
    device,
    standing,
    ...(purposes ? { purposes } : {}),
    ...(reach ? { kinds: reach.fetchableKinds } : {}),
    ...(caller.role === 'guest' ? { agent: caller.agent } : {}),
  }
  return { ticket: await book.lines.issueTicket(listener), expiresInMs: ticketLifetimeMs }
}

const syncId = 'daybook:sync'
const eraseId = 'daybook:erase'

/** Returns the admitted caller in the form of the access log. */
function accessorOfAdmitted({ caller, id }: AdmittedCaller): Accessor {
  return { ...accessorOf(caller, edgeAgent), ...(id === 'owner' ? {} : { id }) }
}

/** Runs `work` for an admitted caller. Logs the outcome unless the caller is the owner. */
async function withAccessLog<Result>(
  { engine: { audit } }: MirrorBook,
  admitted: AdmittedCaller,
  { capability, logsSuccess }: AccessLogging,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const logOutcome = (outcome: string) => {
    if (admitted.caller.role === 'guest')
      audit.note({ accessor: accessorOfAdmitted(admitted), capability, outcome })
  }
  try {
    const result = await work()
    if (logsSuccess) logOutcome('ok')
    return result
  } catch (error) {
    logOutcome(toDaybookError(error).code)
    throw error
  }
}

interface AccessLogging {
  readonly capability: string
  /** False if `work` logs its success itself. */
  readonly logsSuccess: boolean
  /**
   * Epoch (random name of the book's sync sequence) in the request, which identifies a device whose key was
   * erased with the book.
   */
  readonly epoch?: () => string | null
}

/**
 * Answers requests at the mirror of one book. The host opens the book by `withBook`. Errors are values: see outcome.ts.
 */
export class MirrorService implements MirrorDoor {
  readonly #withBook: WithBook
  readonly #clock: BookEraser['clock']
  readonly #bookErasure: BookErasure

  constructor(withBook: WithBook, eraser: BookEraser) {
    this.#withBook = withBook
    this.#clock = eraser.clock
    this.#bookErasure = new BookErasure(eraser, (credentials, work) =>
      this.#withAdmitted(credentials, eraseId, (book, admitted) =>
        withAccessLog(book, admitted, { capability: eraseId, logsSuccess: true }, async () => {
          // Another process may have erased the book meanwhile.
          await book.catchUp?.()
          book.engine.check(eraseId, admitted.caller)
          return work(book)
        }),
      ),
    )
  }

  admit(verb: string, credentials: Credentials): Promise<Outcome<void>> {
    return this.#answerLogged(
      credentials,
      { capability: verb, logsSuccess: true },
      ({ engine }, { caller }) => engine.check(verb, caller),
    )
  }

  exchange(request: string, credentials: Credentials = {}): Promise<Outcome<string>> {
    const accessLogging = { capability: syncId, logsSuccess: false, epoch: () => epochOfRequest(request) }
    return this.#answerLogged(credentials, accessLogging, (book, admitted) =>
      exchangeWithMirror(book, admitted, request),
    )
  }

  erase(request: EraseOrBeginRequest, credentials: Credentials): Promise<Outcome<unknown>> {
    return toOutcome(() => this.#bookErasure.erase(request, credentials).catch(hideErasure(credentials)))
  }

  begin(request: EraseOrBeginRequest, credentials: Credentials): Promise<Outcome<unknown>> {
    return toOutcome(() => this.#bookErasure.begin(request, credentials).catch(hideErasure(credentials)))
  }

  ticket(request: TicketRequest, credentials: Credentials): Promise<Outcome<unknown>> {
    return this.#answerLogged(credentials, { capability: syncId, logsSuccess: true }, (book, admitted) =>
      issueTicket(book, admitted, request),
    )
  }

  async agentCall(request: AgentRequest, credentials: AgentCredentials): Promise<AgentAnswer> {
    const { signed } = credentials
    let rate: RateState | undefined
    const outcome = await toOutcome(() =>
      fromOutcome(
        this.#answerAdmitted(credentials, { capability: request.id }, (book, admitted) =>
          runAgentCall(book, admitted, {
            request,
            signed,
            logRefusal: (check) =>
              withAccessLog(book, admitted, { capability: request.id, logsSuccess: false }, check),
            onRate: (state) => (rate = state),
          }),
        ),
      ).catch((error: unknown) => {
        throw maskMissingBook(error, signed, this.#clock.now())
      }),
    )
    return { outcome, rate }
  }

  call(
    verb: string,
    input: unknown,
    {
      requestId,
      purpose,
      receipt,
      way = 'http',
      connection,
      scope,
      ...credentials
    }: Credentials & CallOptions,
  ): Promise<Outcome<unknown>> {
    return this.#answerAdmitted(credentials, { capability: verb }, async (book, admitted) => {
      const { caller } = admitted
      await book.catchUp?.()
      await book.waitForTurn?.(quotaOwnerOf(admitted))
      return book.engine.call(verb, input, {
        caller,
        ...defined({ requestId, purpose, receipt }),
        ...(caller.role === 'owner' ? { ...connectionOf(connection), ...defined({ scope }) } : {}),
        way,
      })
    })
  }

  /** Runs `work` for an admitted caller; throws for any other. */
  async #withAdmitted<Result>(
    credentials: AgentCredentials,
    capability: string,
    work: Work<Result>,
  ): Promise<Result> {
    const { bearer, signed } = credentials
    const hasTokenOrSignature = bearer !== undefined || signed !== undefined
    if (bearer !== undefined) assertBearerForm(bearer)
    // A request with a token or a signature never creates a book.
    return this.#withBook(!hasTokenOrSignature, async (book) => {
      if (hasTokenOrSignature) await book.catchUp?.()
      return work(book, await admitAndLog(book, credentials, capability))
    }).catch(throwForBearer(bearer))
  }

  /** Like `#withAdmitted`, with errors as values; a device of an erased book gets `book-erased`. */
  #answerAdmitted<Result>(
    credentials: AgentCredentials,
    { capability, epoch }: Pick<AccessLogging, 'capability' | 'epoch'>,
    work: Work<Result>,
  ): Promise<Outcome<Result>> {
    return toOutcome(async () => {
      try {
        return await this.#withAdmitted(credentials, capability, work)
      } catch (error) {
        throw (
          (await this.#bookErasure.errorFor(error, credentials, epoch?.())) ??
          unknownBearerError(credentials.bearer)
        )
      }
    })
  }

  /** Like `#answerAdmitted`, and logs the outcome of a guest. For work that does not log it itself, as `engine.call` does. */
  #answerLogged<Result>(
    credentials: Credentials,
    accessLogging: AccessLogging,
    work: Work<Result>,
  ): Promise<Outcome<Result>> {
    return this.#answerAdmitted(credentials, accessLogging, (book, admitted) =>
      withAccessLog(book, admitted, accessLogging, () => work(book, admitted)),
    )
  }
}

type Work<Result> = (book: MirrorBook, admitted: AdmittedCaller) => Result | Promise<Result>

type Purpose = Exclude<AnyPurpose, 'sync'>

/** The verb whose right a purpose needs. Purpose `sync` needs the right to `daybook:sync`. */
const verbOfPurpose: Readonly<Record<Purpose, GuardedVerb>> = {
  room: { id: 'room:say', permission: 'write' },
  pool: { id: 'pool:publish', permission: 'write' },
}

/**
 * Throws `forbidden` unless `caller` may open a live connection for this purpose. `room` needs the meeting room in
 * scope, `pool` the whole book.
 */
function assertMayUsePurpose(purpose: Purpose, caller: Caller): void {
  if (caller.role === 'owner') return
  const { permissions, reach } = caller
  if (!permits(permissions, verbOfPurpose[purpose]))
    throw purposeError(
      `A line for \`${purpose}\` needs the right of \`${verbOfPurpose[purpose].id}\`.`,
      'for',
    )
  if (purpose === 'room' && !isInRoom(reach))
    throw purposeError(`The scope of the token does not have \`${meetingRoom}\`.`, 'scope')
  if (purpose === 'pool' && !seesAll(reach))
    throw purposeError('A line for `pool` needs the scope of the whole book, `**`.', 'scope')
}

const purposeError = (message: string, path: string) =>
  new DaybookError('forbidden', message, { details: { path } })
