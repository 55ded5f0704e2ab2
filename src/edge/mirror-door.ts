// Interfaces between routes, mirrors and hosts of an edge. mirror-service.ts implements `MirrorDoor`.
import type { CallWay } from '../core/access/governed.ts'
import type { Grant } from '../core/access/grant.ts'
import type { CallScope } from '../core/record.ts'
import type { TicketRequest } from '../sync/wire/live-wire.ts'
import type { SignedRequest } from '../trust/agent/signed-request.ts'
import type { AgentAnswer, AgentRequest } from './agent/run-agent-call.ts'
import type { Outcome } from './outcome.ts'
import type { Engine } from '../engine/engine.ts'
import type { SyncMirror } from '../sync/mirror/mirror.ts'
import type { CallerIdentity } from '../trust/admission.ts'
import type { AgentGate } from './agent/agent-gate.ts'
import type { Listener } from './line.ts'

/** A mirror as routes see it, on any host. */
export interface MirrorDoor {
  /**
   * Checks that the caller may use a capability, for work that the edge does without the book (for example
   * `POST /embed`).
   */
  admit(capabilityId: string, credentials: Credentials): Promise<Outcome<void>>
  /** A ticket for a device's line; `unknown-route` if this edge has no lines. */
  ticket(request: TicketRequest, credentials: Credentials): Promise<Outcome<unknown>>
  /** Answers the upgrade to a line, or an error, if this edge has lines. */
  fetch?(request: Request): Promise<Response>
  /** Answers one sync request. Request and answer are JSON texts. Default credentials: the owner's. */
  exchange(request: string, options?: Credentials): Promise<Outcome<string>>
  /** Erases the book for its owner; answers `{ erased, at }`. Only the tombstone stays. */
  erase(request: EraseOrBeginRequest, credentials: Credentials): Promise<Outcome<unknown>>
  /** Lets the owner begin an erased book again; answers `{ begun }`. */
  begin(request: EraseOrBeginRequest, credentials: Credentials): Promise<Outcome<unknown>>
  /** Answers one request of the a2p protocol: see run-agent-call.ts. */
  agentCall(request: AgentRequest, credentials: AgentCredentials): Promise<AgentAnswer>
  /** Runs a capability. `requestId` makes a write safe to retry. */
  call(id: string, input: unknown, options: Credentials & CallOptions): Promise<Outcome<unknown>>
}

/** The owner's request to erase a book, or to begin it again. */
export interface EraseOrBeginRequest {
  /** The book's name, as the confirmation; any other text is refused. */
  readonly confirm?: string | undefined
  /** The last epoch of the device (the random name of the book's sync sequence). It identifies a device whose key was erased. */
  readonly epoch?: string | undefined
}

/** The books of an edge, by name. Only book-door.ts may call `getByName`. */
export interface Mirrors {
  getByName(book: string): MirrorDoor
  /** The gate of a book. Absent on hosts where each book has its own process, which limits its own memory. */
  bodyGate?(book: string): BodyGate
}

/** Limits bodies of requests before they are read. */
export interface BodyGate {
  /**
   * Checks the caller before the body is read. Throws `unauthorized` for an unknown token or key, `rate-limited` for a caller
   * without allowance; the access log gets `capability`.
   */
  enter(caller: BodyCaller, capability: string): Promise<BodyPass>
}

/** A caller before the body is read. */
export interface BodyCaller extends Credentials {
  /** The agent that the request names as its signer; the signature covers the body, so nothing is proven yet. */
  readonly did?: string
}

/** One request, from its first byte to its answer. */
export interface BodyPass {
  /** True if the gate has charged the request. */
  readonly isPaid: boolean
  /** Counts bytes in memory; throws `rate-limited` if the caller has too many. */
  reserve(bytes: number): void
  /** Waits for the caller's turn to parse the body. */
  waitForTurn(): Promise<void>
  /** Charges a refused body by its size. Throws `rate-limited` if the allowance is used up. */
  chargeRefusal(): Promise<void>
  /** Releases the bytes. */
  release(): void
}

/**
 * Credentials of a caller. Empty: the caller has the edge's key, so it is the owner. `bearer`: a control
 * token or access key. `grant`: verified claims.
 */
export interface Credentials {
  readonly bearer?: string
  readonly grant?: Grant
  /** True if the body gate has charged the request. */
  readonly isPaid?: boolean
}

/**
 * Credentials of an a2p request; an agent may have signed it. Only that protocol checks nonces, so only it
 * accepts signatures.
 */
export interface AgentCredentials extends Credentials {
  readonly signed?: SignedRequest
}

export interface CallOptions {
  /** Makes a write safe to retry. */
  readonly requestId?: string | undefined
  /** The purpose, for the access log. */
  readonly purpose?: string | undefined
  /** The id of a consent receipt, which sets the call's reach. */
  readonly receipt?: string | undefined
  /** Transport of the request: this machine, https or http. Default: as for http. */
  readonly way?: CallWay | undefined
  /** The agent name of the owner's connection. A guest's is that of its key. */
  readonly connection?: string | undefined
  /** The persona and the session of the owner's call. A guest's scope is that of its key. */
  readonly scope?: CallScope | undefined
}

/** One book for one caller. Every method throws if the caller lacks the right. */
export interface BookDoor {
  /** Admits the caller before the body is read; undefined without a body gate. Later calls of the request are not charged. */
  enter(capability: string): Promise<BodyPass | undefined>
  /** Checks the right to a capability. Costs one request. */
  admit(capabilityId: string): Promise<void>
  /** A ticket for a device's line. */
  ticket(request: TicketRequest): Promise<unknown>
  /** Answers one sync request; both are JSON. */
  exchange(request: string): Promise<string>
  /** Like the same methods of `MirrorDoor`. */
  erase(request: EraseOrBeginRequest): Promise<unknown>
  begin(request: EraseOrBeginRequest): Promise<unknown>
  /** Runs a capability. */
  call(id: string, input: unknown, options?: CallOptions): Promise<unknown>
}

/** An open book, as its host passes it to `MirrorService`. */
export interface MirrorBook {
  readonly engine: Pick<Engine, 'admit' | 'audit' | 'call' | 'check' | 'store'>
  /** Absent if newer code wrote the book, which is then read only. */
  readonly mirror: Pick<SyncMirror, 'exchange'> | undefined
  readonly rate: {
    /** Charges one request, or throws `rate-limited`. */
    charge(caller: string): void | Promise<void>
  }
  /** Rates and nonces of the a2p protocol. */
  readonly agents: AgentGate
  /** Loads what other processes wrote since. Absent if only this process writes. */
  catchUp?(): Promise<void>
  /** Waits for this caller's turn, if books share a thread. Call it right before computing. */
  waitForTurn?(caller: string): Promise<void>
  /** Call after a sync. `cursor`: up to where the device has read; undefined if more pages follow. */
  noteSynced(device: string, cursor: number | undefined): void
  /** Absent if the host has no lines. */
  readonly lines?: BookLines
}

interface BookLines {
  /** Throws `unauthorized` if the caller's key, token or claims expired, `rate-limited` with too many lines. */
  admit(standing: CallerIdentity): void | Promise<void>
  /** A ticket for one line of `listener`. */
  issueTicket(listener: Listener): string | Promise<string>
}
