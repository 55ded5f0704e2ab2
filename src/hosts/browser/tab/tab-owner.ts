// The tab that holds the book: it takes in the others, tells them what happens, and at its end lets go of everything.
// Invariant: it closes the engine before the lines, so that what was committed at the very end is answered.
import type { FollowerMessage, OwnerMessage } from '../../../book/share/line-message.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Durability } from '../../../core/record.ts'
import type { Engine } from '../../../engine/engine.ts'
import { aliveLock } from '../wire/message.ts'
import { AnswerLog } from '../../../book/share/answer-log.ts'
import type { OwnedBook } from './owned-book.ts'
import { ServedTab, type Serving } from './served-tab.ts'
import type { TabChannel, TabPort } from './tab-port.ts'
import { compareVersions, type SharedMessage, type Joiner, lineName, tabVersion } from './tab-wire.ts'

export interface TabOwnerOptions {
  readonly book: string
  /** The tab that this is. */
  readonly own: string
  readonly owned: OwnedBook
  readonly port: TabPort
  readonly shared: TabChannel<SharedMessage>
  readonly tell: (event: BookEvent) => void
  /** The storage failed under a call: somebody should open the book again. */
  readonly onFault: () => void
}

/** Answers of calls that were committed at the very end are waited for this long. */
const lastAnswersMs = 100

export class TabOwner {
  readonly #options: TabOwnerOptions
  readonly #tabs = new Map<string, ServedTab>()
  readonly #serving: Serving
  /** Those to its own page. */
  readonly #answers: AnswerLog
  readonly #watching = new AbortController()
  #isClosed = false

  constructor(options: TabOwnerOptions) {
    const { book, own, owned, port, onFault } = options
    this.#options = options
    this.#answers = new AnswerLog(own, owned.engine.store)
    this.#serving = {
      book,
      owned,
      port,
      onFault,
      work: new Set(),
      isClosed: () => this.#isClosed,
      gone: (tab) => this.#drop(tab),
    }
    owned.watchFault?.(onFault)
    owned.engine.on((event) => this.#hear(event))
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
    return this.#isClosed
  }

  /** The storage was full: looks again how much space there is. */
  async refit(): Promise<void> {
    await this.#options.owned.refit?.()
  }

  /** Its own page has the outcomes of the calls below this number, which it named itself. */
  settle(below: number): void {
    if (!this.#isClosed) this.#answers.settle(below)
  }

  /** Takes in a follower, or turns an outdated one away. */
  admit(joiner: Joiner): void {
    if (this.#isClosed) return
    if (compareVersions(joiner.version, tabVersion) < 0) return this.#refuse(joiner)
    const { engine, epoch, durability } = this
    const tab = this.#tabs.get(joiner.tab) ?? this.#add(joiner)
    tab.post({ type: 'welcome', epoch, durability })
    tab.post({ type: 'room', epoch, whole: true, events: engine.room.snapshot() })
  }

  /** Every tab that is served hears why it has no book any more. */
  refuseAll(error: DaybookError): void {
    for (const tab of this.#tabs.values()) tab.post({ type: 'refuse', error: error.toJSON() })
  }

  /** Commits what waits, answers it, and lets go of the book. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#watching.abort()
    let fault: unknown
    try {
      this.engine.close()
    } catch (error) {
      fault = error
    }
    for (const tab of this.#tabs.values()) tab.abortAll()
    await this.lastAnswers()
    for (const tab of this.#tabs.values()) tab.close()
    this.#tabs.clear()
    try {
      await this.#options.owned.release()
    } catch {
      // A worker that cannot let go of the files must end. Its page ends it when something in it throws.
      this.#options.port.later(0, () => {
        throw fault
      })
    }
  }

  #hear(event: BookEvent): void {
    if (event.name === 'closed') return
    const { epoch } = this
    this.#options.tell(event)
    if (event.name === 'room') {
      // On the lines, behind the copy of the room that each began with.
      const message: OwnerMessage = { type: 'room', epoch, whole: false, events: [event.detail] }
      for (const tab of this.#tabs.values()) tab.post(message)
    } else if (this.#tabs.size > 0) this.#options.shared.post({ type: 'event', epoch, event })
  }

  /** Who was in the room through a tab that ended with the last owner, or with this turn's beginning, is not any more. */
  #watchRoom(): void {
    const { own, port } = this.#options
    for (const tab of this.engine.room.tabs()) {
      if (tab === own) continue
      port.lock(aliveLock(tab), this.#watching.signal).then(
        (free) => {
          free()
          if (!this.#isClosed) this.engine.room.leaveTab(tab)
        },
        () => undefined,
      )
    }
  }

  #add(joiner: Joiner): ServedTab {
    const tab = new ServedTab(joiner, this.#serving)
    this.#tabs.set(joiner.tab, tab)
    if (joiner.strict) this.#options.owned.makeStrict()
    return tab
  }

  #drop({ joiner }: ServedTab): void {
    this.#tabs.delete(joiner.tab)
    if (!this.#isClosed) this.engine.room.leaveTab(joiner.tab)
  }

  #refuse({ tab, version }: Joiner): void {
    const { book, port } = this.#options
    const line = port.open<FollowerMessage, OwnerMessage>(lineName(book, tab), () => undefined)
    const details = { version, needed: tabVersion }
    const error = new DaybookError('tab-outdated', undefined, { details })
    line.post({ type: 'refuse', error: error.toJSON() })
    line.close()
  }

  /** Resolves when what other tabs have asked is answered, or takes too long. */
  async lastAnswers(): Promise<void> {
    const { work } = this.#serving
    if (work.size === 0) return
    await new Promise<void>((resolve) => {
      const cancel = this.#options.port.later(lastAnswersMs, resolve)
      void Promise.allSettled(work).then(() => {
        cancel()
        resolve()
      })
    })
  }
}
