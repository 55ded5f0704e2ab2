// The steps of a simulated world.
/** The fate of one request of a sync on the network. `behead`: the first op is lost. `ask-again`: the answer is lost, and
 *  the device requests it again before any other step. */
export type Weather =
  | 'fair'
  | 'lose-request'
  | 'lose-answer'
  | 'ask-again'
  | 'twice'
  | 'behead'
  | 'edit-meanwhile'
  | 'others-meanwhile'

export type Step =
  | { readonly do: 'put' | 'forget' | 'purge'; readonly at: number; readonly record: number }
  /** A device writes a record that is sealed before it leaves; it has its key no more, or again. */
  | { readonly do: 'seal'; readonly at: number; readonly record: number }
  | { readonly do: 'lock' | 'unlock'; readonly at: number }
  /** A sync of which every request has the next weather, and fair weather in the end. */
  | {
      readonly do: 'sync'
      readonly at: number
      readonly weather: readonly Weather[]
      readonly record: number
    }
  /** A sync begins; its letters move by steps of their own. */
  | { readonly do: 'start'; readonly at: number }
  /** One letter moves on by a hop, is lost, is copied, or is given up by its sender while it travels on. */
  | { readonly do: 'carry' | 'lose' | 'copy' | 'delay'; readonly letter: number }
  /** The process dies now, or at the end of a transaction to come. */
  | { readonly do: 'crash'; readonly at: number }
  | { readonly do: 'crash-soon'; readonly at: number; readonly after: number; readonly committed: boolean }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'skew'; readonly at: number; readonly ms: number }
  /** Longer than tombstones are kept, and they are collected; or only the latter. */
  | { readonly do: 'age' | 'tidy' }
  /** A synced record vanishes from a disk. */
  | { readonly do: 'harm'; readonly at: number; readonly record: number }
  /** Another, empty mirror; a copy of the mirror is kept, or comes back: as another epoch, or as if nothing had been. */
  | { readonly do: 'replace-mirror' | 'backup-mirror' | 'restore-mirror' | 'set-back-mirror' }
  /** A copy of a device's disk is kept, comes back to it, or starts to live beside it. */
  | { readonly do: 'backup' | 'restore' | 'fork'; readonly at: number }
  /** Only some kinds are sent, or fetched. */
  | { readonly do: 'select'; readonly at: number; readonly push: number; readonly pull: number }
  /** Starts anew as an older or a newer Daybook. */
  | { readonly do: 'install'; readonly at: number; readonly old: boolean }
  /** Its final bytes are handed over for somebody else to send; the answers that came to those are taken over. */
  | { readonly do: 'spill' | 'take-late'; readonly at: number }
  /** Time passes, and what is due in it happens; in fair weather what is under way arrives meanwhile. */
  | { readonly do: 'pass'; readonly ms: number; readonly weather: 'fair' | 'still' }
  /** The network or the page is there again; the line to the mirror breaks. */
  | { readonly do: 'wake' | 'cut'; readonly at: number }
  /** A person decides the newest conflict for what lost, in other words. */
  | { readonly do: 'choose'; readonly at: number }
  /** A person decides one of the newest conflicts for one of its sides. */
  | { readonly do: 'decide'; readonly at: number; readonly nth: number; readonly side: 'loser' | 'winner' }
  /** Says one of the marks of a record, or takes it back; what stood before the last mark that was said there comes back. */
  | {
      readonly do: 'mark'
      readonly at: number
      readonly record: number
      readonly mark: number
      readonly back: boolean
    }
  | { readonly do: 'undo-mark'; readonly at: number }
  /** A device puts the book's public key in; something sensitive is left at the mirror, sealed to that. */
  | { readonly do: 'publish'; readonly at: number }
  | { readonly do: 'leave'; readonly record: number }
  /** The fact that is current in a succession there is superseded, or forgotten. */
  | { readonly do: 'supersede' | 'retract'; readonly at: number; readonly family: number }
  /** A device writes that fact anew, sealed. */
  | { readonly do: 'seal-fact'; readonly at: number; readonly family: number }
  /** A skill is used, and it works or does not. */
  | { readonly do: 'use'; readonly at: number; readonly skill: number; readonly good: boolean }

export type Schedule = readonly Step[]

/** Devices there are from the beginning; forks come after them, and the mirror is one place more. */
export const deviceCount = 3
