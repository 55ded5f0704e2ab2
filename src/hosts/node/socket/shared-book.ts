// A book that several processes share. This process owns it, or calls the owner over its socket and becomes
// the owner when that one ends.
// Invariant: the lock of the file alone decides which process owns the book. Two owners never carry out the same call
// twice: every write has a requestId.
import { createMeetingRoom, type MeetingRoom } from '../../../commons/room/meeting-room.ts'
import {
  type EventMessage,
  type FollowerMessage,
  type OwnerMessage,
  failedReply,
  requestOf,
} from '../../../book/share/line-message.ts'
import { Follower, type WaitingCall } from '../../../book/share/follower.ts'
import { OpeningPassphrase } from '../../../book/share/opening-passphrase.ts'
import { type AbortSignalLike, checkAborted } from '../../../core/abort.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { RoomEvent } from '../../../core/capability/port/room-port.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import type { Durability } from '../../../core/record.ts'
import { kinds, natureOf } from '../../../engine/capability-table.ts'
import type { CallingTab, CallOptions } from '../../../engine/engine-shape.ts'
import { defined } from '../../../core/defined.ts'
import type { BookPath } from '../port/book-path.ts'
import { afterKeyWork } from '../key/key-turn.ts'
import { nodePorts } from '../port/node-ports.ts'
import type { BookServer } from './book-server.ts'
import { type OwnedBook, unlock } from './owned-book.ts'
import type { JoiningProcess } from './process-wire.ts'
import { connect } from 'node:net'
import { isJsonObject } from '../../../core/json/path.ts'
import { FrameLine } from './frame-line.ts'
import { fileIdOf, readSocketNote } from './socket-place.ts'

/** The open book while this process is its owner. */
export interface HeldBook {
  readonly owned: OwnedBook
  /** Undefined: other processes are not served. */
  readonly server: BookServer | undefined
  /** Removes the note with the socket path; the server removes the socket. */
  release(): void
}

export interface SharedBookOptions extends BookPath {
  /** This process, as it introduces itself to an owner. */
  readonly joiner: Omit<JoiningProcess, 'file'>
  /**
   * Opens the book as its owner; throws `open-elsewhere` while another process is. `room`: returns events that rebuild
   * the meeting room as this process knows it. `erased`: call it when the book is erased, or its erasure
   * has begun and failed.
   */
  hold(room: () => RoomEvent[], erased: () => void): HeldBook
  /** False: become the owner, or fail. */
  readonly mayJoin: boolean
  /** Whether the book is erased, or its erasure has begun: then it doesn't begin anew in a process that was served. */
  isErased(): boolean
  readonly signal?: AbortSignalLike | undefined
}

/**
 * How long the opening of a book looks for its owner, in milliseconds: `noted` if there is a note with a socket path,
 * else `unknown`. The pauses between tries double from `pause` to `longestPause`.
 */
const searchMs = { noted: 3000, unknown: 300, pause: 20, longestPause: 1000 }

/** A process that the last owner served joins the next owner within this time, or has ended. */
const rejoinLimitMs = 5000

export class SharedBook {
  readonly #options: SharedBookOptions
  readonly #listeners = new Set<(event: BookEvent) => void>()
  readonly #follower: Follower
  readonly #passphrase: OpeningPassphrase
  /** A copy of the owner's meeting room, so that it survives that owner. Absent: no owner has sent its room yet. */
  #room: MeetingRoom | undefined
  /** Settles when calls are served, or the opening has failed. */
  readonly #opening = Promise.withResolvers<void>()
  #held: HeldBook | undefined
  /** The end of this process as the owner. A second one would remove the note of the next owner. */
  #releasing: Promise<void> | undefined
  #line: OwnerLine | undefined
  /** Set when the book is lost for good, or closed: every later call rejects with it. */
  #endError: DaybookError | undefined
  /** True once some owner, this process included, served calls: from then on the search for an owner has no limit. */
  #wasServed = false
  /** Settles when this process, as the new owner, has started. */
  #starting: Promise<void> = Promise.resolve()
  /** Number of owners that this process has joined; messages with an earlier number are ignored. */
  #epoch = 0
  /** Number of the last call. */
  #number = 0
  /** Numbers of calls without an outcome. */
  readonly #open = new Set<number>()

