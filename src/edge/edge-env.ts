// What the edge needs of its deployment: the objects that keep books, the key, the pages that may call it.
import type { Grant } from '../core/access/grant.ts'
import type { Outcome } from './outcome.ts'

/** A mirror as the routes see it: the Durable Object `Mirror`, or whatever keeps a book elsewhere. */
export interface MirrorDoor {
  /** Throws unless this may call the capability; for what is done outside of the book. */
  admit(capabilityId: string, presented: Presented): Promise<Outcome<void>>
  /** A ticket for a line of `device`, where this edge has lines. */
  ticket?(device: string, presented: Presented): Promise<Outcome<unknown>>
  /** Answers the upgrade to a line, where this edge has lines; an error in its one shape otherwise. */
  fetch?(request: Request): Promise<Response>
  /** Answers one sync request of a device; both are JSON. */
  exchange(request: string, options?: Presented): Promise<Outcome<string>>
  /** Runs a capability. `requestId` makes a write safe to send again. */
  call(
    id: string,
    input: unknown,
    options: Presented & { readonly requestId?: string },
  ): Promise<Outcome<unknown>>
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

/** One book, for one caller. Every verb throws what the book says of that caller. */
export interface BookDoor {
  /** Throws unless the caller may call the capability, at the cost of one request. */
  admit(capabilityId: string): Promise<void>
  /** A ticket for a line of `device`. */
  ticket(device: string): Promise<unknown>
  /** Answers one sync request; both are JSON. */
  exchange(request: string): Promise<string>
  /** Runs a capability. `requestId` makes a write safe to send again. */
  call(id: string, input: unknown, requestId?: string): Promise<unknown>
}

/** As much of the platform's rate limiting binding as this needs. */
export interface RateBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** As much of the Workers AI binding as this needs. */
export interface AiBinding {
  run(model: string, input: { readonly text: string[] }): Promise<unknown>
}

export interface EdgeEnv {
  /** One object, one SQLite database, per book: a namespace of the class `Mirror`. */
  readonly MIRROR: Mirrors
  /**
   * The key to every book (`wrangler secret put DAYBOOK_KEY`), at least 16 characters; several, apart by blanks, while one is
   * being replaced. Without it only this machine is let in. Keys to one book are made by the book: `daybook:create_access_key`.
   */
  readonly DAYBOOK_KEY?: string
  /** Where an identity provider publishes its keys; with it, its JSON Web Tokens are taken. See jwt.ts. */
  readonly DAYBOOK_JWKS_URL?: string
  /** The `iss` and the `aud` that a token must have; both are needed. Several audiences apart by blanks. */
  readonly DAYBOOK_JWT_ISSUER?: string
  readonly DAYBOOK_JWT_AUDIENCE?: string
  /** Algorithms apart by blanks; default EdDSA, Ed25519, ES256 and RS256. */
  readonly DAYBOOK_JWT_ALGORITHMS?: string
  /** The book that a token's subject owns, as in `user-{sub}`. Without it a token speaks by its claim `daybook` alone. */
  readonly DAYBOOK_JWT_BOOK?: string
  /** What each caller may ask of one book: burst and requests a second, default `2000/20`. */
  readonly DAYBOOK_RATE?: string
  /** The platform's own rate limiting, asked for each address before anything else. */
  readonly RATE_LIMIT?: RateBinding
  /** The key of an OpenAI-compatible API that `POST /embed` asks, its address (default OpenAI's) and its model. */
  readonly DAYBOOK_EMBED_KEY?: string
  readonly DAYBOOK_EMBED_URL?: string
  readonly DAYBOOK_EMBED_MODEL?: string
  /** `api` (default with a key), `http` (a server with `POST {texts}` at the address), `workers-ai` (default with `AI`). */
  readonly DAYBOOK_EMBED_PROVIDER?: string
  /** `true`: recall at this edge has vectors too, and texts of records go to that embedder. Default: only `POST /embed`. */
  readonly DAYBOOK_EMBED_RECORDS?: string
  /** A language model for summaries and profiles: its name, its OpenAI-compatible address (default OpenAI's), its key. */
  readonly DAYBOOK_LLM_MODEL?: string
  readonly DAYBOOK_LLM_URL?: string
  readonly DAYBOOK_LLM_KEY?: string
  /** Workers AI, asked by `POST /embed` when there is no key of an API. */
  readonly AI?: AiBinding
  /** Origins of pages that may call the edge, besides those of this machine: `https://app.example.org …`. */
  readonly DAYBOOK_ORIGINS?: string
}

/** The environment as Hono's types want it. */
export interface EdgeTypes {
  Bindings: EdgeEnv
  Variables: { book: BookDoor }
}

/** The same below the address of a book: there is that book, for who was let in to it, and no way to another. */
export interface BookTypes {
  Bindings: Omit<EdgeEnv, 'MIRROR'>
  Variables: { book: BookDoor }
}
