// Runs one transaction of one call: builds the write ports inside the transaction, and reports the changes after the
// commit.
// Invariant: a guest whose token has ended since its admission writes nothing, and a proposer does not decide about
// its own proposal.
import { topHolder } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import type { ChapterPorts, ServiceParts } from '../../core/capability/chapter.ts'
import type { PortName, WriteContext, WritePorts } from '../../core/capability/context.ts'
import type { PoolWritePort } from '../../core/pool.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { TimeSeen } from '../../store/time-seen.ts'
import type { Admission } from '../../trust/admission.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { ConsentGate } from '../service/consent-gate.ts'
import type { Opened, Sealing } from '../service/sealing.ts'
import type { Tasks } from '../task/task-access.ts'
import type { Call } from './call.ts'
import { checkProposer } from './proposer.ts'

export interface TransactParts {
  readonly store: Pick<BookStore, 'newer' | 'writes' | 'records' | 'bodies' | 'kinds' | 'guests' | 'purge'>
  /** The latest time that this copy has seen, so that a clock set back revives no ended right. */
  readonly seen: Pick<TimeSeen, 'store' | 'reset'>
  readonly admission: Pick<Admission, 'recheckGuest'>
  readonly consent: Pick<ConsentGate, 'renew'>
  readonly sealing: Pick<Sealing, 'transaction'>
  readonly tasks: Pick<Tasks, 'writer' | 'followClock'>
  readonly services: Pick<Lifecycle, 'wrote'>
  readonly pool: PoolWritePort
  readonly chapterPorts: Pick<Required<ChapterPorts>, 'write'>
  readonly tell: ServiceParts['tell']
}

/** Most records that one `secret` event names. */
const namedLimit = 100

/**
 * Runs `work` in a transaction for `call`. Rejects if a newer Daybook wrote the book, if a guest's token has
 * ended, or with `aborted` if the caller's signal aborted before the first transaction of the call began: then
 * nothing is written.
 */
export type Transact = <Result>(call: Call, work: (at: WriteContext<PortName>) => Result) => Promise<Result>

export function createTransact({
  store,
  seen,
  admission,
  consent,
  sealing,
  tasks,
  services,
  pool,
  chapterPorts,
  tell,
}: TransactParts): Transact {
  return async (call, work) => {
    if (store.newer) throw store.newer.error()
    const { port, capability, view } = call
    const { caller, scope, now } = port
    const uses = capability.uses ?? []
    /** The agent whose storage quota the write uses; undefined for the owner, who has none. */
    const payer = caller.role === 'guest' ? topHolder(caller).agent : undefined
    // Makes the table of quotas, which can't be made inside the transaction.
    if (payer !== undefined) store.guests.createTable()
    const attempt = (opened: Opened) =>
      store.writes.write(() => {
        // No error: it would undo the other writes of this commit, which then run again one by one.
        if (port.signal.aborted && !call.hasBegun) return undefined
        call.hasBegun = true
        call.onBegin?.()
        seen.store()
        if (caller.role === 'guest') {
          admission.recheckGuest(caller, now)
          // Throws if the guest's receipt was revoked since its admission.
          consent.renew(caller)
        }
        if (call.decided) checkProposer(store, call)
        const writing = view.access.writer(now, scope, port.namesAgent)
        const queued = uses.includes('tasks') ? tasks.writer(now, { caller, scope }) : undefined
        const { ledger } = writing
        const resetTime = () => {
          tasks.followClock(now)
          return seen.reset()
        }
        const ports: Partial<WritePorts> = {
          ...writing,
          pool,
          trust: { ledger, resetTime },
          ...(queued ? { tasks: queued.tasks } : {}),
        }
        const at = { call: port } as WriteContext<PortName>
        for (const name of uses) {
          const key = name as keyof WritePorts
          Object.assign(at, { [key]: chapterPorts.write[key]?.({ ledger }) ?? ports[key] })
        }
        const run = () => opened(() => store.purge.purgeTogether(() => work(at)))
        const result = payer === undefined ? run() : store.guests.enforceQuota(payer, run)
        call.trail.wrote(writing.changed)
        return { result, changed: writing.changed, secrets: writing.secrets, queued }
      })
    const done = await sealing.transaction(attempt)
    if (!done) throw new DaybookError('aborted')
    const { result, changed, secrets, queued } = done
    const pending = services.wrote(changed)
    if (pending) await pending
    queued?.after()
    if (secrets.length > 0) {
      const records = secrets.slice(0, namedLimit)
      tell('secret', { records, more: secrets.length - records.length })
    }
    return result
  }
}