  private constructor(options: SharedBookOptions) {
    this.#options = options
    this.#passphrase = new OpeningPassphrase(options.joiner.passphrase)
    // The opener awaits this; nobody does when the book is lost later.
    this.#opening.promise.catch(() => undefined)
    this.#follower = new Follower({
      // Tabs of a browser share this code: here a tab is a process.
      tab: options.joiner.process,
      port: nodePorts.scheduler,
      natureOf,
      post: (message) => this.#post(message),
      // Not needed: a lost connection shows the end of an owner, and `#find` looks for the next one.
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
    // No owner yet. The follower counts the time from now on, and gives up if no owner serves this process.
    book.#follower.lose(0)
    void book.#find()
    await book.#opening.promise
    return book
  }

  on(listener: (event: BookEvent) => void): () => void {
    if (!this.#endError) this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async call(id: string, input: unknown, options: CallOptions = {}): Promise<unknown> {
    const answer = await this.#call(id, input, options)
    this.#passphrase.called(id, input)
    return answer
  }

  async #call(id: string, input: unknown, options: CallOptions): Promise<unknown> {
    if (this.#held) return this.#held.owned.engine.call(id, input, { from: this.#home(), ...options })
    if (this.#endError) throw this.#endError
    const { signal, onBegin, ...carried } = options
    if (signal) checkAborted(signal)
    checkJson(input)
    this.#number += 1
    const number = this.#number
    const call = { ...carried, number, input: structuredClone(input) }
    const abort = () => this.#follower.abort(number)
    signal?.addEventListener('abort', abort, { once: true })
    const isRead = natureOf(id).effect === 'read'
    // From now on only the follower knows whether an owner may have begun the call.
    if (!isRead) onBegin?.()
    this.#open.add(number)
    this.#holdProcess()
    try {
      const [waiting] = this.#follower.call(id, [call])
      const reply = (await waiting) ?? failedReply(new DaybookError('internal'))
      if (reply.ok) return reply.value
      if (isRead && signal?.aborted === true && reply.error.code === 'aborted') checkAborted(signal)
      throw DaybookError.from(reply.error)
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#open.delete(number)
      // The owner may forget the answers of all calls below the lowest open one.
      this.#follower.settle(Math.min(this.#number + 1, ...this.#open))
      this.#holdProcess()
    }
  }

  async close(): Promise<void> {
    const held = this.#held
    if (held) {
      // The engine itself emits `closed`.
      this.#endError ??= new DaybookError('book-closed')
      this.#follower.fail(this.#endError)
      this.#releasing ??= this.#release(held)
      await this.#releasing
      return
    }
    this.#end(new DaybookError('book-closed'), { name: 'closed', detail: { reason: 'closed' } })
    await this.#starting
  }

  /** Becomes the owner or finds it, with retries. */
  async #find(): Promise<void> {
    const { path, mayJoin, signal } = this.#options
    const began = performance.now()
    let pauseMs = searchMs.pause
    while (!this.#endError && !this.#held && !this.#line) {
      if (this.#tryHold()) return
      const found = mayJoin ? await joinOwner(path, this.#joiner(), this.#listener()) : 'none'
      if (found === 'joined') return
      const limitMs = found === 'none' ? searchMs.unknown : searchMs.noted
      const isOver = !mayJoin || performance.now() - began > limitMs || signal?.aborted === true
      if (!this.#wasServed && isOver) return this.#end(this.#notFound(signal))
      await this.#pause(pauseMs)
      pauseMs = Math.min(2 * pauseMs, searchMs.longestPause)
    }
  }

  /** This process as the engine's caller, while it owns the book. */
  #home(): CallingTab {
    const { process, scope } = this.#options.joiner
    const { agent, session, resource } = scope
    return { tab: process, scope: { agent, ...defined({ session, resource }) }, owner: true }
  }

  #joiner(): Omit<JoiningProcess, 'file'> {
    return { ...this.#options.joiner, passphrase: this.#passphrase.last, isBack: this.#wasServed }
  }

  /** Only a caller that waits keeps the process alive. */
  #pause(pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      if (this.#wasServed && this.#open.size === 0) timer.unref()
    })
  }

