// The one path of every call, of tasks too, in the order in which it is gone: who calls is admitted, the capability found,
// authorised, asked of policies and at its place, the input checked and parsed, what the caller sees put together, the work done, its commit waited for, and
// what came of it told and written to the log of access. Invariant: nothing reaches a capability that has not come this way.
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import { checkJson } from '../../core/json/json.ts'
import { citedIds } from '../../core/kind.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Admission } from '../../trust/admission.ts'
import { effectOf, findCapability } from '../capability-table.ts'
import type { Call } from '../context/call.ts'
import { type CallContexts, owner } from '../context/call-context.ts'
import { requestName } from '../context/request-name.ts'
import type { SecretGuard } from '../context/secret-guard.ts'
import type { Transact } from '../context/transact.ts'
import type { CallOptions } from '../engine-shape.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { AccessAudit, AccessTrail } from '../service/access-audit.ts'
import type { Activity } from '../service/activity.ts'
import type { ConsentGate } from '../service/consent-gate.ts'
import type { Sealing } from '../service/sealing.ts'
import { authorise, checkConsent, checkDecides } from './authorise.ts'
import type { RunRead } from './read-again.ts'
import { withReserve } from './reserve.ts'
import { checkRunsHere, type Place } from './runs-here.ts'
import { whenKept } from './settled.ts'

export interface CallPathParts {
  readonly db: Pick<SqlDatabase, 'settled'>
  readonly clock: Clock
  readonly place: Place
  readonly requests: BookStore['requests']
  readonly admission: Admission
  readonly consent: Pick<ConsentGate, 'admit'>
  readonly audit: Pick<AccessAudit, 'begin'>
  readonly activity: Pick<Activity, 'begin'>
  readonly secrets: Pick<SecretGuard, 'checkNames'>
  readonly sealing: Pick<Sealing, 'isUnread' | 'begin' | 'arrived' | 'reading'>
  readonly contexts: CallContexts
  readonly transact: Transact
  readonly runRead: RunRead
  readonly services: Lifecycle
  /** Opens and closes the reserve of a full disk, where the host keeps one. */
  readonly useReserve: ((isUsed: boolean) => void) | undefined
}

export type CallPath = (id: string, input: unknown, options?: CallOptions) => Promise<unknown>

export function createCallPath(parts: CallPathParts): CallPath {
  const { db, clock, place, audit, activity, admission, consent, sealing, contexts, services, useReserve } =
    parts
  const { secrets } = parts

  const answer = async (
    id: string,
    input: unknown,
    given: CallOptions,
    trail: AccessTrail,
  ): Promise<unknown> => {
    const admitted = admission.hasCredentials(given) ? { ...given, ...(await admission.admit(given)) } : given
    const { agent = admitted.from?.scope.agent ?? contexts.own.scope.agent } = given.scope ?? {}
    trail.admitted(admitted.caller ?? owner, agent)
    if (sealing.isUnread()) await sealing.begin().then(() => services.stateChanged())
    const arrived = sealing.arrived()
    if (arrived) await arrived
    if (services.isClosed()) throw new DaybookError('book-closed')
    const capability = findCapability(id)
    authorise(admitted.caller ?? owner, capability)
    checkDecides(admitted.caller ?? owner, capability, given)
    const { isUncounted } = capability
    const options = {
      ...admitted,
      caller: consent.admit(admitted.caller ?? owner, { ...given, isUncounted }),
    }
    if (capability.runs) await checkRunsHere(capability, place)
    if (options.signal?.aborted) throw new DaybookError('aborted')
    services.called()
    checkJson(input)
    const parsed = parseWith(capability.input, input)
    checkConsent(options.caller, capability)
    const begun = contexts.begin(capability, input, { now: formatTime(clock.now()), trail }, options)
    // Of a read nothing is stored under them.
    if (capability.effect !== 'read')
      secrets.checkNames({ requestId: options.requestId, ...begun.port.scope })
    const { decides } = capability
    const call = decides ? { ...begun, decided: citedIds(parsed as object, decides.path) } : begun
    const noting = activity.begin(call, options.purpose)
    const value = await withReserve(capability, () => perform(parts, call, parsed), useReserve)
    noting?.()
    return value
  }

  return async (id, input, options = {}) => {
    // Nobody is admitted any more: that would be looked up in what is closed.
    if (services.isClosed()) throw new DaybookError('book-closed')
    const effect = effectOf(id)
    const { purpose, receipt } = options
    const trail = audit.begin({ id, effect, purpose, receipt, claimant: () => admission.claimant(options) })
    try {
      const answered = answer(id, input, options, trail)
      const value = await (db.settled ? whenKept(db, effect, answered) : answered)
      if (effect) services.answered(effect)
      trail.answered(value)
      return value
    } catch (thrown) {
      const error = asDamage(thrown)
      trail.failed(error)
      services.failed(error)
      throw toDaybookError(error)
    }
  }
}

/** Inputs are no JSON texts, and what others send is read with care: a text that is none is one that is stored, and broken. */
function asDamage(error: unknown): unknown {
  if (!(error instanceof SyntaxError) || !error.message.includes('JSON')) return error
  return new DaybookError('storage-failed', 'A record that is stored can not be read.', {
    details: { result: corrupt },
    cause: error,
  })
}

/** SQLite's code of a page that is not what it should be: so is this. */
const corrupt = 11

async function perform(
  { contexts, sealing, transact, runRead, requests }: CallPathParts,
  call: Call,
  parsed: unknown,
) {
  const { capability, input, requestId, port } = call
  const run = (at: object) => capability.run(parsed as never, at as never)
  if (capability.effect === 'read') {
    return sealing.reading(() => runRead(() => run(contexts.contextOf(call))))
  }
  if (capability.effect === 'task') return run(contexts.contextOf(call))
  return transact(call, (at) => {
    if (requestId === undefined) return run(at)
    const { key, asked } = requestName(requestId, port.caller, capability.id)
    return requests.once({ requestId: key, capability: asked, input, now: port.now }, () => run(at))
  })
}
