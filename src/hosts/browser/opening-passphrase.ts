// The passphrase for the next opening of a page's book: by the page's next worker, or in its worker's next turn.

export class OpeningPassphrase {
  /** Undefined after `seal.lock`, and for keys without a passphrase. */
  value: string | undefined
  readonly #isGiven: boolean

  /** `value`: of the page's options. Without one, no later passphrase is stored either. */
  constructor(value?: string) {
    this.value = value
    this.#isGiven = value !== undefined
  }

  /** Call it after each successful call of the page. */
  called(id: string, input: unknown): void {
    if (this.#isGiven && ['seal:lock', 'seal:guard', 'seal:unlock'].includes(id))
      this.value = (input as { readonly passphrase?: string } | undefined)?.passphrase
  }
}
