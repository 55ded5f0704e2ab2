// The path of every call, also of a task: admit the caller, check its rights, parse the input, run the verb, wait
// until the result is durable, log.
// Invariant: no call reaches a verb by another path.
import type { AnyCapability, CapabilityEffect } from '../../core/capability/capability.ts'
import { checkAborted, neverAborted, orAborted } from '../../core/abort.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import { checkJson } from '../../core/json/json.ts'
import { citedIds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Admission } from '../../trust/admission.ts'
import { type Call, requestName } from '../context/call.ts'
import { type CallContexts, owner } from '../context/call-context.ts'
import type { SecretGuard } from '../context/secret-guard.ts'
import type { Transact } from '../context/transact.ts'
import type { CallOptions } from '../engine-shape.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { AccessAudit, AccessTrail } from '../service/access-audit.ts'
import type { Activity } from '../service/activity.ts'
import type { ConsentGate } from '../service/consent-gate.ts'
import type { Sealing } from '../service/sealing.ts'
import { type VerbTable, whenLoaded } from '../verb-table.ts'
import { authorise, checkConsent, checkDecides, checkRunsHere, type Place } from './authorise.ts'
import type { RunRead } from './read-again.ts'

export interface CallPathParts {
  readonly db: Pick<SqlDatabase, 'settled'>
  readonly clock: Clock
  readonly place: Place
  readonly requests: BookStore['requests']
  readonly verbs: Pick<VerbTable, 'effectOf' | 'find' | 'load'>
  readonly admission: Admission
  readonly consent: Pick<ConsentGate, 'admit'>
  readonly audit: Pick<AccessAudit, 'begin'>
  readonly activity: Pick<Activity, 'begin'>
  readonly secrets: Pick<SecretGuard, 'checkNames'>
  readonly sealing: Pick<Sealing, 'around'>
  readonly contexts: CallContexts
  readonly transact: Transact
  readonly runRead: RunRead
  readonly services: Lifecycle
  /**
   * `true` frees the space that the host reserves for a full disk; `false` reserves it again. Undefined: no reserve.
   */
  readonly useReserve: ((isUsed: boolean) => void) | undefined
}

export type CallPath = (id: string, input: unknown, options?: CallOptions) => Promise<unknown>

interface Incoming {
  readonly id: string
  readonly input: unknown
  readonly options: CallOptions
  readonly trail: AccessTrail
}

export function createCallPath(parts: CallPathParts): CallPath {
  const { db, audit, admission, services, verbs } = parts
  return async (id, input, options = {}) => {
    // Admission would read a closed database.
    if (services.isClosed()) throw new DaybookError('book-closed')
    const effect = verbs.effectOf(id)
    const { purpose, receipt } = options
    const trail = audit.begin({
      id,
      effect,
      purpose,
      receipt,
      claimant: () => admission.claimedCaller(options),
    })
    try {
      const answer = answerCall(parts, { id, input, options, trail })
      const value = await (db.settled ? whenDurable(db, effect, answer) : answer)
      if (effect) services.answered(effect)
      trail.answered(value)
      return value
    } catch (thrown) {
      const error = services.isClosed() ? asClosed(thrown) : asDamage(thrown)
      trail.failed(error)
      services.failed(error)
      throw toDaybookError(error)
    }
  }
}

