// Logs the calls at this copy of the book: caller, verb and outcome.
// Invariant: every call of a guest has an entry, also a refused call; a write of the owner has an entry in its own
// transaction; of inputs and answers, an entry has only names of kinds and a count. Unknown callers get one entry a
// minute for each outcome: they can't fill the log. Entries of reads, refusals and failures are written with the next
// commit, or after `flushMs`: a killed process loses them, a closed book does not.
import {
  type AccessEntry,
  accessKeep,
  type Accessor,
  type AccessPort,
} from '../../core/capability/access-log.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { CapabilityEffect } from '../../core/capability/capability.ts'
import type { Changed, Service } from '../../core/capability/chapter.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Ports } from '../../core/ports.ts'
import type { Json } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { isReceiptId } from '../../memory/consent/policy/receipt.ts'
import type { BookStore } from '../../store/book-store.ts'

/** Makes the log entry of a running call. */
export interface AccessTrail {
  /** Call it once the caller is identified. */
  admitted(caller: Caller, agent: string): void
  /** Call it inside each transaction of the call, with the records that the transaction changed. */
  wrote(changed: readonly Changed[]): void
  answered(value: unknown): void
  failed(error: unknown): void
}

/** A call before it is admitted. */
export interface AccessCall {
  readonly id: string
  readonly effect: CapabilityEffect | undefined
  readonly purpose?: string | undefined
  /** The presented id of a receipt, unchecked. */
  readonly receipt?: string | undefined
  /** The caller that the credentials of a refused call name; undefined if the book never knew that caller. */
  readonly claimant: () => Accessor | undefined
}

/** An access outside of a call: a sync, a ticket, a request over a limit. */
export interface Access {
  readonly accessor: Accessor
  readonly capability: string
  readonly outcome: string
  readonly kinds?: readonly string[]
  readonly count?: number
  /** True: the entry is written in the running transaction. Default: false. */
  readonly isInside?: boolean
}

export interface AccessAudit extends Service {
  begin(call: AccessCall): AccessTrail
  note(access: Access): void
  /** Resolves when all entries so far are committed. */
  flush(): Promise<void>
  readonly port: AccessPort
}

export interface AccessAuditParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'access' | 'writes' | 'newer'>
  readonly kinds: Kinds
  readonly isVerb: (id: string) => boolean
  readonly secrets: { maskInput(words: Json): Json; maskName(name: string): string }
}

/** Entries that no commit has written after this time get a commit of their own. */
export const flushMs = 250
/** With this many waiting entries, a commit is made without delay. */
const flushCount = 500
/** With this many, within the call that adds one: calls that follow each other at once give a commit no turn. */
const flushAtOnceCount = 5000
/** The length of a canonical time up to its minute. */
const minuteLength = '2026-01-01T00:00'.length
/** Pause between two removals of old entries, and most entries of one removal. */
const sweepEveryMs = 3_600_000
const sweepRows = 1000

/** The owner, who calls in the name of `agent`. */
const ownerAs = (agent: string): Accessor => ({ caller: agent, by: 'owner' })

/** The accessor of an admitted caller. */
export function accessorOf(caller: Caller, agent: string): Accessor {
  if (caller.role === 'owner') return ownerAs(agent)
  return { caller: caller.agent, by: caller.by ?? 'token', id: caller.token }
}

export const nobody: Accessor = { caller: '', by: 'unknown' }

/** For copies without an access log. */
const none: AccessTrail = {
  admitted: () => undefined,
  wrote: () => undefined,
  answered: () => undefined,
  failed: () => undefined,
}

