// Which numbers a room has given, written down beside the book: what stays of it when all its copies are gone.
// Invariant: it is numbers alone; no word that was said is in it.
import type { RoomTalk, Talk } from './room-talk.ts'

export type GivenNumbers = Pick<Talk, 'next' | 'given' | 'forks'>

export interface NumberShelf {
  read(): GivenNumbers | undefined
  write(numbers: GivenNumbers): void
}

/** Keeps `shelf` as the talk goes on; nothing is written where nothing has changed. */
export class NumberNote {
  readonly #shelf: NumberShelf | undefined
  #written = ''

  constructor(shelf: NumberShelf | undefined) {
    this.#shelf = shelf
  }

  /** Lets a talk go on from what is written down; `bring` brings what another copy still knows. */
  restore(talk: () => RoomTalk, isAlone: boolean, bring: () => void): void {
    const kept = this.#shelf?.read()
    if (kept && isAlone) talk().restore(kept)
    bring()
    // The other copy may have missed the last that was said.
    if (kept) talk().raise(kept.next, kept.next - 1)
    if (kept) this.#written = textOf(talk())
  }

  write(talk: RoomTalk): void {
    if (!this.#shelf) return
    const text = textOf(talk)
    if (text === this.#written) return
    this.#written = text
    this.#shelf.write(numbersOf(talk))
  }
}

function numbersOf(talk: RoomTalk): GivenNumbers {
  const { next, given, forks } = talk.state()
  return { next, given, forks }
}

const textOf = (talk: RoomTalk) => JSON.stringify(numbersOf(talk))
