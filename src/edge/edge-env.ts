// What the edge needs of its deployment: the objects that keep books, the key, the pages that may call it.
import type { ArchiveEnv } from './archive/archive-env.ts'
import type { BookDoor, Mirrors } from './mirror-door.ts'

/** As much of the platform's rate limiting binding as this needs. */
export interface RateBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** As much of the Workers AI binding as this needs. */
export interface AiBinding {
  run(model: string, input: { readonly text: string[] }): Promise<unknown>
}

export interface EdgeEnv extends ArchiveEnv {
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
  /** What one guest may store in a book, and all guests together: records and mebibytes, default `100000/64`, `400000/256`. */
  readonly DAYBOOK_GUEST_QUOTA?: string
  readonly DAYBOOK_GUESTS_QUOTA?: string
  /** Which book a user's DID of the a2p protocol stands for, as in `did:a2p:user:example:alice=alice`; several apart by blanks. */
  readonly DAYBOOK_DID?: string
  /**
   * Origins that signed requests of the a2p protocol may be for, apart by blanks; default: the one that is asked. `any` among
   * them takes signatures that name no host.
   */
  readonly DAYBOOK_A2P_AUDIENCE?: string
  /** What each caller may ask over the a2p protocol: requests a minute and an hour, default `60/1000`. */
  readonly DAYBOOK_A2P_RATE?: string
  /** The book that is meant by `POST /messages` and `POST /capabilities/:id` when no `X-Daybook-Book` names one. */
  readonly DAYBOOK_BOOK?: string
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
