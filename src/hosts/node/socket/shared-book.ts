// A book that this process holds, or whose holder it asks over the holder's socket, and that it holds itself when that one ends.
// Invariant: who holds the book is decided by the lock of its file alone, and a call is run by one holder after another, never
// by two: every write goes out under a requestId.
import { createMeetingRoom, type MeetingRoom } from '../../../commons/room/meeting-room.ts'
import { failed, type FollowerMessage } from '../../../book/share/line-message.ts'
import { Follower, type WaitingCall } from '../../../book/share/follower.ts'
import { type AbortSignalLike, checkAborted } from '../../../core/abort.ts'
import { requestOf } from '../../../book/share/call-name.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { RoomEvent } from '../../../core/capability/port/room-port.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import type { Durability } from '../../../core/record.ts'
import { natureOf } from '../../../engine/call-nature.ts'
import type { CallOptions } from '../../../engine/engine-shape.ts'
import { kinds } from '../../../engine/capability-table.ts'
import { nodePorts } from '../port/node-ports.ts'
import type { BookServer } from './book-server.ts'
import { type HolderLine, joinHolder } from './holder-line.ts'
import type { OwnedBook } from './owned-book.ts'
import type { JoiningProcess } from './process-wire.ts'

/** This process's turn to hold the book. */
export interface HeldBook {
  readonly owned: OwnedBook
  /** Absent where nobody else can be served. */
  readonly server: BookServer | undefined
  /** Lets go of the socket. */
  letGo(): void
}

export interface SharedBookOptions {
  readonly path: string
  readonly joiner: Omit<JoiningProcess, 'file'>
  /** Holds the book from now on; throws `open-elsewhere` while another process does. */
  hold(room: () => RoomEvent[], erased: () => void): HeldBook
  /** False: it holds the book, or nothing. */
  readonly mayJoin: boolean
  /** There was a book here, and now there is none. */
  isGone(): boolean
  readonly signal?: AbortSignalLike | undefined
}

/** How long a holder that is not (yet) there to be asked is looked for when the book is opened, and between two looks. */
const lookMs = { noted: 3000, unknown: 300, pause: 20, longestPause: 1000 }

/** Processes that followed the last holder find the next one in this time. */
const comeBackMs = 5000

export class SharedBook {
  readonly #options: SharedBookOptions
  readonly #listeners = new Set<(event: BookEvent) => void>()
  readonly #follower: Follower
  /** A copy of the meeting room as the holder has it, so that it outlives that holder. */
  readonly #room: MeetingRoom
  readonly #opening = Promise.withResolvers<void>()
  #held: HeldBook | undefined
  #line: HolderLine | undefined
  #ended: DaybookError | undefined
  #wasServed = false
  #beginning: Promise<void> = Promise.resolve()
  #epoch = 0
  #number = 0
  /** Numbers of calls whose outcome nobody has. */
  readonly #open = new Set<number>()

