// A chapter: the verbs, kinds and services that one folder adds to the book. The engine gets chapters only as a list.
import type { Kind } from '../kind.ts'
import type { AnyCapability, CapabilityEffect } from './capability.ts'
import type { Recurring } from './task.ts'
import type { BookEvents } from './event.ts'
import type { Clock, Keyring, Log, Scheduler } from '../ports.ts'
import type { PortParts, ReadPorts, WriteContext, WritePortParts, WritePorts } from './context.ts'
import type { PoolCarrier, PoolPort } from '../pool.ts'
import type { RecordReader } from './port/record-port.ts'

export interface Chapter<
  Name extends string = string,
  Capabilities extends readonly AnyCapability[] = readonly AnyCapability[],
  Kinds extends readonly Kind[] = readonly Kind[],
> {
  readonly name: Name
  /** Its verbs, in the order of the manifest. */
  readonly capabilities: Capabilities
  /** Its kinds of records. */
  readonly kinds: Kinds
  /** Its recurring calls. */
  readonly recurring?: readonly Recurring[]
  /** Its ports, under the names that capabilities declare in `uses`. */
  readonly ports?: ChapterPorts
  /** Creates its services, which start and end with the book. */
  readonly services?: (parts: ServiceParts) => readonly Service[]
}

/** A chapter without its verbs: the part that every book loads at its start. */
export type ChapterBase<Name extends string = string, Kinds extends readonly Kind[] = readonly Kind[]> = Omit<
  Chapter<Name, readonly AnyCapability[], Kinds>,
  'capabilities'
>

/** Declares a chapter whose verbs may load later, without them. */
export function defineChapterBase<const Name extends string, const Kinds extends readonly Kind[]>(
  base: ChapterBase<Name, Kinds>,
): ChapterBase<Name, Kinds> {
  return base
}

/** Builders of ports: `read` for the caller of a read or a task, `write` for one transaction. */
export interface ChapterPorts {
  readonly read?: { readonly [Name in keyof ReadPorts]?: (parts: PortParts) => ReadPorts[Name] }
  readonly write?: { readonly [Name in keyof WritePorts]?: (parts: WritePortParts) => WritePorts[Name] }
}

/** Declares a chapter with the types of its verbs and kinds. */
export function defineChapter<
  const Name extends string,
  const Capabilities extends readonly AnyCapability[],
  const Kinds extends readonly Kind[],
>(chapter: Chapter<Name, Capabilities, Kinds>): Chapter<Name, Capabilities, Kinds> {
  return chapter
}

/** A record that changed. */
export interface Changed {
  readonly id: string
  readonly kind: string
}

/**
 * Background work of an open book. Implement only the events that the service needs. Services must not throw:
 * an exception skips the services after it.
 */
export interface Service {
  readonly name: string
  /** The network is back, the page became visible, or work is due. */
  wake?(): void
  /** Writes were committed. Their promises resolve after this method returns. */
  committed?(): void
  /** The engine is idle, and all writes are indexed. */
  idle?(): void
  /** A call of a verb with this effect started. */
  called?(effect: CapabilityEffect): void
  /** A call succeeded. After an error, `failed` is called instead. */
  answered?(effect: CapabilityEffect): void
  /** A call or a sync changed this record and committed the change. */
  changed?(id: string, kind: string): void
  /** A call changed these records. Runs after `changed` for each; the call waits for the returned promise. */
  wrote?(changed: readonly Changed[]): Promise<unknown> | undefined
  /** A call, a task or background work failed. */
  failed?(error: unknown): void
  /** The result of `degraded` may have changed. `isCertain`: it did change. */
  stateChanged?(isCertain: boolean): void
  /** Returns a short description of a fault; undefined without a fault. */
  degraded?(): string | undefined
  close?(): void
}

/** The parts from which a chapter builds its services. */
export interface ServiceParts {
  /** The whole book, read as its owner. */
  readonly records: Pick<RecordReader, 'get' | 'query'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  readonly keys: Keyring
  /** True on a device of the owner with a writable book. Only then do background work. */
  readonly isDevice: boolean
  readonly pool: PoolPort
  /** Carriers to other claws. The host provides them. */
  readonly carriers: readonly PoolCarrier[]
  /** Runs `work` as the owner, atomically; see `TaskRecords.write` in context.ts. */
  write<Result>(work: (at: WriteContext<'records' | 'pool'>) => Result): Promise<Result>
  /** Fires an event of the book. */
  tell<Name extends keyof BookEvents>(name: Name, detail: BookEvents[Name]): void
}
