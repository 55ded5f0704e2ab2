// Everything by which a device keeps its book and the mirror alike: rounds of sync, what begins them, the line on which the
// mirror tells of changes, and what is sent when no engine runs.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { Service } from '../../core/capability/service.ts'
import type { SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import type { Carrier, Ports, SpillPlace } from '../../core/ports.ts'
import type { DeviceRoom } from '../../commons/room/device-room.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { LineCarrier } from './line-carrier.ts'
import { Background } from '../../sync/device/background.ts'
import { EndAtMirror, erasedText } from '../../sync/device/book-end.ts'
import { createLiveLine } from '../../sync/device/live.ts'
import type { Purpose } from '../../sync/wire/live-wire.ts'
import { SyncSession } from '../../sync/device/session.ts'
import { isAutomatic, type SyncPlan } from '../../sync/device/sync-plan.ts'
import { SyncTrigger } from '../../sync/device/sync-trigger.ts'

export interface BookSync extends Service {
  /** Syncs because somebody asked for it, in both directions unless he named one. */
  sync(signal: AbortSignalLike, direction?: SyncDirection): Promise<SyncResult>
  state(): SyncState
  isRunning(): boolean
  /** Whether anybody looks, and there is a network. */
  attend(seen: boolean): void
  readonly background: Background | undefined
  /** The end of the book at its mirror. */
  readonly end: EndAtMirror
}

export interface BookSyncParts extends Pick<Ports, 'clock' | 'random' | 'scheduler'> {
  /** The name of the book. */
  readonly name: string
  readonly store: BookStore
  readonly carrier: Carrier
  readonly plan: SyncPlan
  /** Where requests are left that are to be sent when this engine has ended. */
  readonly spillPlace: SpillPlace | undefined
  /** Called for each record that a sync changed, after its commit. */
  readonly onChange: (id: string, kind: string) => void
  /** Called when a sync began, went on or ended. */
  readonly onState: () => void
  readonly tell: (state: BookEvents['sync']) => void
  /** The meeting room of this device, which goes on at the mirror while there is a line. */
  readonly room: DeviceRoom | undefined
  /** The pool's way over the line. */
  readonly line: LineCarrier | undefined
}

export function createBookSync(parts: BookSyncParts): BookSync {
  const { store, carrier, plan, spillPlace, onChange, clock, random, scheduler, room, line } = parts
  const tellState = (result?: SyncResult) => parts.tell({ ...trigger.state(), ...(result ? { result } : {}) })
  const session = new SyncSession({
    name: parts.name,
    store,
    carrier,
    clock,
    selection: plan,
    onChange,
    onState(_state, result) {
      tellState(result)
      parts.onState()
      turnLine()
    },
  })
  let isPoolLine = false
  /** A copy that was never synced does not know of which group its pool is: it would turn away what is meant for it. */
  const turnLine = () => {
    const isFirst = plan.onWake && store.settings.get('synced_at') === undefined
    line?.turned(isPoolLine && !isFirst)
  }
  const background =
    spillPlace &&
    new Background({
      store,
      clock,
      scheduler,
      place: spillPlace,
      selection: plan,
      isAutomatic: isAutomatic(plan),
      onChange,
      onState: tellState,
    })
  const trigger = new SyncTrigger({
    plan,
    session,
    background,
    store,
    clock,
    random,
    scheduler,
    live: () => live?.state(),
  })
  const live = createLiveLine({
    store,
    carrier,
    wanted: plan.live,
    random,
    scheduler,
    onPoke: () => trigger.poked(),
    onState: tellState,
    purposes: ['sync', ...(room ? (['room'] as const) : []), ...(line ? (['pool'] as const) : [])],
    isNeeded: () => room?.isInUse ?? false,
    onOpen(version, purposes) {
      const isFor = (purpose: Purpose) => version > 1 && purposes.includes(purpose)
      if (isFor('room')) room?.opened()
      else room?.gone()
      isPoolLine = isFor('pool')
      turnLine()
    },
    onGone() {
      room?.gone()
      isPoolLine = false
      turnLine()
    },
    onRoom: (data) => room?.hear(data),
    ...(line ? { onTalk: line.hear } : {}),
  })
  if (live) room?.await((data) => live.say({ type: 'room', data: data as Record<string, unknown> }))
  if (live) line?.join(live)

  let renewal: Promise<unknown> | undefined
  /** Undefined where nothing that was withdrawn is left outside of the book. */
  const renewed = () => {
    if (!store.ops.takeWithdrawnFlag() || !background) return renewal
    const own = background.renew().then(() => {
      if (renewal === own) renewal = undefined
    })
    renewal = own
    return own
  }

  return {
    name: 'sync',
    sync: (signal, direction) => trigger.sync(signal, direction),
    state: () => trigger.state(),
    isRunning: () => session.isRunning(),
    attend: (seen) => live?.attend(seen),
    background,
    end: new EndAtMirror(parts.name, store, carrier),
    degraded: () => erasedText(store.settings),
    wake() {
      trigger.wake()
      live?.wake()
    },
    called: () => trigger.touched(),
    wrote(changed) {
      // Another write may have begun it, such as that of the first key: the call whose words they were waits for it too.
      const pending = renewed()
      for (const { kind } of changed) trigger.acted(kind)
      // What is urgent does not wait for a trigger. Without a connection it goes with the next sync, ahead of all else.
      if (changed.some(({ kind }) => store.kinds.get(kind)?.urgent))
        void trigger.sync(neverAborted).catch(() => undefined)
      return pending
    },
    close() {
      trigger.close()
      room?.close()
      live?.close()
    },
  }
}
