// Environment of an edge: bindings of its platform, and settings by name. A misspelt name is reported.
import type { ArchiveEnv } from './archive/edge-archive.ts'
import type { BookDoor, Mirrors } from './mirror-door.ts'
import { type OptionTable, optionsOf, textOption } from '../core/option-check.ts'
import { toDaybookError } from '../core/errors.ts'

/** The needed part of the platform's rate limiting binding. */
interface RateBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** The needed part of the Workers AI binding. */
export interface AiBinding {
  run(model: string, input: { readonly text: string[] }): Promise<unknown>
}

export interface EdgeEnv extends ArchiveEnv {
  /** A namespace of the class `Mirror`: one object and one SQLite database per book. */
  readonly MIRROR: Mirrors
  /**
   * The key to every book (`wrangler secret put DAYBOOK_KEY`), at least 16 characters; several, separated by spaces, while one is
   * replaced. Without it only this machine has access. `daybook:create_access_key` makes keys to one book.
   */
  readonly DAYBOOK_KEY?: string
  /** Address of an identity provider's keys; its JSON Web Tokens are then accepted. See jwt.ts. */
  readonly DAYBOOK_JWKS_URL?: string
  /** The `iss` and `aud` that a token must have; both are required. Several audiences are separated by spaces. */
  readonly DAYBOOK_JWT_ISSUER?: string
  readonly DAYBOOK_JWT_AUDIENCE?: string
  /** Algorithms, separated by spaces; default EdDSA, Ed25519, ES256 and RS256. */
  readonly DAYBOOK_JWT_ALGORITHMS?: string
  /** The book that a token's subject owns, as in `user-{sub}`. Default: only the token's claim `daybook` counts. */
  readonly DAYBOOK_JWT_BOOK?: string
  /** Rate of each caller of one book: burst and requests per second, default `2000/20`. */
  readonly DAYBOOK_RATE?: string
  /** Quota of one guest in a book, and of all guests: records and mebibytes, default `100000/64`, `400000/256`. */
  readonly DAYBOOK_GUEST_QUOTA?: string
  readonly DAYBOOK_GUESTS_QUOTA?: string
  /** The book of a user's DID in the a2p protocol, as in `did:a2p:user:example:alice=alice`; several are separated by spaces. */
  readonly DAYBOOK_DID?: string
  /**
   * Origins that signed requests of the a2p protocol may name, separated by spaces; default: the origin of the request. `any`
   * also accepts signatures that name no host.
   */
  readonly DAYBOOK_A2P_AUDIENCE?: string
  /** Rate of each caller of the a2p protocol: requests per minute and per hour, default `60/1000`. */
  readonly DAYBOOK_A2P_RATE?: string
  /** The book of `POST /messages` and `POST /capabilities/:id` without `X-Daybook-Book`. */
  readonly DAYBOOK_BOOK?: string
  /** The platform's own rate limiting, checked first, by address. */
  readonly RATE_LIMIT?: RateBinding
  /** Key, address (default OpenAI's) and model of the OpenAI-compatible API behind `POST /embed`. */
  readonly DAYBOOK_EMBED_KEY?: string
  readonly DAYBOOK_EMBED_URL?: string
  readonly DAYBOOK_EMBED_MODEL?: string
  /**
   * `api` (default with a key), `http`: `DAYBOOK_EMBED_URL` is a server that takes `POST {texts}`,
   * `workers-ai` (default with `AI`).
   */
  readonly DAYBOOK_EMBED_PROVIDER?: string
  /** `true`: recall at this edge uses vectors too, and texts of records go to that embedder. Default: only `POST /embed`. */
  readonly DAYBOOK_EMBED_RECORDS?: string
  /** A language model for summaries and profiles: its name, its OpenAI-compatible address (default OpenAI's), its key. */
  readonly DAYBOOK_LLM_MODEL?: string
  readonly DAYBOOK_LLM_URL?: string
  readonly DAYBOOK_LLM_KEY?: string
  /** Workers AI, used by `POST /embed` without a key of an API. */
  readonly AI?: AiBinding
  /** Origins of pages that may call the edge, in addition to this machine: `https://app.example.org …`. */
  readonly DAYBOOK_ORIGINS?: string
}

/** Environment for Hono's types. */
export interface EdgeTypes {
  Bindings: EdgeEnv
  Variables: { book: BookDoor }
}

/** Hono types of the routes of one book: they get a door to this book, and none to other books (`MIRROR`). */
export interface BookTypes {
  Bindings: Omit<EdgeEnv, 'MIRROR'>
  Variables: { book: BookDoor }
}

/** Settings that are texts. The others are bindings. */
type TextSettings = Omit<EdgeEnv, 'MIRROR' | 'RATE_LIMIT' | 'AI' | 'ARCHIVE'>

const setting = textOption(100_000)

/** All settings. The code that reads one checks its value. */
export const edgeSettingTable: OptionTable<TextSettings> = {
  DAYBOOK_KEY: setting,
  DAYBOOK_JWKS_URL: setting,
  DAYBOOK_JWT_ISSUER: setting,
  DAYBOOK_JWT_AUDIENCE: setting,
  DAYBOOK_JWT_ALGORITHMS: setting,
  DAYBOOK_JWT_BOOK: setting,
  DAYBOOK_RATE: setting,
  DAYBOOK_GUEST_QUOTA: setting,
  DAYBOOK_GUESTS_QUOTA: setting,
  DAYBOOK_DID: setting,
  DAYBOOK_A2P_AUDIENCE: setting,
  DAYBOOK_A2P_RATE: setting,
  DAYBOOK_BOOK: setting,
  DAYBOOK_EMBED_KEY: setting,
  DAYBOOK_EMBED_URL: setting,
  DAYBOOK_EMBED_MODEL: setting,
  DAYBOOK_EMBED_PROVIDER: setting,
  DAYBOOK_EMBED_RECORDS: setting,
  DAYBOOK_LLM_MODEL: setting,
  DAYBOOK_LLM_URL: setting,
  DAYBOOK_LLM_KEY: setting,
  DAYBOOK_ARCHIVE_EVERY: setting,
  DAYBOOK_ARCHIVE_PREFIX: setting,
  DAYBOOK_ARCHIVE_KEEP: setting,
  DAYBOOK_ARCHIVE_DAYS: setting,
  DAYBOOK_ORIGINS: setting,
}
const checkSettings = optionsOf(edgeSettingTable)

/**
 * Warnings about names in `env` that look like settings but aren't; never their values. A deployment may have variables of its own,
 * so they are no error.
 */
export function unknownSettingWarnings(env: object): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('DAYBOOK_') && !(name in edgeSettingTable))
    .map((name) => {
      try {
        // Throws for the unknown name, with the most similar setting in the message.
        checkSettings({ [name]: 'set' }, '')
        return name
      } catch (error) {
        return toDaybookError(error).message
      }
    })
}