export function createAccessAudit(parts: AccessAuditParts): AccessAudit {
  const { store, clock, scheduler, log } = parts
  const { access, writes } = store
  let cancel: (() => void) | undefined
  let closed = false
  let sweptMs = -Infinity

  const flush = async () => {
    cancel?.()
    cancel = undefined
    if (access && access.queueLength() > 0) await writes.write(() => undefined)
  }
  const flushSoon = () => {
    if (closed) return
    cancel ??= scheduler.later(flushMs, () => {
      cancel = undefined
      // After a failed commit, the next commit writes the entries.
      flush().catch((error: unknown) => {
        if (!closed) log.warn('The log of access waits to be written.', { code: toDaybookError(error).code })
      })
    })
  }
  /** The minute of the last entry of an unknown caller, by outcome. */
  const strangers = new Map<string, string>()
  /** True if an unknown caller had this outcome in this minute already: unknown callers must not fill the log. */
  const isRepeated = ({ by, outcome, at }: Omit<AccessEntry, 'n'>) => {
    if (by !== 'unknown') return false
    const minute = at.slice(0, minuteLength)
    if (strangers.get(outcome) === minute) return true
    strangers.set(outcome, minute)
    return false
  }
  const gather = (entry: Omit<AccessEntry, 'n'>) => {
    if (isRepeated(entry)) return
    access?.enqueue(entry)
    const length = access?.queueLength() ?? 0
    if (length < flushCount) return flushSoon()
    const flushQuietly = () => void flush().catch(() => undefined)
    if (length < flushAtOnceCount) flushQuietly()
    else writes.commitTogether(flushQuietly)
  }
  const entryOf = ({ accessor, capability, outcome, kinds = [], count = 0 }: Access) => ({
    at: formatTime(clock.now()),
    ...accessor,
    caller: parts.secrets.maskName(accessor.caller),
    // An unknown id may be any text, and is not stored.
    capability: parts.isVerb(capability) ? capability : '',
    outcome,
    kinds,
    count,
  })

  return {
    name: 'access log',
    begin: (call) => (access ? new Trail(parts, call, gather) : none),
    note(one) {
      if (one.isInside) access?.addToTransaction(entryOf(one))
      else if (access) gather(entryOf(one))
    },
    port: {
      async page(query) {
        if (!access) throw store.newer?.error() ?? new DaybookError('book-newer')
        await flush()
        return access.page(query)
      },
    },
    idle() {
      if (!access || closed || clock.now() - sweptMs < sweepEveryMs) return
      const since = formatTime(clock.now() - accessKeep.ms)
      writes
        .write(() => access.prune(since, sweepRows))
        .then(
          // After a full batch, the next idle moment sweeps more entries.
          (count) => count < sweepRows && (sweptMs = clock.now()),
          () => (sweptMs = clock.now()),
        )
    },
    flush,
    close() {
      // The write queue closes later, and commits pending entries.
      void flush().catch(() => undefined)
      closed = true
    },
  }
}

class Trail implements AccessTrail {
  readonly #parts: AccessAuditParts
  readonly #call: AccessCall
  /** `n`, the number of the entry, is given when the entry is written. */
  readonly #gather: (entry: Omit<AccessEntry, 'n'>) => void
  #accessor: Accessor | undefined
  /** True until the caller is admitted: a refused call is logged like that of a guest. */
  #isGuest = true
  #isWritten = false

  constructor(parts: AccessAuditParts, call: AccessCall, gather: (entry: Omit<AccessEntry, 'n'>) => void) {
    this.#parts = parts
    this.#call = call
    this.#gather = gather
  }

  admitted(caller: Caller, agent: string): void {
    this.#accessor = accessorOf(caller, agent)
    this.#isGuest = caller.role === 'guest'
  }

  wrote(changed: readonly Changed[]): void {
    const isWrite = this.#call.effect === 'write'
    if (!isWrite && changed.length === 0) return
    const kinds =
      changed.length === 1 ? [changed[0]?.kind ?? ''] : [...new Set(changed.map(({ kind }) => kind))]
    this.#parts.store.access?.addToTransaction(this.#entry('ok', kinds, changed.length))
    this.#isWritten = true
  }

  answered(value: unknown): void {
    if (this.#isWritten || !this.#isGuest) return
    const { kinds, count } = tallyOf(value, this.#parts.kinds)
    this.#gather(this.#entry('ok', kinds, count))
  }

  failed(error: unknown): void {
    if (!this.#isGuest && this.#call.effect !== 'write') return
    this.#gather(this.#entry(toDaybookError(error).code, [], 0))
  }

  #entry(outcome: string, kinds: readonly string[], count: number): Omit<AccessEntry, 'n'> {
    const { id, purpose, receipt = '', claimant } = this.#call
    const { secrets } = this.#parts
    const accessor = this.#accessor ?? claimant() ?? nobody
    return {
      at: formatTime(this.#parts.clock.now()),
      ...accessor,
      // The caller's name of a refused call may contain a secret.
      caller: secrets.maskName(accessor.caller),
      capability: this.#parts.isVerb(id) ? id : '',
      outcome,
      kinds,
      count,
      ...(purpose === undefined ? {} : { purpose: String(secrets.maskInput(purpose)) }),
      // A text that is no receipt id may be any text, and is not stored.
      ...(isReceiptId(receipt) ? { receipt } : {}),
    }
  }
}

/** Counts the items in an answer, and lists their known kinds. An answer without a list counts as one item. */
export function tallyOf(value: unknown, kinds: Kinds): { readonly kinds: string[]; readonly count: number } {
  if (typeof value !== 'object' || value === null) return { kinds: [], count: 0 }
  const isList = (one: unknown): one is object[] =>
    Array.isArray(one) && one.every((item) => typeof item === 'object' && item !== null)
  // A value with a kind is one record: the lists in its body are no items.
  const lists = kindOf(value) === undefined ? Object.values(value).filter(isList) : []
  const things = lists.length > 0 ? lists.flat() : [value]
  const named = things.map(kindOf).filter((name) => name !== undefined && kinds.has(name))
  return { kinds: [...new Set(named)] as string[], count: things.length }
}

function kindOf(thing: object): string | undefined {
  const { kind, record } = thing as { readonly kind?: unknown; readonly record?: { readonly kind?: unknown } }
  const name = kind ?? record?.kind
  return typeof name === 'string' ? name : undefined
}
