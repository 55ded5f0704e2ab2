// Writes down who called what at this copy of the book, and what came of it. Invariants: every call of a guest has an entry,
// whatever came of it, also one that was not let in; a write of the owner has one in its own transaction; and no entry holds
// anything of an input or an answer but names of kinds and a number.
//
// Of those who are nobody here the first of each minute is written down, or they could fill the log.
//
// What was only read, refused or failed is written with the next commit, or `flushMs` later. A process that is killed loses
// the entries of that time; one that is closed loses none, nor does anybody who asks for the log.
import {
  type AccessEntry,
  accessKeep,
  type Accessor,
  type AccessPort,
} from '../../core/capability/access-log.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { CapabilityEffect } from '../../core/capability/capability.ts'
import type { Changed, Service } from '../../core/capability/service.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Kinds } from '../../core/kind.ts'
import type { Ports } from '../../core/ports.ts'
import type { Json } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { isReceiptId } from '../../memory/consent/policy/receipt.ts'
import type { BookStore } from '../../store/book-store.ts'

/** One call on its way. */
export interface AccessTrail {
  /** Who it is, once that is known. */
  admitted(caller: Caller, agent: string): void
  /** A transaction of it has changed this; inside of it. */
  wrote(changed: readonly Changed[]): void
  answered(value: unknown): void
  failed(error: unknown): void
}

/** A call as it comes to the door. */
export interface AccessCall {
  readonly id: string
  readonly effect: CapabilityEffect | undefined
  readonly purpose?: string | undefined
  /** What is presented as one, whether it is or not. */
  readonly receipt?: string | undefined
  /** Whom somebody claims to be who is not let in: of this book, but not any more, or nobody. */
  readonly claimant: () => Accessor | undefined
}

/** Something that a guest, or nobody, did outside of a call: a sync, a ticket, a request too many. */
export interface Access {
  readonly who: Accessor
  readonly capability: string
  readonly outcome: string
  readonly kinds?: readonly string[]
  readonly count?: number
  /** It stands exactly if the transaction does that it is noted in. */
  readonly isInside?: boolean
}

export interface AccessAudit extends Service {
  begin(call: AccessCall): AccessTrail
  note(access: Access): void
  /** Resolves when everything up to now is committed. */
  flush(): Promise<void>
  readonly port: AccessPort
}

export interface AccessAuditParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'access' | 'writes' | 'newer'>
  readonly kinds: Kinds
  readonly isVerb: (id: string) => boolean
  readonly secrets: { maskInput(words: Json): Json; maskName(name: string): string }
}

/** What was not written by a commit until then is written by one of its own. */
export const flushMs = 250
/** So many are not left to wait for it. */
const flushCount = 500
/** Of a canonical time, up to its minute. */
const minuteLength = '2026-01-01T00:00'.length
const sweepEveryMs = 3_600_000
const sweepRows = 1000

/** The owner, in whose name `agent` it calls. */
const ownerAs = (agent: string): Accessor => ({ caller: agent, by: 'owner' })

/** A caller who was let in. */
export function accessorOf(caller: Caller, agent: string): Accessor {
  if (caller.role === 'owner') return ownerAs(agent)
  return { caller: caller.agent, by: caller.by ?? 'token', id: caller.token }
}

export const nobody: Accessor = { caller: '', by: 'unknown' }

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
    if (access && access.waiting() > 0) await writes.write(() => undefined)
  }
  const flushSoon = () => {
    if (closed) return
    cancel ??= scheduler.later(flushMs, () => {
      cancel = undefined
      // What can't be written now is written with the next commit that can.
      flush().catch((error: unknown) => {
        if (!closed) log.warn('The log of access waits to be written.', { code: toDaybookError(error).code })
      })
    })
  }
  /** When somebody unknown was last written down, by what came of it. */
  const strangers = new Map<string, string>()
  /** Whether nobody in particular has been told the same in this minute: strangers must not push others out of the log. */
  const isRepeated = ({ by, outcome, at }: Omit<AccessEntry, 'n'>) => {
    if (by !== 'unknown') return false
    const minute = at.slice(0, minuteLength)
    if (strangers.get(outcome) === minute) return true
    strangers.set(outcome, minute)
    return false
  }
  const gather = (entry: Omit<AccessEntry, 'n'>) => {
    if (isRepeated(entry)) return
    access?.gather(entry)
    if ((access?.waiting() ?? 0) >= flushCount) void flush().catch(() => undefined)
    else flushSoon()
  }
  const entryOf = ({ who, capability, outcome, kinds = [], count = 0 }: Access) => ({
    at: formatTime(clock.now()),
    ...who,
    caller: parts.secrets.maskName(who.caller),
    // An id that is none may be anything, and is not kept.
    capability: parts.isVerb(capability) ? capability : '',
    outcome,
    kinds,
    count,
  })

  return {
    name: 'access log',
    begin: (call) => (access ? new Trail(parts, call, gather) : none),
    note(one) {
      if (one.isInside) access?.note(entryOf(one))
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
        .write(() => access.sweep(since, sweepRows))
        .then(
          // As many as fit went: there are more.
          (gone) => gone < sweepRows && (sweptMs = clock.now()),
          () => (sweptMs = clock.now()),
        )
    },
    flush,
    close() {
      // The write queue is closed after this, and commits what waits.
      void flush().catch(() => undefined)
      closed = true
    },
  }
}

class Trail implements AccessTrail {
  readonly #parts: AccessAuditParts
  readonly #call: AccessCall
  readonly #gather: (entry: Omit<AccessEntry, 'n'>) => void
  #who: Accessor | undefined
  #isGuest = true
  #isWritten = false

  constructor(parts: AccessAuditParts, call: AccessCall, gather: (entry: Omit<AccessEntry, 'n'>) => void) {
    this.#parts = parts
    this.#call = call
    this.#gather = gather
  }

  admitted(caller: Caller, agent: string): void {
    this.#who = accessorOf(caller, agent)
    this.#isGuest = caller.role === 'guest'
  }

  wrote(changed: readonly Changed[]): void {
    const isWrite = this.#call.effect === 'write'
    if (!isWrite && changed.length === 0) return
    const kinds =
      changed.length === 1 ? [changed[0]?.kind ?? ''] : [...new Set(changed.map(({ kind }) => kind))]
    this.#parts.store.access?.note(this.#entry('ok', kinds, changed.length))
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
    const who = this.#who ?? claimant() ?? nobody
    return {
      at: formatTime(this.#parts.clock.now()),
      ...who,
      // Also of a call that was refused for the secret in it.
      caller: secrets.maskName(who.caller),
      capability: this.#parts.isVerb(id) ? id : '',
      outcome,
      kinds,
      count,
      ...(purpose === undefined ? {} : { purpose: String(secrets.maskInput(purpose)) }),
      // A text that can be none may be anything, and is not kept.
      ...(isReceiptId(receipt) ? { receipt } : {}),
    }
  }
}

/**
 * What an answer is about: how many things it lists, or whether there is one, and of which kinds, as far as it says so. Of a
 * read whose answer is no list that is one thing.
 */
export function tallyOf(value: unknown, kinds: Kinds): { readonly kinds: string[]; readonly count: number } {
  if (typeof value !== 'object' || value === null) return { kinds: [], count: 0 }
  const isList = (one: unknown): one is object[] =>
    Array.isArray(one) && one.every((item) => typeof item === 'object' && item !== null)
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
