// A chapter: the verbs, kinds and services that one folder adds to the book. The engine knows chapters by their list
// only.
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
  /** Its verbs, in the order of descriptions. */
  readonly capabilities: Capabilities
  /** Its kinds of records. */
  readonly kinds: Kinds
  /** Its scheduled calls. */
  readonly recurring?: readonly Recurring[]
  /** Its ports, by the names under which capabilities declare them. */
  readonly ports?: ChapterPorts
  /** Its services: they start with the book and end with it. */
  readonly services?: (parts: ServiceParts) => readonly Service[]
}

/** A chapter without its verbs: the part of it that every book needs from its start. */
export type ChapterBase<Name extends string = string, Kinds extends readonly Kind[] = readonly Kind[]> = Omit<
  Chapter<Name, readonly AnyCapability[], Kinds>,
  'capabilities'
>

/** Declares the part of a chapter that is needed from the start, for a chapter whose verbs may be loaded later. */
export function defineChapterBase<const Name extends string, const Kinds extends readonly Kind[]>(
  base: ChapterBase<Name, Kinds>,
): ChapterBase<Name, Kinds> {
  return base
}

/** Builders of ports: for the caller of a read or a task, and for one transaction. */
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

/** Background work of an open book. It implements only the events it needs. */
export interface Service {
  readonly name: string
  /** The network is back, the page is visible, or something is due. */
  wake?(): void
  /** Writes were committed; their promises wait for this method. */
  committed?(): void
  /** All writes are indexed, and the engine is idle. */
  idle?(): void
  /** A call started. */
  called?(): void
  /** A call was answered. */
  answered?(effect: CapabilityEffect): void
  /** A record was changed by a call or a sync, and committed. */
  changed?(id: string, kind: string): void
  /** A call changed these records, after `changed` for each. The call is answered after the returned promise. */
  wrote?(changed: readonly Changed[]): Promise<unknown> | undefined
  /** A call, a task or background work failed. */
  failed?(error: unknown): void
  /** The result of `degraded` may have changed; `isCertain`: it has. */
  stateChanged?(isCertain: boolean): void
  /** Describes a fault, in words; undefined if all is well. */
  degraded?(): string | undefined
  close?(): void
}

/** Everything from which a chapter builds its services. */
export interface ServiceParts {
  /** The whole book, read as its owner. */
  readonly records: Pick<RecordReader, 'get' | 'query'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  readonly keys: Keyring
  /** True on a device of the owner with a writable book: the place for background work. */
  readonly isDevice: boolean
  readonly pool: PoolPort
  /** Carriers to other claws that the host opened the book with. */
  readonly carriers: readonly PoolCarrier[]
  /** Runs `work` as the owner, in a transaction shared with other waiting writes. */
  write<Result>(work: (at: WriteContext<'records' | 'pool'>) => Result): Promise<Result>
  tell<Name extends keyof BookEvents>(name: Name, detail: BookEvents[Name]): void
}
