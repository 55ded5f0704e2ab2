// A handle: a book with defaults for all its calls.
// Invariant: objects made from a handle see and do no more than the handle; no such object gives access to the book;
// closing a handle ends only its own calls and listeners.
import { checkCallScope } from '../core/book.ts'
import type { BookEvent } from '../core/capability/event.ts'
import { defined } from '../core/defined.ts'
import { DaybookError } from '../core/errors.ts'
import { optionsOf, scopeOptionTable, textOption } from '../core/option-check.ts'
import { lowestTrust, type Trust } from '../core/trusted.ts'
import type { BookDoor } from './book-door.ts'
import type { BookCallOptions } from './call-options.ts'
import { type BookListener, GuestEvents } from './guest-events.ts'
import { GuestWatch } from './guest-watch.ts'
import { clockOf, type LiveHost } from './live/live-clock.ts'
import { agentRights, type DoorRights, rightsOf } from './tool/door-right.ts'
import type { ToolSource } from './tool/tool-source.ts'

/** Defaults for all calls of a handle, and of handles made from that handle. Absent fields stay as they are. */
export interface HandleOptions {
  /**
   * Id of a stored control token: every call is made as the token's holder. On a handle with a token, `as` must be a
   * token granted below the handle's token.
   */
  readonly as?: string | undefined
  /** Agent of the written records. With a token, the agent is the holder; any other name is `forbidden`. */
  readonly agent?: string | undefined
  readonly session?: string | undefined
  /** The user or thing that the written records are about. */
  readonly resource?: string | undefined
  /** Highest trust of the written records; the calls and handles of this handle only lower it. */
  readonly trust?: Trust | undefined
}

const closedHandle = 'This handle of the book was closed.'

const checkOptions = optionsOf<HandleOptions>({ as: textOption(1000), ...scopeOptionTable })

export class HandleDoor implements BookDoor {
  readonly #door: BookDoor
  /** The book below all handles. */
  readonly #root: BookDoor
  readonly #defaults: BookCallOptions
  /** Current listeners by the functions that remove them. `close` ends them, and sends each a `closed` event. */
  readonly #listening = new Map<() => void, BookListener>()
  /** Present on a handle with a token, as is `#events`: both tell its holder of changes. */
  readonly #guest: GuestWatch | undefined
  readonly #events: GuestEvents | undefined
  #isClosed = false

  /** `host` provides timers. Throws `invalid-input` with the path of the wrong option. */
  constructor(door: BookDoor, options: HandleOptions, host: LiveHost) {
    this.#door = door
    this.#root = door instanceof HandleDoor ? door.#root : door
    this.#defaults = defaultsOf(options)
    // A handle's `as` is one token; only a call may name several.
    const [token] = listed(this.#defaults.as)
    if (token === undefined) return
    const guest = new GuestWatch(this.#root, token, clockOf(host))
    this.#guest = guest
    this.#events = new GuestEvents({
      on: (listener) => guest.on(listener),
      ask: (id, input) => this.call(id, input, {}),
      askOwner: (id, input) => this.#root.call(id, input, {}),
    })
  }

  async call(id: string, input: unknown, options: BookCallOptions): Promise<unknown> {
    if (this.#isClosed) throw new DaybookError('book-closed', closedHandle)
    try {
      return await this.#door.call(id, input, within(this.#defaults, options))
    } finally {
      this.#guest?.called()
    }
  }

  on(listener: BookListener, name?: BookEvent['name']): () => void {
    const events = this.#events
    return this.#listen(listener, () => (events ? events.on(listener, name) : this.#door.on(listener, name)))
  }

  /**
   * For live queries of a token's holder: also passes events that the holder may not see. Undefined for the owner, whose
   * `on` passes all events.
   */
  get watch(): BookDoor['watch'] {
    const guest = this.#guest
    const watch = guest ? guest.on.bind(guest) : this.#door.watch
    return watch && ((listener) => this.#listen(listener, () => watch(listener)))
  }

  /** `begin` adds the listener, and returns the function that removes it. */
  #listen(listener: BookListener, begin: () => () => void): () => void {
    if (this.#isClosed) return () => undefined
    const off = begin()
    const offOuter = this.#endWithOuter()
    const remove = () => {
      this.#listening.delete(remove)
      off()
      offOuter()
    }
    this.#listening.set(remove, listener)
    return remove
  }

  /** A handle with a token listens at the book, so it learns from its outer handle that this was closed. */
  #endWithOuter(): () => void {
    if (!this.#guest || !(this.#door instanceof HandleDoor)) return () => undefined
    return this.#door.on((event) => {
      if (event.name === 'closed' && event.detail.reason === closedHandle) void this.close()
    }, 'closed')
  }

  get tools(): ToolSource {
    return this.#door.tools
  }

  /** The rights of the token; else of the outer handle; else those of any agent, if the handle names an agent. */
  get rights(): DoorRights | undefined {
    const [token] = listed(this.#defaults.as)
    if (token !== undefined) return rightsOf(this.#root, token, this.#guest)
    return this.#door.rights ?? (this.#defaults.scope?.agent === undefined ? undefined : agentRights)
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    for (const [remove, listener] of Array.from(this.#listening)) {
      remove()
      listener({ name: 'closed', detail: { reason: closedHandle } })
    }
    return Promise.resolve()
  }
}

function defaultsOf(options: HandleOptions): BookCallOptions {
  checkOptions(options, '')
  const { as, ...scopeOptions } = options
  const scope = checkCallScope(scopeOptions)
  return { ...defined({ as }), ...(Object.keys(scope).length > 0 ? { scope } : {}) }
}

/**
 * Options of a call through a handle. The handle's tokens come first: the tokens of the call must be granted below
 * them.
 */
function within(defaults: BookCallOptions, { as, scope, ...options }: BookCallOptions): BookCallOptions {
  const own = listed(defaults.as)
  const requested = listed(as)
  // A call may repeat the handle's own token.
  const tokens = [...own, ...requested].filter((id, i, all) => i === 0 || id !== all[i - 1])
  const trust = lowestTrust(defaults.scope?.trust, scope?.trust)
  // `others`: session and resource.
  const { agent, ...others } = defaults.scope ?? {}
  // With a token in the call, the agent is that token's holder.
  const named = agent === undefined || requested.length > 0 ? {} : { agent }
  const [first, ...below] = tokens
  return {
    ...options,
    ...(first === undefined ? {} : { as: below.length === 0 ? first : tokens }),
    ...(defaults.scope || scope
      ? { scope: { ...named, ...others, ...checkCallScope(scope ?? {}), ...defined({ trust }) } }
      : {}),
  }
}

/** One token or several as a list; empty without a token. */
const listed = (as: BookCallOptions['as']): readonly string[] =>
  as === undefined ? [] : typeof as === 'string' ? [as] : as
