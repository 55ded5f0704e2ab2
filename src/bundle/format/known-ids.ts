// The ids of one list, each of which may stand there once. Invariant: memory holds a bounded number of them, which is enough
// for any list whose ids ascend, and for any other up to that many.
import { DaybookError } from '../../core/errors.ts'

/** Records of a list whose ids don't ascend: in a bundle that this program wrote and somebody wrote anew, and in any other. */
export const unorderedLimits = { own: 10_000, other: 200_000 } as const

export class KnownIds {
  readonly #limit: number
  #greatest = ''
  #all: Set<string> | undefined = new Set()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False when the id was there before. */
  add(id: string, path: string): boolean {
    if (id > this.#greatest) this.#greatest = id
    else if (!this.#all) {
      throw new DaybookError(
        'too-large',
        `\`${path}\`: In a list of more than ${this.#limit} records these come in the order of their ids.`,
        { details: { path, limit: this.#limit } },
      )
    } else if (this.#all.has(id)) return false
    this.#all?.add(id)
    if (this.#all && this.#all.size > this.#limit) this.#all = undefined
    return true
  }
}
