// One tab's place at a book: it holds the book in its turn, or has its calls run by the tab that does.
// Invariant: the book is opened only while the owner lock is held, and the lock is freed only after it was let go.
import { kinds } from '../../../engine/capability-table.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import { createMeetingRoom } from '../../../commons/room/meeting-room.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { Clock } from '../../../core/ports.ts'
import type { Durability, Scope } from '../../../core/record.ts'
import type { RoomEvent } from '../../../core/capability/room-port.ts'
import { isOwnRequest, requestOf } from '../wire/call-name.ts'
import { aliveLock, type CallMessage, failed, type Reply } from '../wire/message.ts'
import { type CallNature, createFollower } from './tab-follower.ts'
import { createTabOwner, type OwnedBook, type TabOwner } from './tab-owner.ts'
import type { TabPort } from './tab-port.ts'
import {
  compareVersions,
  type FollowerMessage,
  type HallMessage,
  hallName,
  lineName,
  type OwnerMessage,
  ownerLock,
  tabVersion,
} from './tab-wire.ts'

export interface Turn {
  readonly after: number
  readonly acceptMemory: boolean
  /** What led to the meeting room as this tab knows it. */
  readonly room: () => RoomEvent[]
  /** Its files turned out to be damaged: somebody should open the book again. */
  readonly fault: () => void
}

export interface TabSeatOptions {
  readonly book: string
  /** Names this tab; no other ever has the same. */
  readonly tab: string
  /** Its page had the book before it slept, and has missed what happened since. */
  readonly isBack?: boolean | undefined
  readonly scope: Scope
  readonly strict: boolean
  /** The embedder it was opened with, as `provider|model`. */
  readonly embedder?: string | undefined
  /** The address of its mirror and the name of its language model. */
  readonly mirror?: string | undefined
  readonly llm?: string | undefined
  readonly acceptMemory: boolean
  readonly port: TabPort
  readonly clock: Clock
  readonly natureOf: (id: string) => CallNature
  /** Opens the book as an owner later than `after`; in memory only where nothing durable was ever known of it. */
  readonly open: (turn: Turn) => Promise<OwnedBook>
  readonly tell: (event: BookEvent) => void
}

export interface TabSeat {
  /** Resolves when calls are served, here or by another tab. */
  readonly seated: Promise<void>
  /** The page has the outcomes of all calls below `settled`. */
  call(id: string, calls: readonly CallMessage[], settled?: number): Promise<Reply[]>
  abort(number: number): void
  /** `isBack`: its page is put to sleep, and may make its calls again. */
  close(isBack?: boolean): Promise<void>
}

/** What the owner tells is of the owner. */
const asFollower = (event: BookEvent): BookEvent =>
  event.name === 'status' ? { ...event, detail: { ...event.detail, owner: false } } : event

/** Calls of this tab that were being run when it is closed are waited for this long. */
const lastWordsMs = 1000
/** A tab whose turn failed lets the others try before it stands in line again. */
const retryMs = 250

