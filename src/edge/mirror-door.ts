// The way to the mirrors of an edge, and to one book for one caller. Types only: what answers them is answer-mirror.ts.
import type { Way } from '../core/access/policy-decision.ts'
import type { Grant } from '../core/access/grant.ts'
import type { TicketRequest } from '../sync/wire/live-wire.ts'
import type { SignedRequest } from '../trust/agent/signed-request.ts'
import type { AgentAnswer, AgentAsk } from './agent/answer-agent.ts'
import type { EndAsked } from './end-asked.ts'
import type { Outcome } from './outcome.ts'

/** A mirror as the routes see it, on whichever host it keeps its book. */
export interface MirrorDoor {
  /** Throws unless this may call the capability; for what is done outside of the book. */
  admit(capabilityId: string, presented: Presented): Promise<Outcome<void>>
  /** A ticket for a line of a device; `unknown-route` where this edge has no lines. */
  ticket(asked: TicketRequest, presented: Presented): Promise<Outcome<unknown>>
  /** Answers the upgrade to a line, where this edge has lines; an error in its one shape otherwise. */
  fetch?(request: Request): Promise<Response>
  /** Answers one sync request of a device; both are JSON. */
  exchange(request: string, options?: Presented): Promise<Outcome<string>>
  /** Erases the book, for its owner: nothing is left but that it was erased, `{ erased, at }`. */
  erase(asked: EndAsked, presented: Presented): Promise<Outcome<unknown>>
  /** Lets the owner begin a book under the name of one that was erased, `{ begun }`. */
  begin(asked: EndAsked, presented: Presented): Promise<Outcome<unknown>>
  /** Answers one request of the a2p protocol: see answer-agent.ts. */
  agentCall(ask: AgentAsk, presented: AgentPresented): Promise<AgentAnswer>
  /** Runs a capability. `requestId` makes a write safe to send again. */
  call(id: string, input: unknown, options: Presented & CalledWith): Promise<Outcome<unknown>>
}

/** The books of an edge, by name: `book-door.ts` alone opens them. */
export interface Mirrors {
  getByName(book: string): MirrorDoor
  /** The gate of a book, where all books share this process; elsewhere each book has memory and a thread of its own. */
  bodyGate?(book: string): BodyGate
}

/** Stands before the bodies of requests. */
export interface BodyGate {
  /**
   * Looks at the caller before anything of a body is read. Throws `unauthorized` for a token or key that opens nothing here,
   * `rate-limited` for one that has nothing left; `capability` is written down with it.
   */
  enter(comer: Comer, capability: string): Promise<BodyPass>
}

/** A caller before the body is read: what it presents, or the agent that says to have signed the request. */
export interface Comer extends Presented {
  readonly did?: string
}

/** One request, from the first byte of its body to its answer. */
export interface BodyPass {
  /** The gate has taken this request out of the caller's rate. */
  readonly isPaid: boolean
  /** Counts bytes that are held; throws `rate-limited` where the caller has too many under way. */
  hold(bytes: number): void
  /** Waits until the caller may have the thread for as long as it takes to parse the body. */
  turn(): Promise<void>
  /** Takes a body that was refused out of the caller's rate, by its size. Throws `rate-limited` when nothing is left. */
  refuse(): Promise<void>
  /** Counts the bytes no more. */
  end(): void
}

/** What a caller presents who does not have the key of the whole edge: a control token or an access key, or verified claims. */
export interface Presented {
  readonly bearer?: string
  readonly grant?: Grant
  /** The gate before the body has taken this request out of the caller's rate. */
  readonly isPaid?: boolean
}

/** The same of a request of the a2p protocol, which an agent may have signed: it counts there alone, where nonces are looked at. */
export interface AgentPresented extends Presented {
  readonly signed?: SignedRequest
}

export interface CalledWith {
  /** Makes a write safe to send again. */
  readonly requestId?: string | undefined
  /** What the call is for, for the log of access. */
  readonly purpose?: string | undefined
  /** The id of a receipt: the call reaches what that says. */
  readonly receipt?: string | undefined
  /** How the request came. Default: not safely. */
  readonly way?: Way | undefined
}

/** One book, for one caller. Every verb throws what the book says of that caller. */
export interface BookDoor {
  /** Lets the caller in before the body of its request is read, where there is such a gate. What follows costs no more. */
  enter(capability: string): Promise<BodyPass | undefined>
  /** Throws unless the caller may call the capability, at the cost of one request. */
  admit(capabilityId: string): Promise<void>
  /** A ticket for a line of a device. */
  ticket(asked: TicketRequest): Promise<unknown>
  /** Answers one sync request; both are JSON. */
  exchange(request: string): Promise<string>
  erase(asked: EndAsked): Promise<unknown>
  begin(asked: EndAsked): Promise<unknown>
  /** Runs a capability. */
  call(id: string, input: unknown, options?: CalledWith): Promise<unknown>
}
