// Syncs a device's book with its mirror: rounds of sync and their triggers, the line over which the mirror announces
// changes, and requests that are sent while no engine runs.
import type { DeviceRoom } from '../../commons/room/device-room.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { Changed, Service } from '../../core/capability/chapter.ts'
import type { SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import type { Carrier, Ports, SpillPlace } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'
import { BackgroundSync } from '../../sync/device/background.ts'
import { MirrorBookEraser, erasedMessage } from '../../sync/device/book-end.ts'
import { createLiveLine } from '../../sync/device/live.ts'
import { SyncSession } from '../../sync/device/session.ts'
import { isAutomatic, type SyncPlan } from '../../sync/device/sync-plan.ts'
import { SyncTrigger } from '../../sync/device/sync-trigger.ts'
import type { Purpose } from '../../sync/wire/live-wire.ts'
import type { LineCarrier } from './line-carrier.ts'

export interface BookSyncParts extends Pick<Ports, 'clock' | 'random' | 'scheduler'> {
  readonly name: string
  readonly store: BookStore
  readonly carrier: Carrier
  readonly plan: SyncPlan
  /** Stores requests that are sent after this engine has ended. */
  readonly spillPlace: SpillPlace | undefined
  /** Called for each record that a sync changed, after its commit. */
  readonly onChange: (id: string, kind: string) => void
  /** Called when a sync began, progressed or ended. */
  readonly onState: () => void
  readonly tell: (state: BookEvents['sync']) => void
  /** The meeting room of this device, which moves to the mirror while the line is open. */
  readonly room: DeviceRoom | undefined
  /** The pool's transport over the line; undefined if the pool does not use the line. */
  readonly line: LineCarrier | undefined
}

export class BookSync implements Service {
  readonly name = 'sync'
  readonly background: BackgroundSync | undefined
  /** Ends the book at its mirror. */
  readonly end: MirrorBookEraser
  readonly #parts: BookSyncParts
  readonly #session: SyncSession
  readonly #trigger: SyncTrigger
  readonly #live: ReturnType<typeof createLiveLine>
  #isPoolLine = false
  #renewal: Promise<unknown> | undefined

  constructor(parts: BookSyncParts) {
    const { store, carrier, plan, spillPlace, onChange, clock, scheduler, room, line } = parts
    this.#parts = parts
    this.end = new MirrorBookEraser(parts.name, store, carrier)
    this.#session = new SyncSession({
      name: parts.name,
      store,
      carrier,
      clock,
      selection: plan,
      onChange,
      onState: (_state, result) => {
        this.#tellState(result)
        parts.onState()
        this.#turnLine()
      },
    })
    this.background =
      spillPlace &&
      new BackgroundSync({
        store,
        clock,
        scheduler,
        place: spillPlace,
        selection: plan,
        isAutomatic: isAutomatic(plan),
        onChange,
        onState: () => this.#tellState(),
      })
    this.#trigger = new SyncTrigger({
      ...parts,
      session: this.#session,
      background: this.background,
      live: () => this.#live?.state(),
      // The mirror refused this device, such as its key, and a retry can't help. The line stays closed until a caller's
      // sync succeeds.
      onRefused: () => this.#live?.refuse(),
      onSynced: () => this.#live?.resume(),
    })
    const live = this.#openLive()
    this.#live = live
    // An earlier run stored this refusal: the mirror has erased the book. At a refusal of this run, `SyncTrigger` itself
    // calls `rest` and `onRefused`.
    if (this.#trigger.isRefused) {
      this.background?.rest()
      live?.refuse()
    }
    if (live) room?.expectLine((data) => live.send({ type: 'room', data: data as Record<string, unknown> }))
    if (live) line?.join(live)
  }

  /** Syncs on request, in both directions by default. */
  sync(signal: AbortSignalLike, direction?: SyncDirection): Promise<SyncResult> {
    return this.#trigger.sync(signal, direction)
  }

  state(): SyncState {
    return this.#trigger.state()
  }

  isRunning(): boolean {
    return this.#session.isRunning()
  }

  /** `seen`: true if the page is in view and there is a network. */
  attend(seen: boolean): void {
    this.#live?.setVisible(seen)
  }

  degraded(): string | undefined {
    return erasedMessage(this.#parts.store.settings)
  }

  wake(): void {
    this.#trigger.wake()
    this.#live?.wake()
  }

  called(): void {
    this.#trigger.bookUsed()
  }

  wrote(changed: readonly Changed[]): Promise<unknown> | undefined {
    const { store } = this.#parts
    // Returns also a renewal that another write began: it may still remove words that this call withdrew.
    const renewal = this.#renew()
    for (const { kind } of changed) this.#trigger.recordWritten(kind)
    // An urgent change starts a sync at once. Offline, the change is the first of the next sync.
    if (changed.some(({ kind }) => store.kinds.get(kind)?.urgent)) this.#trigger.urged()
    return renewal
  }

  close(): void {
    this.#trigger.close()
    this.#parts.room?.close()
    this.#live?.close()
  }

  #tellState(result?: SyncResult): void {
    this.#parts.tell({ ...this.state(), ...(result ? { result } : {}) })
  }

  #openLive() {
    const { store, carrier, plan, random, scheduler, room, line } = this.#parts
    return createLiveLine({
      store,
      carrier,
      isEnabled: plan.live,
      random,
      scheduler,
      onPoke: () => this.#trigger.mirrorChanged(),
      onState: () => this.#tellState(),
      purposes: ['sync', ...(room ? (['room'] as const) : []), ...(line ? (['pool'] as const) : [])],
      isNeededWhileHidden: () => room?.isInUse ?? false,
      onOpen: (version, purposes) => {
        this.#trigger.lineOpened()
        // A line of version 1 only announces changes.
        const isFor = (purpose: Purpose) => version > 1 && purposes.includes(purpose)
        if (isFor('room')) room?.lineOpened()
        else room?.lineClosed()
        this.#isPoolLine = isFor('pool')
        this.#turnLine()
      },
      onClosed: () => {
        room?.lineClosed()
        this.#isPoolLine = false
        this.#turnLine()
      },
      onRoomNotice: (data) => room?.receive(data),
      ...(line ? { onRelayedFrame: line.receive } : {}),
    })
  }

  /**
   * Opens or closes the line for the pool. The line stays closed before the first sync: this copy does not know the
   * group of its pool yet, and would reject the group's envelopes.
   */
  #turnLine(): void {
    const { plan, store, line } = this.#parts
    // Without `onWake`, no sync starts at the opening, so the line does not wait for one.
    const isFirst = plan.onWake && store.settings.get('synced_at') === undefined
    line?.setOpen(this.#isPoolLine && !isFirst)
  }

  /**
   * Replaces the requests stored outside of the book if a change in them was withdrawn. Returns the running renewal,
   * which never rejects; undefined if no renewal runs.
   */
  #renew(): Promise<unknown> | undefined {
    if (!this.#parts.store.ops.takeWithdrawnFlag() || !this.background) return this.#renewal
    const renewal = this.background.replaceWithdrawn().then(() => {
      if (this.#renewal === renewal) this.#renewal = undefined
    })
    this.#renewal = renewal
    return renewal
  }
}