export function createTabSeat(options: TabSeatOptions): TabSeat {
  const { book, tab, scope, strict, port, natureOf, tell } = options
  const { promise: seated, resolve: sit, reject: stay } = Promise.withResolvers<void>()
  const running = new Map<number, AbortController>()
  let owner: { readonly serves: TabOwner; readonly free: () => void } | undefined
  let lettingGo: Promise<void> | undefined
  let opening = false
  let ended: DaybookError | undefined
  let turn = new AbortController()
  let becomeQuiet: () => void = () => undefined
  let wasSeated = false
  let wasDurable = false

  const seat = (durability: Durability) => {
    wasDurable ||= durability !== 'memory'
    sit()
    if (wasSeated || options.isBack) {
      tell({ name: 'status', detail: { owner: owner !== undefined, durability } })
      // What the last owner committed at its end it may not have told of any more, and who sleeps hears nothing.
      tell({ name: 'change', detail: { ids: [], kinds: [...kinds.keys()], more: 0 } })
    }
    wasSeated = true
  }

  const { embedder, mirror, llm } = options
  const joiner = { tab, version: tabVersion, scope, strict, embedder, mirror, llm }
  const ask = () => hall.post({ type: 'join', ...joiner })

  const follower = createFollower({
    tab,
    port,
    natureOf,
    ask,
    post: (message) => line.post(message),
    complain: (epoch) => hall.post({ type: 'yield', ...(epoch === undefined ? {} : { epoch }) }),
    giveUp: (error) => end(error),
    refused: (error) => end(error),
    welcomed(durability) {
      if (owner || opening || ended) return false
      if (durability === 'memory' && !options.acceptMemory) {
        end(new DaybookError('storage-unavailable', 'The tab that has this book keeps it in memory only.'))
        return false
      }
      seat(durability)
      return true
    },
  })

  /** Nothing is sent until the owner, or the next one, says welcome; then all that is not answered is. */
  const lose = (epoch: number) => {
    follower.lose(epoch)
    ask()
  }
  const hearHall = (message: HallMessage) => {
    if (ended) return
    if (message.type === 'event') {
      if (!owner && message.epoch >= follower.seen) tell(asFollower(message.event))
    } else if (message.type === 'owner') {
      if (owner && message.epoch > owner.serves.epoch) stepDown()
      if (!owner && !opening && message.epoch > follower.seen) {
        lose(message.epoch)
      }
    } else if (message.type === 'yield') {
      if (owner && (message.epoch ?? owner.serves.epoch) === owner.serves.epoch) stepDown()
    } else if (message.type === 'join') {
      const newer = compareVersions(message.version, tabVersion) > 0
      // A newer tab shall have the book, so everyone older goes to the end of the line.
      if (!newer) owner?.serves.admit(message)
      else if (owner) stepDown()
      else if (!opening) stand()
    }
  }
  const hall = port.open<HallMessage, HallMessage>(hallName(book), hearHall)
  /** A copy of the meeting room as the owner of `roomEpoch` has it, so that it outlives that owner. */
  const room = createMeetingRoom(options.clock, () => undefined)
  let roomEpoch = 0
  const hearRoom = ({ epoch, whole, events }: Extract<OwnerMessage, { type: 'room' }>) => {
    if (whole && !owner && epoch >= follower.seen) {
      roomEpoch = epoch
      room.clear()
    }
    if (epoch !== roomEpoch) return
    // What the last owner had still said counts, even if this tab has the book by now.
    const place = owner?.serves.engine.room ?? room
    for (const event of events) place.apply(event)
    if (!whole) for (const detail of events) tell({ name: 'room', detail })
  }
  const hearLine = (message: OwnerMessage) => {
    if (ended) return
    if (message.type === 'room') hearRoom(message)
    else if (!owner) follower.hear(message)
  }
  const line = port.open<OwnerMessage, FollowerMessage>(lineName(book, tab), hearLine, {
    of: 'tab',
    alive: aliveLock(tab),
    cut: () => void (!ended && !owner && !opening && lose(follower.seen)),
  })

  const stand = () => {
    turn.abort()
    const mine = new AbortController()
    turn = mine
    port.lock(ownerLock(book), mine.signal).then(
      (free) => (mine.signal.aborted ? free() : void take(free)),
      () => undefined,
    )
  }

  const take = async (free: () => void) => {
    opening = true
    follower.take()
    try {
      const acceptMemory = options.acceptMemory && !wasDurable
      const owned = await options.open({
        after: follower.seen,
        acceptMemory,
        room: room.snapshot,
        fault: stepDown,
      })
      opening = false
      if (ended) {
        owned.engine.close()
        await owned.release()
        return free()
      }
      if (strict) owned.makeStrict()
      const serves = createTabOwner({ book, own: tab, owned, port, hall, tell, onFault: stepDown })
      owner = { serves, free }
      hall.post({ type: 'owner', epoch: owned.epoch })
      seat(owned.durability)
      for (const one of follower.take()) void serve(serves, one)
    } catch (error) {
      opening = false
      free()
      if (ended) return
      const why = toDaybookError(error)
      if (!wasSeated || !why.retry) return end(why)
      follower.lose(follower.seen)
      port.later(retryMs, () => {
        if (!ended) stand()
      })
    }
  }

  /** Runs in this tab's engine what it had asked others to run. */
  const serve = async (serves: TabOwner, one: ReturnType<typeof follower.take>[number]) => {
    const { effect, repeatable } = natureOf(one.id)
    if (one.begun > 0 && effect === 'task' && !repeatable)
      return one.settle(failed(new DaybookError('owner-changed')))
    one.settle(await runHere(serves, one.id, one.call))
  }

  const runHere = async (serves: TabOwner, id: string, call: CallMessage): Promise<Reply> => {
    const { number, input, ...rest } = call
    const { effect } = natureOf(id)
    const abort = new AbortController()
    running.set(number, abort)
    try {
      const named = effect === 'task' ? { requestId: requestOf(tab, number), ...rest } : rest
      return { ok: true, value: await serves.engine.call(id, input, { ...named, signal: abort.signal }) }
    } catch (error) {
      if (isDaybookError(error, 'storage-failed')) stepDown()
      if (isDaybookError(error, 'storage-full')) await serves.refit?.()
      // Let go of in the middle: a write that found the book closed was not begun, another may have been.
      const cut = serves.closed && !ended && !abort.signal.aborted
      const safe = effect !== 'write' || call.requestId !== undefined || isDaybookError(error, 'book-closed')
      // What found no room would find none in the next turn either.
      if (!cut || !safe || isDaybookError(error, 'storage-full')) return failed(error)
      return (await follower.call(id, [call], 1)[0]) ?? failed(error)
    } finally {
      running.delete(number)
      if (running.size === 0) becomeQuiet()
    }
  }

  const letGo = async () => {
    const { serves, free } = owner ?? {}
    owner = undefined
    await serves?.close()
    free?.()
  }

  /** What is kept at the very end is answered before the page hears that the book is closed. */
  const lastWords = () =>
    new Promise<void>((resolve) => {
      const cancel = port.later(lastWordsMs, resolve)
      becomeQuiet = () => {
        cancel()
        // The answers are on their way to the page by then.
        port.later(0, resolve)
      }
    })

  const stepDown = () => {
    if (!owner) return
    follower.lose(owner.serves.epoch)
    room.clear()
    for (const event of owner.serves.engine.room.snapshot()) room.apply(event)
    lettingGo = letGo().then(() => {
      if (ended) return
      stand()
      ask()
    })
  }

  const leave = (error: DaybookError, isBack = false) => {
    ended = error
    turn.abort()
    follower.fail(error)
    if (!isBack) line.post({ type: 'leave' })
    line.close()
  }

  const end = (error: DaybookError) => {
    if (ended) return
    leave(error)
    stay(error)
    hall.close()
    tell({ name: 'closed', detail: { reason: error.message } })
  }

  // Its line is heard, then its lock is held, then it asks: an owner may answer and watch it at once.
  stand()
  port.lock(aliveLock(tab)).then(
    () => {
      if (ended || owner || opening) return
      ask()
      follower.lose(0)
    },
    () => undefined,
  )

  return {
    seated,
    call(id, calls, settled = 0) {
      if (ended) {
        const reply = failed(ended)
        return Promise.resolve(calls.map(() => reply))
      }
      follower.settle(settled)
      const serves = owner?.serves
      if (calls.some(({ requestId }) => isOwnRequest(tab, requestId))) serves?.settle(settled)
      if (!serves) return Promise.all(follower.call(id, calls))
      return Promise.all(serves.engine.together(() => calls.map((call) => runHere(serves, id, call))))
    },
    abort(number) {
      running.get(number)?.abort()
      follower.abort(number)
    },
    async close(isBack) {
      if (ended) return
      leave(new DaybookError(isBack ? 'owner-changed' : 'book-closed'), isBack)
      const quiet = running.size > 0 ? lastWords() : undefined
      await lettingGo
      await letGo()
      await quiet
      hall.close()
      tell({ name: 'closed', detail: { reason: 'closed' } })
    },
  }
}
