// The passphrase for the next opening of a book by a page or process that has it open: by the page's next worker, or in
// its next turn as the owner.
import type { ErrorShape } from '../../core/errors.ts'

/** Whether the book has another passphrase now, or none. */
export const isOldPassphrase = ({ code }: Pick<ErrorShape, 'code'>) =>
  code === 'wrong-passphrase' || code === 'conflict'

export class OpeningPassphrase {
  /** The last one that was given; undefined for keys without a passphrase. */
  last: string | undefined
  readonly #isGiven: boolean
  #isLocked = false

  /** `last`: of the options. Without one, no later passphrase is stored either. */
  constructor(last?: string) {
    this.last = last
    this.#isGiven = last !== undefined
  }

  /** Undefined after `seal.lock`. */
  get value(): string | undefined {
    return this.#isLocked ? undefined : this.last
  }

  /** Call it after each successful call of the page or process. */
  called(id: string, input: unknown): void {
    if (!this.#isGiven || !['seal:lock', 'seal:guard', 'seal:unlock'].includes(id)) return
    this.#isLocked = id === 'seal:lock'
    if (!this.#isLocked) this.last = (input as { readonly passphrase?: string } | undefined)?.passphrase
  }
}
