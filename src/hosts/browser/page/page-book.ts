// The open book of a page: its calls with their deadlines, and what follows from the first write.
import type { BookCallOptions } from '../../../book/call-options.ts'
import type { BookDoor } from '../../../book/daybook.ts'
import type { ToolSource } from '../../../book/tool/tool-source.ts'
import type { Status } from '../../../core/capability/status.ts'
import type { BackgroundWatch } from './background-sync.ts'
import { forgetKept, noteKept, wasKept } from './kept-note.ts'
import type { PageEvents } from './page-events.ts'
import type { PageLink } from './page-link.ts'

const eraseId = 'daybook:erase'
/** Calls that only read or write are answered within this long, unless the call says otherwise. */
const callDeadlineMs = 30_000

export interface PageBookParts {
  readonly name: string
  readonly link: PageLink
  readonly events: PageEvents
  /** Sends with no page open, where that is wanted. */
  readonly background: BackgroundWatch | undefined
  /** Shows no more that somebody looks at the book here. */
  readonly hide: (() => void) | undefined
  /** Lets go of the page's language model, once nothing asks it. */
  readonly closeModel: () => void
}

export class PageBook implements BookDoor {
  readonly #parts: PageBookParts
  readonly #tasks: ReadonlySet<string>
  readonly #writes: ReadonlySet<string>
  #hasWritten = false

  constructor(parts: PageBookParts) {
    const { events, link } = parts
    this.#parts = parts
    this.#tasks = new Set(link.rows.filter(([, , effect]) => effect === 'task').map(([, id]) => id))
    this.#writes = new Set(link.rows.filter(([, , effect]) => effect !== 'read').map(([, id]) => id))
    events.attach({ status: () => this.#status(), setOwner: link.setOwner })
  }

  async call(id: string, input: unknown, options: BookCallOptions): Promise<unknown> {
    const { link, background } = this.#parts
    const isTimed = options.deadlineMs === undefined && !this.#tasks.has(id)
    const answer = await this.#unlessErased(
      id,
      link.call(id, input, isTimed ? { ...options, deadlineMs: callDeadlineMs } : options),
    )
    if (this.#writes.has(id) && id !== eraseId) {
      if (!this.#hasWritten) void this.#settleFirstWrite()
      this.#hasWritten = true
      background?.wrote()
    }
    return answer
  }

  /** The note that there is a book goes before the book does, and comes back when it stays. */
  async #unlessErased(id: string, answer: Promise<unknown>): Promise<unknown> {
    const { name } = this.#parts
    if (id !== eraseId || !wasKept(name)) return answer
    forgetKept(name)
    try {
      return await answer
    } catch (error) {
      noteKept(name)
      throw error
    }
  }

  get tools(): ToolSource {
    return this.#parts.link.tools
  }

  on(listener: Parameters<BookDoor['on']>[0]): () => void {
    return this.#parts.events.on(listener)
  }

  async close(): Promise<void> {
    const { link, background, hide, closeModel } = this.#parts
    background?.stop()
    hide?.()
    await link.close().finally(closeModel)
  }

  async #status(): Promise<Status> {
    return (await this.#parts.link.call('daybook:status', {}, {})) as Status
  }

  /** Asks the browser not to evict what the user now has, and tells what it said. */
  async #settleFirstWrite(): Promise<void> {
    const persisted = (await navigator.storage?.persist?.().catch(() => undefined)) ?? false
    try {
      const status = await this.#status()
      if (status.durability !== 'memory') noteKept(this.#parts.name)
      this.#parts.events.tellStatus(status, persisted)
    } catch {
      // The book was closed meanwhile; the note is made at the next opening.
    }
  }
}
