// The port that everything filled here which syncs: a device with traces, and an address that it syncs with.
// Law: `sync` resolves when all that is here is there, and all that is there is here.
import type { BenchTrace } from '../peer.ts'

export interface SyncPeer {
  readonly name: string
  readonly mode: string
  /** Opens a new, empty device of `room` at `server`. */
  open(room: string, server: string): Promise<SyncDevice>
}

export interface SyncDevice {
  store(traces: readonly BenchTrace[]): Promise<unknown>
  sync(): Promise<unknown>
  count(): Promise<number>
  close(): Promise<unknown>
}