  #notFound(signal: AbortSignalLike | undefined): DaybookError {
    return signal?.aborted === true ? new DaybookError('aborted') : new DaybookError('open-elsewhere')
  }

  /** Tries to own the book. True: the search is over, because it succeeded, or the book is lost for good. */
  #tryHold(): boolean {
    try {
      if (this.#wasServed && this.#options.isErased()) {
        this.#end(new DaybookError('book-erased'))
        return true
      }
      const held = this.#options.hold(
        () => this.#room?.snapshot() ?? [],
        () => void (this.#releasing ??= this.#erased()),
      )
      this.#starting = this.#start(held)
      return true
    } catch (error) {
      if (isDaybookError(error, 'open-elsewhere')) return false
      this.#end(toDaybookError(error))
      return true
    }
  }

  async #start(held: HeldBook): Promise<void> {
    const { owned, server } = held
    const { last } = this.#passphrase
    try {
      if (last !== undefined) await unlock(owned.engine, last, this.#wasServed)
    } catch (error) {
      await this.#release(held)
      return this.#end(toDaybookError(error))
    }
    // It was closed meanwhile.
    if (this.#endError) return this.#release(held)
    this.#held = held
    this.#leaveRoom(held)
    owned.engine.on((event) => this.#hear(event))
    server?.serve(owned)
    this.#serve(owned.durability)
    for (const waiting of this.#follower.take()) void this.#rerun(owned, waiting)
  }

  /**
   * Removes members of the meeting room whose process doesn't join this owner within `rejoinLimitMs`. Here
   * the tabs of the room are processes.
   */
  #leaveRoom({ owned, server }: HeldBook): void {
    const { room } = owned.engine
    const others = room.tabs().filter((one) => one !== this.#options.joiner.process)
    if (others.length === 0) return
    nodePorts.scheduler.later(rejoinLimitMs, () => {
      if (!this.#endError) for (const one of others) if (server?.has(one) !== true) room.leaveTab(one)
    })
  }

  /** Runs a call that earlier owners didn't answer. `begun`: number of owners that may have started it. */
  async #rerun({ engine }: OwnedBook, { id, call, begun, settle }: WaitingCall): Promise<void> {
    // `repeatable`: a task that may run again from its start (CallNature in engine/verb-table.ts).
    const { effect, repeatable } = natureOf(id)
    // An earlier owner may have run a part of this task, and it must not run again from its start.
    if (begun > 0 && effect === 'task' && !repeatable)
      return settle(failedReply(new DaybookError('owner-changed')))
    const { number, input, ...options } = call
    // For a write without a requestId of its caller: one in `options` replaces it.
    const requestId = requestOf(this.#options.joiner.process, number)
    try {
      settle({
        ok: true,
        value: await engine.call(id, input, {
          from: this.#home(),
          ...(effect === 'read' ? options : { requestId, ...options }),
        }),
      })
    } catch (error) {
      settle(failedReply(error))
    }
  }

  #listener() {
    return {
      hear: (message: Parameters<Follower['hear']>[0]) => {
        if (message.type === 'room') this.#onRoomMessage(message.whole, message.events)
        // Each owner sends the same epoch (`lineEpoch` in book-server.ts): use the count of this process
        // instead.
        else this.#follower.hear(message.type === 'refuse' ? message : { ...message, epoch: this.#epoch })
      },
      event: (event: BookEvent) => this.#hear(event),
      joined: (line: OwnerLine) => {
        this.#epoch += 1
        this.#line = line
        this.#room?.clear()
      },
      lost: () => {
        // This process ended the connection itself.
        if (!this.#line) return
        this.#line = undefined
        if (this.#endError) return
        this.#follower.lose(this.#epoch)
        void this.#find()
      },
    }
  }

  #onRoomMessage(isSnapshot: boolean, events: readonly RoomEvent[]): void {
    this.#room ??= createMeetingRoom(nodePorts.clock, () => undefined)
    for (const event of events) {
      this.#room.apply(event)
      if (!isSnapshot) this.#hear({ name: 'room', detail: event })
    }
  }

  #post(message: FollowerMessage): void {
    try {
      this.#line?.post(message)
    } catch (error) {
      // The call is too large for a frame, and no owner has begun it.
      if (message.type !== 'call') throw error
      const replies = message.calls.map(({ number }) => [number, failedReply(error)] as const)
      this.#follower.hear({ type: 'answer', epoch: this.#epoch, replies })
    }
  }

  /** Returns true: a process refuses no owner. */
  #welcomed(durability: Durability): boolean {
    this.#serve(durability)
    return true
  }

  /** Calls are served from now on; notify listeners. */
  #serve(durability: Durability): void {
    this.#opening.resolve()
    this.#holdProcess()
    if (this.#wasServed) {
      this.#hear({ name: 'status', detail: { owner: this.#held !== undefined, durability } })
      // The last owner may have committed without an event. Empty `ids`: any record may have changed.
      this.#hear({ name: 'change', detail: { ids: [], kinds: [...kinds.keys()], more: 0 } })
    }
    this.#wasServed = true
  }

  /** Only pending calls keep the process alive, as in a book of its own. */
  #holdProcess(): void {
    this.#line?.hold(this.#open.size > 0 || !this.#wasServed)
  }

  #hear(event: BookEvent): void {
    for (const listener of Array.from(this.#listeners)) listener(event)
    if (event.name === 'closed') this.#listeners.clear()
  }

  /** Answer the caller first, then notify every process that its book was erased. */
  async #erased(): Promise<void> {
    const held = this.#held
    if (!held) return
    const { server } = held
    await server?.refuseAll(new DaybookError('book-erased'))
    // The erasure has closed the engine.
    await server?.close(() => undefined)
  }

  /** Closes the book of this owner. The next owner must not wait `rejoinLimitMs` for this process to leave the room. */
  #release({ owned, server, release }: HeldBook): Promise<void> {
    const { joiner } = this.#options
    return afterKeyWork(this.#options, () => {
      release()
      if (!server) return owned.engine.close()
      return server.close(() => {
        owned.engine.close()
        server.leaveRoom(joiner.process)
      })
    })
  }

  /** Ends this book: it is lost for good, or closed. `event`: default `closed` with the error. */
  #end(error: DaybookError, event?: BookEvent): void {
    if (this.#endError) return
    this.#endError = error
    this.#follower.fail(error)
    this.#line?.post({ type: 'leave' })
    this.#line?.end()
    this.#line = undefined
    this.#opening.reject(error)
    this.#hear(event ?? { name: 'closed', detail: { reason: error.message, code: error.code } })
  }
}

