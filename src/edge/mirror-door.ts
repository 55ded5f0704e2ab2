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
}

/** What a caller presents who does not have the key of the whole edge: a control token or an access key, or verified claims. */
export interface Presented {
  readonly bearer?: string
  readonly grant?: Grant
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
