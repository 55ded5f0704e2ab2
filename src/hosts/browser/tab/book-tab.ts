// One tab of a book. During its turn the tab owns the book; otherwise the owner tab runs this tab's calls.
// Each owner has an epoch, a number higher than that of every owner before. The messages: tab-wire.ts (to all
// tabs) and book/share/line-message.ts (on the line between a tab and the owner).
// Invariant: a tab is never owner and follower at the same time.
import {
  type CallMessage,
  type FollowerMessage,
  type OwnerMessage,
  type Reply,
  failedReply,
  isOwnRequest,
} from '../../../book/share/line-message.ts'
import { createMeetingRoom, type MeetingRoom } from '../../../commons/room/meeting-room.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { RoomEvent } from '../../../core/capability/port/room-port.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports.ts'
import type { Durability, Scope } from '../../../core/record.ts'
import { laterChapters } from '../later-chapters.ts'
import { isLockedByCall } from '../../../core/sealed.ts'
import type { CallNature } from '../../../engine/verb-table.ts'
import { aliveLock } from '../worker-message.ts'
import { LocalCalls } from './local-calls.ts'
import { asFollower } from '../../../book/share/followers.ts'
import { Follower } from '../../../book/share/follower.ts'
import { defined } from '../../../core/defined.ts'
import type { OwnedBook } from './owned-book.ts'
import type { TabOwner } from './tab-owner.ts'
import type { TabChannel, TabPort } from './tab-port.ts'
import { TabTurn } from './tab-turn.ts'
import {
  compareVersions,
  type SharedMessage,
  sharedName,
  type Joiner,
  lineName,
  tabVersion,
} from './tab-wire.ts'

/** The facts and functions of this tab's turn as owner. */
export interface Turn {
  /** The epoch of the newest owner that this tab knows: the new owner's epoch must be higher. */
  readonly after: number
  /** The book may be opened in memory only. */
  readonly acceptMemory: boolean
  /** Events that rebuild this tab's copy of the meeting room. */
  readonly room: () => RoomEvent[]
  /** An earlier turn of any owner served this tab, or its page before it slept. */
  readonly wasServed: boolean
  /** Call it when the book is erased on this device, or its erasure has begun and failed. */
  readonly erased: () => void
  /** Call it when the files are damaged: the tab reopens the book. */
  readonly fault: () => void
}

export interface BookTabOptions {
  readonly book: string
  /** Id of this tab; never used again. */
  readonly tab: string
  /** The page slept, and may have missed events. */
  readonly isBack?: boolean | undefined
  readonly scope: Scope
  /** True: each commit of the owner waits for the flush, also for the other tabs. */
  readonly strict: boolean
  /** The name of the embedder of the tab's options, also `none`; absent without the option. */
  readonly embedder?: string | undefined
  /** URL of the mirror of the tab's options; `llm`: name of the language model. */
  readonly mirror?: string | undefined
  readonly llm?: string | undefined
  /** Size of the meeting room of the tab's options, as text. */
  readonly room?: string | undefined
  readonly acceptMemory: boolean
  readonly port: TabPort
  readonly clock: Clock
  readonly natureOf: (id: string) => CallNature
  /** Opens the book as an owner with an epoch above `turn.after`; in memory only if `turn.acceptMemory`. */
  readonly open: (turn: Turn) => Promise<OwnedBook>
  readonly tell: (event: BookEvent) => void
}

export class BookTab {
  /** Resolves when this tab or another tab serves the calls. Rejects when the book is lost. */
  readonly ready: Promise<void>
  readonly #options: BookTabOptions
  readonly #opening = Promise.withResolvers<void>()
  readonly #shared: TabChannel<SharedMessage>
  readonly #line: TabChannel<FollowerMessage>
  readonly #follower: Follower
  readonly #turn: TabTurn
  readonly #calls: LocalCalls
  /**
   * A copy of the meeting room of the owner with epoch `#roomEpoch`, so that the room survives that owner. Absent: no
   * owner has sent its room yet.
   */
  #room: MeetingRoom | undefined
  #roomEpoch = 0
  #endError: DaybookError | undefined
  /** An owner, this tab or another, has served this tab. */
  #wasServed = false
  /** Its storage was durable: from then on, the book must not be opened in memory, where it would be empty. */
  #wasDurable = false
  /** `seal.lock` had closed the keys when the last other owner began to serve this tab. */
  #wasLocked = false

