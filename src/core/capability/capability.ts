// A capability: one verb of the system, defined by its chapter. Every door derives its calls from the capability
// table.
// Invariant: a `write` runs synchronously in one transaction, together with the record of its requestId.
import type { Right } from '../access/permission.ts'
import type { InputOf, OutputOf, Schema } from '../schema.ts'
import type { PortName, ReadContext, TaskContext, WriteContext } from './context.ts'

/**
 * Place where a capability runs: every copy of a book, a device of the owner, the mirror, or a copy with the book's
 * private keys. In any other place the call throws `runs-elsewhere` before it starts.
 */
export const verbPlaces = ['anywhere', 'device', 'mirror', 'keys'] as const
export type VerbPlace = (typeof verbPlaces)[number]

/** `read` answers from stored data, `write` is one transaction, `task` may take long and use several transactions. */
export type CapabilityEffect = 'read' | 'write' | 'task'

interface Verb<
  Id extends string,
  Methods extends readonly string[],
  I extends Schema,
  O extends Schema,
  Uses extends readonly PortName[],
> {
  /** Stable id on every transport: `kstar:store_trace`. */
  readonly id: Id
  /** Paths of methods on a book: `traces.store`, or a bare name for a method of the book itself. */
  readonly methods: Methods
  /** One sentence that describes the verb. */
  readonly summary: string
  /** Right that a guest needs. Absent: only the owner may call. */
  readonly permission?: Right
  /** Default: `anywhere`. */
  readonly runs?: VerbPlace
  /**
   * For a write that approves or rejects records, or a task whose writes do. `path`: path of their id, or list of
   * ids, in the parsed input. An agent that proposed one of the records gets `forbidden` with the reason `proposer`,
   * also under its owner's name.
   */
  readonly decides?: { readonly path: string }
  /**
   * For a verb without `permission`. True: agents with a handle of the owner's book may call it, because it decides
   * nothing; guests may not. Absent: only the owner's own handle may call it, unless it is a read.
   */
  readonly forAgents?: true
  /** True: the verb concerns only memories. A guest without a policy or receipt for them gets `consent-required`. */
  readonly needsConsent?: boolean
  /**
   * True: rate limits of policies neither count nor limit the verb, because it returns ids without content. Watchers
   * of guests call it often.
   */
  readonly isUncounted?: true
  /**
   * A verb's effect on what is there, for hints to clients. `ends`: it ends or replaces a record, and called again it
   * changes nothing more. `changes`: it changes a record. `consumes`: a read whose next answer is another one. Absent:
   * it only adds or reads; the permission `forget` implies `ends`.
   */
  readonly impact?: 'ends' | 'changes' | 'consumes'
  readonly input: I
  readonly output: O
  /**
   * For a task. True: a call with the same `requestId` may start it again, also after a restart of the engine. Each of
   * its writes, in order, takes effect once: a repeated write gets the stored result, as JSON. A write that finds by
   * itself what is left to do is `every-run` (`TaskWrite`). Absent: each run writes.
   */
  readonly repeatable?: boolean
  /**
   * False: the task queue refuses the verb, because its result is secret (keys, whole tokens) or because it ends the
   * book that stores the queue.
   */
  readonly isQueued?: false
  /** Names of secret fields of the input. The task queue refuses a call with one of them. */
  readonly secrets?: readonly string[]
  /** Ports that the verb needs besides `call`; `run` gets no other ports. */
  readonly uses?: Uses
}

/** For each effect: the effect and the type of `run`. */
interface Runs<I extends Schema, O extends Schema, Port extends PortName> {
  readonly write: {
    readonly effect: 'write'
    readonly run: (input: OutputOf<I>, at: WriteContext<Port>) => InputOf<O>
  }
  readonly read: {
    readonly effect: 'read'
    readonly run: (input: OutputOf<I>, at: ReadContext<Port>) => InputOf<O> | Promise<InputOf<O>>
  }
  readonly task: {
    readonly effect: 'task'
    readonly run: (input: OutputOf<I>, at: TaskContext<Port>) => Promise<InputOf<O>>
  }
}

export type Capability<
  Id extends string = string,
  Methods extends readonly string[] = readonly string[],
  I extends Schema = Schema,
  O extends Schema = Schema,
  Uses extends readonly PortName[] = readonly PortName[],
  Effect extends CapabilityEffect = CapabilityEffect,
> = Verb<Id, Methods, I, O, Uses> & { readonly effect: Effect } & Runs<I, O, Uses[number]>[Effect]

/** A capability without its types. */
export type AnyCapability = Verb<string, readonly string[], Schema, Schema, readonly PortName[]> & {
  readonly effect: CapabilityEffect
  readonly run: (input: never, at: never) => unknown
}

/** Declares a capability with its types. */
export function defineCapability<
  const Id extends string,
  const Methods extends readonly string[],
  I extends Schema,
  O extends Schema,
  const Uses extends readonly PortName[] = readonly [],
  Effect extends CapabilityEffect = CapabilityEffect,
>(capability: Capability<Id, Methods, I, O, Uses, Effect>): Capability<Id, Methods, I, O, Uses, Effect> {
  return capability
}