type OwnerLine = Pick<FrameLine, 'end' | 'hold'> & { post(message: FollowerMessage): void }

interface OwnerListener {
  hear(message: OwnerMessage): void
  event(event: BookEvent): void
  /** The connection is open; the owner's first message accepts or refuses this process. */
  joined(line: OwnerLine): void
  lost(): void
}

/** `none`: there is no note with a socket path, or no file. `silent`: nothing listens there, not yet or no longer. */
type Joining = 'joined' | 'silent' | 'none'

/** Time for the owner's first message, which comes when it has opened the book; calls have the limits of `Follower`. */
const timeouts = { firstMs: 60_000 }

async function joinOwner(
  path: string,
  joiner: Omit<JoiningProcess, 'file'>,
  { hear, event, joined, lost }: OwnerListener,
): Promise<Joining> {
  const socketPath = readSocketNote(path)
  const file = fileIdOf(path)
  if (socketPath === undefined || file === undefined) return 'none'
  const socket = connect(socketPath)
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  if (!isConnected) {
    socket.destroy()
    return 'silent'
  }
  const line = new FrameLine(socket, {
    timeouts,
    hear(data) {
      // The owner runs this same version of Daybook for the same user.
      if (!isJsonObject(data)) return
      const message = data as unknown as OwnerMessage | EventMessage
      if (message.type === 'event') event(message.event)
      else hear(message)
    },
    closed: lost,
  })
  line.widen()
  joined(line)
  line.post({ ...joiner, file })
  return 'joined'
}