  private constructor(options: SharedBookOptions) {
    this.#options = options
    // Whoever opens the book waits for it; nobody does when it is lost later.
    this.#opening.promise.catch(() => undefined)
    this.#room = createMeetingRoom(nodePorts.clock, () => undefined)
    this.#follower = new Follower({
      tab: options.joiner.process,
      port: nodePorts.scheduler,
      natureOf,
      post: (message) => this.#post(message),
      ask: () => undefined,
      complain: () => undefined,
      giveUp: (error) => this.#end(error),
      refused: (error) => this.#end(error),
      welcomed: (durability) => this.#welcomed(durability),
    })
  }

  /** Resolves when calls are served, here or by another process. */
  static async open(options: SharedBookOptions): Promise<SharedBook> {
    const book = new SharedBook(options)
    book.#follower.lose(0)
    void book.#find()
    await book.#opening.promise
    return book
  }

  on(listener: (event: BookEvent) => void): () => void {
    if (!this.#ended) this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async call(id: string, input: unknown, options: CallOptions = {}): Promise<unknown> {
    if (this.#held) return this.#held.owned.engine.call(id, input, options)
    if (this.#ended) throw this.#ended
    const { signal, ...carried } = options
    if (signal) checkAborted(signal)
    checkJson(input)
    this.#number += 1
    const number = this.#number
    const call = { ...carried, number, input: structuredClone(input) }
    const abort = () => this.#follower.abort(number)
    signal?.addEventListener('abort', abort, { once: true })
    this.#open.add(number)
    this.#holdProcess()
    try {
      const [waiting] = this.#follower.call(id, [call])
      const reply = (await waiting) ?? failed(new DaybookError('internal'))
      if (reply.ok) return reply.value
      if (signal?.aborted === true && reply.error.code === 'aborted') checkAborted(signal)
      throw DaybookError.from(reply.error)
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#open.delete(number)
      this.#follower.settle(Math.min(this.#number + 1, ...this.#open))
      this.#holdProcess()
    }
  }

  async close(): Promise<void> {
    const held = this.#held
    if (held) {
      this.#ended ??= new DaybookError('book-closed')
      this.#follower.fail(this.#ended)
      await letGo(held)
      return
    }
    this.#end(new DaybookError('book-closed'), { name: 'closed', detail: { reason: 'closed' } })
    await this.#beginning
  }

  /** Holds the book, or finds who does, as often as it takes. */
  async #find(): Promise<void> {
    const { path, mayJoin, signal } = this.#options
    const began = performance.now()
    let pauseMs = lookMs.pause
    while (!this.#ended && !this.#held && !this.#line) {
      if (this.#tryHold()) return
      const found = mayJoin ? await joinHolder(path, this.#options.joiner, this.#hearing()) : 'none'
      if (found === 'joined') return
      const limitMs = found === 'none' ? lookMs.unknown : lookMs.noted
      const isOver = !mayJoin || performance.now() - began > limitMs || signal?.aborted === true
      if (!this.#wasServed && isOver) return this.#end(this.#notFound(signal))
      await this.#pause(pauseMs)
      pauseMs = Math.min(2 * pauseMs, lookMs.longestPause)
    }
  }

  /** Only who waits for an answer keeps the process alive. */
  #pause(pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      if (this.#wasServed && this.#open.size === 0) timer.unref()
    })
  }

  #notFound(signal: AbortSignalLike | undefined): DaybookError {
    return signal?.aborted === true ? new DaybookError('aborted') : new DaybookError('open-elsewhere')
  }

  /** True when there is nothing more to find: this process holds the book, or has lost it for good. */
  #tryHold(): boolean {
    try {
      if (this.#wasServed && this.#options.isGone()) {
        this.#end(new DaybookError('book-erased'))
        return true
      }
      const held = this.#options.hold(
        () => this.#room.snapshot(),
        () => void this.#erased(),
      )
      this.#beginning = this.#begin(held)
      return true
    } catch (error) {
      if (isDaybookError(error, 'open-elsewhere')) return false
      this.#end(toDaybookError(error))
      return true
    }
  }

  async #begin(held: HeldBook): Promise<void> {
    const { owned, server } = held
    const { passphrase } = this.#options.joiner
    try {
      if (passphrase !== undefined) await owned.engine.call('seal:unlock', { passphrase })
    } catch (error) {
      await letGo(held)
      return this.#end(toDaybookError(error))
    }
    // It was closed meanwhile.
    if (this.#ended) return letGo(held)
    this.#held = held
    this.#leaveRoom(held)
    owned.engine.on((event) => this.#hear(event))
    server?.serve(owned)
    this.#serve(owned.durability)
    for (const waiting of this.#follower.take()) void this.#takeOver(owned, waiting)
  }

  /** Who was in the room through a process that does not come back is not there any more. */
  #leaveRoom({ owned, server }: HeldBook): void {
    const { room } = owned.engine
    const others = room.tabs().filter((one) => one !== this.#options.joiner.process)
    if (others.length === 0) return
    nodePorts.scheduler.later(comeBackMs, () => {
      if (!this.#ended) for (const one of others) if (server?.has(one) !== true) room.leaveTab(one)
    })
  }

  /** Runs what this process had asked other holders to run. */
  async #takeOver({ engine }: OwnedBook, { id, call, begun, settle }: WaitingCall): Promise<void> {
    const { effect, repeatable } = natureOf(id)
    if (begun > 0 && effect === 'task' && !repeatable)
      return settle(failed(new DaybookError('owner-changed')))
    const { number, input, ...options } = call
    const requestId = requestOf(this.#options.joiner.process, number)
    try {
      settle({
        ok: true,
        value: await engine.call(id, input, effect === 'read' ? options : { requestId, ...options }),
      })
    } catch (error) {
      settle(failed(error))
    }
  }

  #hearing() {
    return {
      hear: (message: Parameters<Follower['hear']>[0]) => {
        if (message.type === 'room') this.#hearRoom(message.whole, message.events)
        else this.#follower.hear(message.type === 'refuse' ? message : { ...message, epoch: this.#epoch })
      },
      event: (event: BookEvent) => this.#hear(event),
      joined: (line: HolderLine) => {
        this.#epoch += 1
        this.#line = line
        this.#room.clear()
      },
      lost: () => {
        if (!this.#line) return
        this.#line = undefined
        if (this.#ended) return
        this.#follower.lose(this.#epoch)
        void this.#find()
      },
    }
  }

  #hearRoom(whole: boolean, events: readonly RoomEvent[]): void {
    for (const event of events) {
      this.#room.apply(event)
      if (!whole) this.#hear({ name: 'room', detail: event })
    }
  }

  #post(message: FollowerMessage): void {
    try {
      this.#line?.post(message)
    } catch (error) {
      // A call that no frame holds. Nobody has begun it.
      if (message.type !== 'call') throw error
      const replies = message.calls.map(({ number }) => [number, failed(error)] as const)
      this.#follower.hear({ type: 'answer', epoch: this.#epoch, replies })
    }
  }

  #welcomed(durability: Durability): boolean {
    this.#serve(durability)
    return true
  }

  /** Calls are served from now on: who listens hears by whom. */
  #serve(durability: Durability): void {
    this.#opening.resolve()
    this.#holdProcess()
    if (this.#wasServed) {
      this.#hear({ name: 'status', detail: { owner: this.#held !== undefined, durability } })
      // The last holder may have committed something at its end and told nobody.
      this.#hear({ name: 'change', detail: { ids: [], kinds: [...kinds.keys()], more: 0 } })
    }
    this.#wasServed = true
  }

  /** Only calls that wait keep the process alive, as in a book of its own. */
  #holdProcess(): void {
    this.#line?.hold(this.#open.size > 0 || !this.#wasServed)
  }

  #hear(event: BookEvent): void {
    for (const listener of Array.from(this.#listeners)) listener(event)
    if (event.name === 'closed') this.#listeners.clear()
  }

  /** Who asked for it is answered first; then every process hears why its book is gone. */
  async #erased(): Promise<void> {
    const held = this.#held
    if (!held) return
    const { server } = held
    await server?.lastAnswers()
    server?.refuseAll(new DaybookError('book-erased'))
    await server?.close(() => undefined)
  }

  /** The book is lost for good, or closed. */
  #end(error: DaybookError, event?: BookEvent): void {
    if (this.#ended) return
    this.#ended = error
    this.#follower.fail(error)
    this.#line?.post({ type: 'leave' })
    this.#line?.end()
    this.#line = undefined
    this.#opening.reject(error)
    this.#hear(event ?? { name: 'closed', detail: { reason: error.message, code: error.code } })
  }
}

async function letGo({ owned, server, letGo: letGoOfSocket }: HeldBook): Promise<void> {
  letGoOfSocket()
  if (server) await server.close(() => owned.engine.close())
  else owned.engine.close()
}
