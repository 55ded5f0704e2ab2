// What the edge needs of its deployment: the objects that keep books, the key, the pages that may call it.
import type { Outcome } from './outcome.ts'

/** A mirror as the routes see it: the Durable Object `Mirror`, or whatever keeps a book elsewhere. */
export interface MirrorDoor {
  /** Answers one sync request of a device. */
  exchange(request: unknown, options?: Presented): Promise<Outcome<unknown>>
  /** Runs a capability. `requestId` makes a write safe to send again. */
  call(
    id: string,
    input: unknown,
    options: Presented & { readonly requestId?: string },
  ): Promise<Outcome<unknown>>
}

/** The control token of a caller who has no key. */
export interface Presented {
  readonly bearer?: string
}

/** As much of the Workers AI binding as this needs. */
export interface AiBinding {
  run(model: string, input: { readonly text: string[] }): Promise<unknown>
}

export interface EdgeEnv {
  /** One object, one SQLite database, per book: a namespace of the class `Mirror`. */
  readonly MIRROR: { getByName(book: string): MirrorDoor }
  /** The key of every caller (`wrangler secret put DAYBOOK_KEY`). Without it only this machine is let in. */
  readonly DAYBOOK_KEY?: string
  /** The key of an OpenAI-compatible API that `POST /embed` asks, its address (default OpenAI's) and its model. */
  readonly DAYBOOK_EMBED_KEY?: string
  readonly DAYBOOK_EMBED_URL?: string
  readonly DAYBOOK_EMBED_MODEL?: string
  /** Workers AI, asked by `POST /embed` when there is no key of an API. */
  readonly AI?: AiBinding
  /** Origins of pages that may call the edge, besides those of this machine: `https://app.example.org …`. */
  readonly DAYBOOK_ORIGINS?: string
}

/** The environment as Hono's types want it. */
export interface EdgeTypes {
  Bindings: EdgeEnv
  Variables: { presented: Presented }
}
