// A capability: one verb of the system, defined once by the chapter that owns it. Every door is derived from the table.
// Invariant: a `write` runs synchronously inside one transaction, together with the record of its requestId.
import type { Right } from '../access/permission.ts'
import type { InputOf, OutputOf, Schema } from '../schema.ts'
import type { PortName, ReadContext, TaskContext, WriteContext } from './context.ts'

/**
 * Where a capability can do what it says: at every copy of a book; on a device of the owner alone; at its mirror alone;
 * or where the private keys of the book are kept. Elsewhere it is `runs-elsewhere`, and nothing of it is begun.
 */
export const verbPlaces = ['anywhere', 'device', 'mirror', 'keys'] as const
export type VerbPlace = (typeof verbPlaces)[number]

/** Reads answer from what is there; writes are one transaction; tasks may take long and wait for others. */
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
  /** Where it hangs on a book: `traces.store`, or a bare name for a verb of the book itself. */
  readonly methods: Methods
  /** What it does, in one sentence. */
  readonly summary: string
  /** The right a guest's token must carry. Without one, only the owner may call. */
  readonly permission?: Right
  /** Where it runs. Default: anywhere. */
  readonly runs?: VerbPlace
  /**
   * Where its input, once parsed, names the records that it decides about (approves, rejects): an id or a list of ids. An
   * agent that proposed one of them is refused, in its owner's name too: `forbidden` with the reason `proposer`. Of a write,
   * or of a task whose writes are the decision.
   */
  readonly decides?: { readonly path: string }
  /**
   * True of a verb that no guest may call and that decides nothing: an agent that works with its owner's book may, in the name
   * that its handle has. Verbs that only read need no such word; all others of the owner are for the owner's own handle.
   */
  readonly forAgents?: true
  /** True: it is about memories alone, so that a guest whom neither a policy nor a receipt lets read any is told so. */
  readonly needsConsent?: boolean
  /**
   * True: the rate limits of policies neither count it nor bound it, because it names records and says nothing of what is in
   * them. What watches for a guest asks so: it must not use up what the guest may ask.
   */
  readonly isUncounted?: true
  readonly input: I
  readonly output: O
  /** Of a task: it may run again from its start. Its writes, in order, are then done once and give what they gave, JSON. */
  readonly repeatable?: boolean
  /**
   * False: it is never put off. What it gives is secret, and what waits in the queue is stored with what came of it (keys, whole
   * tokens); or it ends the book that the queue is in.
   */
  readonly isQueued?: false
  /** Fields of its input that are secret: with one of them it is never put off. */
  readonly secrets?: readonly string[]
  /** What it works with beside the call itself: only these ports are built for it. */
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

/** A capability without its types, as the one door handles it. */
export type AnyCapability = Verb<string, readonly string[], Schema, Schema, readonly PortName[]> & {
  readonly effect: CapabilityEffect
  readonly run: (input: never, at: never) => unknown
}

/** Declares a capability and keeps its types. */
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
