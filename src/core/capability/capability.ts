// A capability: one verb of the system, defined once by its chapter. Every door is derived from the capability table.
// Invariant: a `write` runs synchronously in one transaction, together with the record of its requestId.
import type { Right } from '../access/permission.ts'
import type { InputOf, OutputOf, Schema } from '../schema.ts'
import type { PortName, ReadContext, TaskContext, WriteContext } from './context.ts'

/**
 * Place of a capability: every copy of a book, a device of the owner only, the mirror only, or a copy with the book's
 * private keys. Elsewhere it throws `runs-elsewhere` before it starts.
 */
export const verbPlaces = ['anywhere', 'device', 'mirror', 'keys'] as const
export type VerbPlace = (typeof verbPlaces)[number]

/** `read` answers from stored data, `write` is one transaction, `task` may take long and wait for others. */
export type CapabilityEffect = 'read' | 'write' | 'task'

interface Verb<
  Id extends string,
  Methods extends readonly string[],
  I extends Schema,
  O extends Schema,
  Uses extends readonly PortName[],
> {
  /** Stable on every transport: `kstar:store_trace`. */
  readonly id: Id
  /** Path on a book: `traces.store`, or a bare name for a verb of the book itself. */
  readonly methods: Methods
  /** One sentence about what it does. */
  readonly summary: string
  /** Right that a guest's token needs. Without one, only the owner may call. */
  readonly permission?: Right
  /** Default: anywhere. */
  readonly runs?: VerbPlace
  /**
   * Path in the parsed input of the records that it decides about (approves, rejects): an id or a list of ids. An agent
   * that proposed one of them gets `forbidden` with the reason `proposer`, also under its owner's name. For a write, or a
   * task whose writes are the decision.
   */
  readonly decides?: { readonly path: string }
  /**
   * True: although no guest may call it, an agent with a handle of its owner's book may, because it decides nothing. Not
   * needed for reads; every other verb of the owner needs the owner's own handle.
   */
  readonly forAgents?: true
  /** True: it concerns memories only. A guest without any policy or receipt for memories gets `consent-required`. */
  readonly needsConsent?: boolean
  /**
   * True: rate limits of policies neither count nor limit it, because it names records without content. Guest watchers
   * use it, and must not use up the guest's limit.
   */
  readonly isUncounted?: true
  readonly input: I
  readonly output: O
  /**
   * For tasks: true if it may restart from the beginning. Its writes, in order, then run once and return the stored
   * results, as JSON.
   */
  readonly repeatable?: boolean
  /**
   * False: it is never queued. Its result is secret (keys, whole tokens) and the queue would store it, or it ends the
   * book that holds the queue.
   */
  readonly isQueued?: false
  /** Secret fields of the input: a call with one of them is never queued. */
  readonly secrets?: readonly string[]
  /** Ports it needs beside the call itself; no others are built for it. */
  readonly uses?: Uses
}

/** The effect of a capability, with the `run` that may have it. */
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