  constructor(options: BookTabOptions) {
    const { book, tab, strict, port, natureOf, tell } = options
    this.#options = options
    this.ready = this.#opening.promise
    this.#shared = port.open<SharedMessage, SharedMessage>(sharedName(book), (message) =>
      this.#hearShared(message),
    )
    this.#line = port.open<OwnerMessage, FollowerMessage>(
      lineName(book, tab),
      (message) => this.#hearLine(message),
      { of: 'tab', alive: aliveLock(tab), cut: () => this.#lineCut() },
    )
    this.#follower = new Follower({
      tab,
      port,
      natureOf,
      ask: () => this.#ask(),
      post: (message) => this.#line.post(message),
      complain: (epoch) => this.#shared.post({ type: 'yield', ...defined({ epoch }) }),
      giveUp: (error) => this.#end(error),
      refused: (error) => this.#end(error),
      welcomed: (durability, isLocked) => this.#welcomed(durability, isLocked),
    })
    this.#turn = new TabTurn({
      book,
      tab,
      strict,
      port,
      shared: this.#shared,
      tell,
      open: () => this.#open(),
      began: (owner) => this.#began(owner),
      failed: (error) => this.#failed(error),
      ending: (owner) => this.#ending(owner),
      ended: () => this.#ask(),
    })
    this.#calls = new LocalCalls({
      tab,
      port,
      natureOf,
      hasEnded: () => this.#endError !== undefined,
      fault: () => this.#turn.stepDown(),
      callNext: (id, call) => this.#callNext(id, call),
    })
    this.#start()
  }

  /** The page has the outcomes of all calls below `settled`. */
  call(id: string, calls: readonly CallMessage[], settled = 0): Promise<Reply[]> {
    if (this.#endError) {
      const reply = failedReply(this.#endError)
      return Promise.resolve(calls.map(() => reply))
    }
    this.#follower.settle(settled)
    const { owner } = this.#turn
    if (!owner) {
      this.#turn.wake()
      return Promise.all(this.#follower.call(id, calls))
    }
    // Only calls with a requestId have stored answers.
    if (calls.some(({ requestId }) => isOwnRequest(this.#options.tab, requestId))) owner.settle(settled)
    return Promise.all(owner.engine.together(() => calls.map((call) => this.#calls.run(owner, id, call))))
  }

  /** Whether `seal.lock` had closed the keys of the book when an owner, this tab or another, began to serve this tab. */
  get isLocked(): boolean {
    const { owner } = this.#turn
    return owner ? isLockedByCall(owner.engine.store) : this.#wasLocked
  }

  /** Runs a call that the end of a turn cut. */
  #callNext(id: string, call: CallMessage): Promise<Reply> | undefined {
    const { owner } = this.#turn
    // 1: the last owner may have started the call.
    if (!owner) return this.#follower.call(id, [call], 1)[0]
    // This tab became the owner again before the call ended: the follower sends nothing then.
    return new Promise((settle) => void this.#calls.takeOver(owner, { id, call, begun: 1, settle }))
  }

  abort(number: number): void {
    this.#calls.abort(number)
    this.#follower.abort(number)
  }

  /**
   * Releases the book if this tab owns it, and leaves the other tabs. `isBack`: the page goes to sleep, and
   * may repeat its calls later.
   */
  async close(isBack = false): Promise<void> {
    if (this.#endError) return
    this.#leave(new DaybookError(isBack ? 'owner-changed' : 'book-closed'), isBack)
    const answered = this.#calls.lastAnswers()
    await this.#turn.release()
    await answered
    this.#shared.close()
    this.#options.tell({ name: 'closed', detail: { reason: 'closed' } })
  }

  /**
   * The order matters: listen on the line, take the lock, then ask. The owner may answer at once, and then
   * waits for the lock, which it gets when this worker has ended.
   */
  #start(): void {
    const { tab, port } = this.#options
    this.#turn.queue()
    port.lock(aliveLock(tab)).then(
      () => {
        if (this.#endError || !this.#isFollower) return
        this.#ask()
        // Starts to count the ticks until an owner answers.
        this.#follower.lose(0)
      },
      () => undefined,
    )
  }

  get #isFollower(): boolean {
    return !this.#turn.owner && !this.#turn.isOpening
  }

  /** Asks all tabs for the owner, which then answers on this tab's line. */
  #ask(): void {
    const { tab, scope, strict, embedder, mirror, llm, room } = this.#options
    this.#shared.post({ type: 'join', tab, version: tabVersion, scope, strict, embedder, mirror, llm, room })
  }

  #hearShared(message: SharedMessage): void {
    if (this.#endError) return
    const { owner } = this.#turn
    // `seen`: the epoch of the newest owner that this tab knows.
    if (message.type === 'event') {
      if (!owner && message.epoch >= this.#follower.seen) this.#options.tell(asFollower(message.event))
    } else if (message.type === 'owner') {
      if (owner && message.epoch > owner.epoch) this.#turn.stepDown()
      if (this.#isFollower && message.epoch > this.#follower.seen) this.#ownerLost(message.epoch)
    } else if (message.type === 'yield') {
      // Without an epoch, any owner yields.
      if (owner && (message.epoch ?? owner.epoch) === owner.epoch) this.#turn.stepDown()
    } else this.#hearJoin(message)
  }

  #hearJoin(joiner: Joiner): void {
    const { owner } = this.#turn
    const isNewer = compareVersions(joiner.version, tabVersion) > 0
    // The newest version must own the book, so this older tab goes to the end of the queue.
    if (!isNewer) owner?.admit(joiner)
    else if (owner) this.#turn.stepDown()
    else if (!this.#turn.isOpening) this.#turn.queue()
  }

  #hearLine(message: OwnerMessage): void {
    if (this.#endError) return
    if (message.type === 'room') this.#onRoomMessage(message)
    else if (!this.#turn.owner) this.#follower.hear(message)
  }

  #onRoomMessage({ epoch, whole: isSnapshot, events }: Extract<OwnerMessage, { type: 'room' }>): void {
    const { owner } = this.#turn
    if (isSnapshot && !owner && epoch >= this.#follower.seen) {
      this.#roomEpoch = epoch
      this.#room?.clear()
    }
    // No snapshot of this owner came: the events would not fit the copy.
    if (epoch !== this.#roomEpoch) return
    // Apply the last messages of the previous owner, even if this tab owns the book now.
    const room = owner?.engine.room ?? this.#roomCopy()
    for (const event of events) room.apply(event)
    if (!isSnapshot) for (const detail of events) this.#options.tell({ name: 'room', detail })
  }

  #roomCopy(): MeetingRoom {
    return (this.#room ??= createMeetingRoom(this.#options.clock, () => undefined))
  }

  #lineCut(): void {
    if (!this.#endError && this.#isFollower) this.#ownerLost(this.#follower.seen)
  }

  /** Sends no calls until an owner welcomes this tab; then the follower sends all unanswered calls. */
  #ownerLost(epoch: number): void {
    this.#follower.lose(epoch)
    this.#ask()
  }

  /** An owner offers to serve this tab. Returns false to decline. */
  #welcomed(durability: Durability, isLocked: boolean): boolean {
    if (!this.#isFollower || this.#endError) return false
    if (durability === 'memory' && !this.#options.acceptMemory) {
      this.#end(
        new DaybookError('storage-unavailable', 'The tab that owns this book keeps it in memory only.'),
      )
      return false
    }
    this.#wasLocked = isLocked
    this.#serve(durability)
    return true
  }

  /** Calls are served from now on: notifies the page. */
  #serve(durability: Durability): void {
    const { tell, isBack } = this.#options
    this.#wasDurable ||= durability !== 'memory'
    this.#opening.resolve()
    if (this.#wasServed || isBack) {
      tell({ name: 'status', detail: { owner: this.#turn.owner !== undefined, durability } })
      // The last owner may have committed without an event, and a sleeping page gets no events.
      tell({ name: 'change', detail: { ids: [], kinds: [...laterChapters.kinds.keys()], more: 0 } })
    }
    this.#wasServed = true
  }

  #open(): Promise<OwnedBook> {
    const { acceptMemory, open } = this.#options
    // Only stops the follower: `#began` takes the waiting calls, also those that come meanwhile.
    this.#follower.take()
    return open({
      after: this.#follower.seen,
      acceptMemory: acceptMemory && !this.#wasDurable,
      room: () => this.#room?.snapshot() ?? [],
      fault: () => this.#turn.stepDown(),
      wasServed: this.#wasServed || this.#options.isBack === true,
      erased: () => void this.#erased(),
    })
  }

  /** Answers the caller first, then notifies every tab that its book was erased, this tab last. */
  async #erased(): Promise<void> {
    const { owner } = this.#turn
    // A fault must not reopen the book.
    this.#turn.end()
    const erased = new DaybookError('book-erased')
    await Promise.all([this.#calls.lastAnswers(), owner?.lastAnswers()])
    const refused = owner?.refuseAll(erased)
    this.#end(erased)
    // A tab that gets the owner lock before it knows the end would create the book again.
    await refused
    await this.#turn.release()
  }

  #began(owner: TabOwner): void {
    this.#serve(owner.durability)
    for (const waiting of this.#follower.take()) void this.#calls.takeOver(owner, waiting)
  }

  /** The book did not open. True: this tab waits for another owner, or tries again; false: the book is lost for it. */
  #failed(error: DaybookError): boolean {
    if (!this.#wasServed || !error.retry) {
      this.#end(error)
      return false
    }
    this.#follower.lose(this.#follower.seen)
    // Without the file nobody can run the calls; a later call tries again.
    if (isDaybookError(error, 'part-unavailable')) this.#follower.refuse(error)
    return true
  }

  /** This tab is about to release the book: becomes a follower, with a copy of the room for the next owner. */
  #ending({ epoch, engine }: TabOwner): void {
    this.#follower.lose(epoch)
    const room = this.#roomCopy()
    room.clear()
    for (const event of engine.room.snapshot()) room.apply(event)
  }

  #leave(error: DaybookError, isBack = false): void {
    this.#endError = error
    this.#turn.end()
    this.#follower.fail(error)
    // Without `leave`, the owner keeps the answers of calls that the page may repeat.
    if (!isBack) this.#line.post({ type: 'leave' })
    this.#line.close()
  }

  /** The book is lost for this tab: rejects all calls and tells the page. */
  #end(error: DaybookError): void {
    if (this.#endError) return
    this.#leave(error)
    this.#opening.reject(error)
    this.#shared.close()
    this.#options.tell({ name: 'closed', detail: { reason: error.message, code: error.code } })
  }
}