async function answerCall(parts: CallPathParts, { id, input, options, trail }: Incoming): Promise<unknown> {
  const { admission, consent, contexts, services, secrets, sealing, useReserve, verbs } = parts

  // Load the verb before the admission, so that no right ends while the call waits.
  const loading = verbs.load(id)
  if (loading) await orAborted(loading, options.signal ?? neverAborted)
  const admitted = admission.hasCredentials(options)
    ? { ...options, ...(await admission.admit(options)) }
    : options
  const { caller = owner } = admitted
  const { agent = admitted.from?.scope.agent ?? contexts.own.scope.agent } = options.scope ?? {}
  trail.admitted(caller, agent)
  if (services.isClosed()) throw new DaybookError('book-closed')

  const capability = verbs.find(id)
  authorise(caller, capability)
  checkDecides(caller, capability, options)
  // The caller, with its reach narrowed by policies and its receipt.
  const bounded = consent.admit(caller, { ...options, isUncounted: capability.isUncounted })
  if (capability.runs) await checkRunsHere(capability, parts.place)
  checkAborted(admitted.signal ?? neverAborted)
  services.called(capability.effect)

  checkJson(input)
  const parsed = parseWith(capability.input, input)
  checkConsent(bounded, capability)

  const { decides, effect } = capability
  const begun = { now: formatTime(parts.clock.now()), trail }
  const built = contexts.begin(capability, input, begun, { ...admitted, caller: bounded })
  const call = decides ? { ...built, decided: citedIds(parsed as object, decides.path) } : built
  // A read stores none of these names.
  if (effect !== 'read') secrets.checkNames({ requestId: call.requestId, ...call.port.scope })

  const noteActivity = parts.activity.begin(call, options.purpose)
  const runOnce = () => sealing.around(effect, () => runVerb(parts, call, parsed))
  // A write that throws has no effect, so it may run again once a missing verb is loaded.
  const run = effect === 'write' ? () => whenLoaded(verbs, runOnce) : runOnce
  const value = await withReserve(capability, run, useReserve)
  noteActivity?.()
  return value
}

async function runVerb(
  { contexts, transact, runRead, requests }: CallPathParts,
  call: Call,
  parsed: unknown,
): Promise<unknown> {
  const { capability, input, requestId, port } = call
  const run = (at: object) => capability.run(parsed as never, at as never)
  if (capability.effect === 'read') return runRead(() => run(contexts.contextOf(call)))
  if (capability.effect === 'task') return run(contexts.contextOf(call))
  return transact(call, (at) => {
    if (requestId === undefined) return run(at)
    const { key, capabilityKey } = requestName(requestId, port.caller, capability.id)
    return requests.once({ requestId: key, capability: capabilityKey, input, now: port.now }, () => run(at))
  })
}

/** The book closed during the call, so the database failed in its own words. */
const asClosed = (error: unknown) =>
  isDaybookError(error) ? error : new DaybookError('book-closed', undefined, { cause: error })

/**
 * Turns a JSON syntax error into `storage-failed`: inputs are objects, and texts from outside are parsed with checks,
 * so the error comes from a broken record.
 */
function asDamage(error: unknown): unknown {
  if (!(error instanceof SyntaxError) || !error.message.includes('JSON')) return error
  return new DaybookError('storage-failed', 'A stored record can’t be read.', {
    details: { result: sqliteCorrupt },
    cause: error,
  })
}

/** Result code of SQLite for a damaged file: SQLITE_CORRUPT. */
const sqliteCorrupt = 11

/**
 * Returns `answer` once every change that it may depend on is durable, for databases that flush later than they
 * commit. A write has waited for its own commit. Neither an answer nor an error reports a change that a crash could
 * undo.
 */
async function whenDurable(
  db: Pick<SqlDatabase, 'settled'>,
  effect: CapabilityEffect | undefined,
  answer: Promise<unknown>,
): Promise<unknown> {
  // `write` fails on a full storage, which may have lost a write of the task. `read`: a full storage is no
  // error.
  const settle = () => db.settled?.(effect === 'task' ? 'write' : 'read')
  let value: unknown
  try {
    value = await answer
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) await settle()
    throw error
  }
  await settle()
  return value
}

/** Verbs that take a right away or hide a text. They write little, and must work on a full disk. */
const revoking: ReadonlySet<string> = new Set([
  'kstar:purge',
  'kstar:revoke_control_token',
  'daybook:revoke_access_key',
  'a2p:revoke_agent',
  'consent:revoke',
  'consent:set_policy',
  'consent:remove_policy',
])

/**
 * On a full disk, runs a read, a forgetting or a revoking verb again with the reserved space, then reserves it again.
 */
async function withReserve<Result>(
  { id, effect, permission }: AnyCapability,
  work: () => Promise<Result>,
  useReserve: ((isUsed: boolean) => void) | undefined,
): Promise<Result> {
  const mayUse = effect === 'read' || permission === 'forget' || revoking.has(id)
  if (!useReserve || !mayUse) return work()
  try {
    return await work()
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
    useReserve(true)
    try {
      return await work()
    } finally {
      useReserve(false)
    }
  }
}
