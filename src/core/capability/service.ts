// What works beside the calls: it is told what happens to the book, and says what is wrong with it.
import type { BookEvents } from './event.ts'
import type { CapabilityEffect } from './capability.ts'
import type { Clock, Keyring, Log, Scheduler } from '../ports.ts'
import type { WriteContext } from './context.ts'
import type { PoolCarrier } from '../pool/pool-carrier.ts'
import type { PoolPort } from '../pool/pool-port.ts'
import type { RecordReader } from './port/record-port.ts'

/** A record that changed. */
export interface Changed {
  readonly id: string
  readonly kind: string
}

/** Something that runs as long as its book is open. What it does not want to hear of it leaves out. */
export interface Service {
  readonly name: string
  /** The network came back, the page into view, or something is due. */
  wake?(): void
  /** Writes were committed, and their promises wait for what is done here. */
  committed?(): void
  /** What was written is indexed, and nothing else is to be done just now. */
  idle?(): void
  /** A call has begun. */
  called?(): void
  /** A call was answered. */
  answered?(effect: CapabilityEffect): void
  /** A record changed, by a call or a sync, after its commit. */
  changed?(id: string, kind: string): void
  /** A call here has changed these records, each passed to `changed` before. The call is answered after what this returns. */
  wrote?(changed: readonly Changed[]): Promise<unknown> | undefined
  /** Any call, any task, or work beside them failed. */
  failed?(error: unknown): void
  /** What a service says in `degraded` may be different now; `isCertain`: it is. */
  stateChanged?(isCertain: boolean): void
  /** What does not work as it should, in words; undefined when nothing is wrong. */
  degraded?(): string | undefined
  close?(): void
}

/** What the services of a chapter are built from. */
export interface ServiceParts {
  /** The whole book, as its owner reads it. */
  readonly records: Pick<RecordReader, 'get' | 'query'>
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  readonly keys: Keyring
  /** A device of the owner whose book can be written: the place for work that nobody has called for. */
  readonly isDevice: boolean
  readonly pool: PoolPort
  /** The ways to other claws that the host has opened the book with. */
  readonly carriers: readonly PoolCarrier[]
  /** Runs `work` in a transaction of the owner's, shared with other writes that wait. */
  write<Result>(work: (at: WriteContext<'records' | 'pool'>) => Result): Promise<Result>
  tell<Name extends keyof BookEvents>(name: Name, detail: BookEvents[Name]): void
}
