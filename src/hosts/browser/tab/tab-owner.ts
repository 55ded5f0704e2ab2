// The owner's side of a tab: admits other tabs, sends events to them, and releases the book at the end of its
// turn.
// Invariant: the owner runs a call only if the call names the owner's epoch.
import { Followers, type ServedFollower } from '../../../book/share/followers.ts'
import type { EventMessage, FollowerMessage, OwnerMessage } from '../../../book/share/line-message.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Durability } from '../../../core/record.ts'
import type { Engine } from '../../../engine/engine.ts'
import { aliveLock } from '../worker-message.ts'
import { AnswerLog } from '../../../book/share/answer-log.ts'
import type { OwnedBook } from './owned-book.ts'
import type { TabChannel, TabPort } from './tab-port.ts'
import { compareVersions, type SharedMessage, type Joiner, lineName, tabVersion } from './tab-wire.ts'

export interface TabOwnerOptions {
  readonly book: string
  /** Id of this tab. */
  readonly own: string
  readonly owned: OwnedBook
  readonly port: TabPort
  readonly shared: TabChannel<SharedMessage>
  readonly tell: (event: BookEvent) => void
  /** Called when the storage failed: the tab reopens the book. */
  readonly onFault: () => void
}

export class TabOwner {
  readonly #options: TabOwnerOptions
  readonly #followers: Followers
  /** Stored answers to this tab's own page. */
  readonly #answers: AnswerLog
  /** Ends the waiting requests for the locks of members of the meeting room. */
  readonly #watching = new AbortController()

  constructor(options: TabOwnerOptions) {
    const { own, owned, port, onFault } = options
    const { engine, epoch, durability } = owned
    this.#options = options
    this.#answers = new AnswerLog(own, engine.store)
    this.#followers = new Followers({
      engine,
      epoch,
      durability,
      later: (delayMs, task) => port.later(delayMs, task),
      onFault,
      refit: () => owned.refit?.(),
    })
    owned.watchFault?.(onFault)
    engine.on((event) => this.#hear(event))
    this.#watchRoom()
  }

  get engine(): Engine {
    return this.#options.owned.engine
  }

  get epoch(): number {
    return this.#options.owned.epoch
  }

  get durability(): Durability {
    return this.#options.owned.durability
  }

  get isClosed(): boolean {
    return this.#followers.isClosed
  }

  /** Measures the free space again. Call it after `storage-full`. */
  async refit(): Promise<void> {
    await this.#options.owned.refit?.()
  }

  /** The tab's own page has the outcomes of all calls below this number. */
  settle(below: number): void {
    if (!this.isClosed) this.#answers.settle(below)
  }

  /** Admits a follower; refuses a follower of an older version with `tab-outdated`. */
  admit(joiner: Joiner): void {
    if (this.isClosed) return
    if (compareVersions(joiner.version, tabVersion) < 0) return this.#refuse(joiner)
    // A tab joins again after a silence of its owner.
    const tab = this.#followers.find(joiner.tab) ?? this.#add(joiner)
    tab.welcome()
  }

  /** Ends the service of every admitted tab with `error`. Resolves when all have left, or after a time limit. */
  refuseAll(error: DaybookError): Promise<void> {
    return this.#followers.refuseAll(error)
  }

  /** Resolves when requests of other tabs are answered, or after a time limit. */
  lastAnswers(): Promise<void> {
    return this.#followers.lastAnswers()
  }

  /** Commits pending writes, answers them, and releases the book. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.#watching.abort()
    // Release the files also if the engine fails to close: then the next opening recovers the book.
    await this.#followers.close(() => this.engine.close()).catch(() => undefined)
    try {
      await this.#options.owned.release()
    } catch (error) {
      // A worker that can't release the files must end: an uncaught error makes the page end the worker.
      this.#options.port.later(0, () => {
        throw error
      })
    }
  }

  #hear(event: BookEvent): void {
    if (event.name === 'closed') return
    this.#options.tell(event)
    // Room events use the lines, so that they arrive after the copy of the room that each line sends first.
    if (event.name === 'room') this.#followers.post(event)
    else if (this.#followers.size > 0) this.#options.shared.post({ type: 'event', epoch: this.epoch, event })
  }

  /**
   * Removes each member of the meeting room when its tab has ended; tabs may have ended before this turn.
   */
  #watchRoom(): void {
    const { own, port } = this.#options
    for (const tab of this.engine.room.tabs()) {
      if (tab === own) continue
      port.lock(aliveLock(tab), this.#watching.signal).then(
        (free) => {
          free()
          if (!this.isClosed) this.engine.room.leaveTab(tab)
        },
        () => undefined,
      )
    }
  }

  #add(joiner: Joiner): ServedFollower {
    const { book, owned, port } = this.#options
    const { epoch } = owned
    const alive = new AbortController()
    const line = port.open<FollowerMessage, OwnerMessage | EventMessage>(
      lineName(book, joiner.tab),
      (message) => {
        // `leave` is the only message without an epoch.
        if (message.type === 'leave') return follower.hear(message)
        if (message.epoch !== epoch) return
        follower.hear(message)
      },
      { of: 'owner', epoch },
    )
    const follower = this.#followers.add(joiner, {
      post: (message) => line.post(message),
      close() {
        alive.abort()
        line.close()
      },
    })
    // The lock is granted when the tab's worker has ended.
    port.lock(aliveLock(joiner.tab), alive.signal).then(
      (free) => {
        free()
        // False: the tab sent no `leave`, so its page may repeat calls.
        follower.end(false)
      },
      () => undefined,
    )
    if (joiner.strict) owned.makeStrict()
    return follower
  }

  #refuse({ tab, version }: Joiner): void {
    const { book, port } = this.#options
    const line = port.open<FollowerMessage, OwnerMessage>(lineName(book, tab), () => undefined)
    const details = { version, needed: tabVersion }
    const error = new DaybookError('tab-outdated', undefined, { details })
    line.post({ type: 'refuse', error: error.toJSON() })
    line.close()
  }
}
