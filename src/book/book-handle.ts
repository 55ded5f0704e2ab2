// A handle: a book with defaults for all that is done through it. Invariant: what is made of a handle never sees or may do
// more than the handle itself; nothing of it leads back to what it was made from, and closing it ends it alone.
import { checkCallScope } from '../core/book.ts'
import type { BookEvent } from '../core/capability/event.ts'
import { DaybookError } from '../core/errors.ts'
import { optionsOf, scopeOptionTable, textOption } from '../core/option/option-check.ts'
import type { BookDoor } from './book-door.ts'
import type { BookCallOptions } from './call-options.ts'
import { type BookListener, GuestEvents } from './guest-events.ts'
import { GuestWatch } from './guest-watch.ts'
import { clockOf, type LiveHost } from './live/live-clock.ts'
import { agentRights, type DoorRights, rightsOf } from './tool/door-right.ts'
import type { ToolSource } from './tool/tool-source.ts'

/** Defaults of all calls of a handle, and of handles made from it. What is absent or undefined stays as it is. */
export interface HandleOptions {
  /**
   * The id of a stored control token: whatever is done through the handle is done as the token's holder would do it. On a
   * handle that has one already, this one must have been granted below it.
   */
  readonly as?: string | undefined
  /** In whose name is written. With a token that is its holder, and any other name is `forbidden`. */
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

const closedHandle = 'This handle of the book was closed.'

const checkOptions = optionsOf<HandleOptions>({ as: textOption(1000), ...scopeOptionTable })

export class HandleDoor implements BookDoor {
  readonly #door: BookDoor
  /** The book that all handles of handles are of. */
  readonly #root: BookDoor
  readonly #defaults: BookCallOptions
  /** The listeners that there are, each by how it stops listening. */
  readonly #listening = new Map<() => void, BookListener>()
  /** Of a handle with a token. */
  readonly #guest: GuestWatch | undefined
  readonly #events: GuestEvents | undefined
  #isClosed = false

  /** `host` lends its timers. Throws `invalid-input` with the path of what is wrong. */
  constructor(door: BookDoor, options: HandleOptions, host: LiveHost) {
    this.#door = door
    this.#root = door instanceof HandleDoor ? door.#root : door
    this.#defaults = defaultsOf(options)
    const [token] = listed(this.#defaults.as)
    if (token === undefined) return
    const guest = new GuestWatch(this.#root, token, clockOf(host))
    this.#guest = guest
    this.#events = new GuestEvents({
      on: (told) => guest.on(told),
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

  get watch(): BookDoor['watch'] {
    const guest = this.#guest
    const watch = guest ? guest.on.bind(guest) : this.#door.watch
    return watch && ((listener) => this.#listen(listener, () => watch(listener)))
  }

  #listen(listener: BookListener, begin: () => () => void): () => void {
    if (this.#isClosed) return () => undefined
    const off = begin()
    const stop = () => {
      this.#listening.delete(stop)
      off()
    }
    this.#listening.set(stop, listener)
    return stop
  }

  get tools(): ToolSource {
    return this.#door.tools
  }

  get rights(): DoorRights | undefined {
    const [token] = listed(this.#defaults.as)
    if (token !== undefined) return rightsOf(this.#root, token, this.#guest)
    return this.#door.rights ?? (this.#defaults.scope?.agent === undefined ? undefined : agentRights)
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    for (const [stop, listener] of Array.from(this.#listening)) {
      stop()
      listener({ name: 'closed', detail: { reason: closedHandle } })
    }
    return Promise.resolve()
  }
}

function defaultsOf(options: HandleOptions): BookCallOptions {
  checkOptions(options, '')
  const { as, ...given } = options
  const scope = checkCallScope(given)
  return { ...(as === undefined ? {} : { as }), ...(Object.keys(scope).length > 0 ? { scope } : {}) }
}

/** The options of a call made through a handle: its tokens come first, so that every other one must lie below them. */
function within(defaults: BookCallOptions, { as, scope, ...options }: BookCallOptions): BookCallOptions {
  const own = listed(defaults.as)
  const asked = listed(as)
  const line = [...own, ...asked].filter((id, i, all) => i === 0 || id !== all[i - 1])
  const { agent, ...place } = defaults.scope ?? {}
  const named = agent === undefined || asked.length > 0 ? {} : { agent }
  const [first, ...below] = line
  return {
    ...options,
    ...(first === undefined ? {} : { as: below.length === 0 ? first : line }),
    ...(defaults.scope || scope ? { scope: { ...named, ...place, ...checkCallScope(scope ?? {}) } } : {}),
  }
}

const listed = (as: BookCallOptions['as']): readonly string[] =>
  as === undefined ? [] : typeof as === 'string' ? [as] : as
