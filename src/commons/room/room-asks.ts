// What a device has asked of the room at its mirror and waits for. Invariant: each is answered once, by the mirror or by this
// device when there is no line.
import { DaybookError, type ErrorShape } from '../../core/errors.ts'
import type { RoomAsk, RoomDone } from './room-wire.ts'

interface Waiting {
  readonly data: RoomAsk
  /** Does it here, where there is no line. */
  alone(): void
  done(done: RoomDone): void
}

export class RoomAsks {
  readonly #waiting = new Map<string, Waiting>()

  add<Result>(data: RoomAsk, alone: () => Result, done: (done: RoomDone) => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const attempt = (work: () => Result) => void settled(work).then(resolve, reject)
    this.#waiting.set(data.key, {
      data,
      alone: () => attempt(alone),
      done(answer) {
        const [refused] = answer.refused
        if (refused) reject(DaybookError.from(refused as ErrorShape))
        else attempt(() => done(answer))
      },
    })
    return promise
  }

  /** In the order in which they were asked. */
  all(): RoomAsk[] {
    return [...this.#waiting.values()].map(({ data }) => data)
  }

  answer(done: RoomDone): void {
    const waiting = this.#waiting.get(done.key)
    this.#waiting.delete(done.key)
    waiting?.done(done)
  }

  doAlone(): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { alone } of waiting) alone()
  }
}

/** What `work` answers or throws, as a promise. */
export const settled = <Result>(work: () => Result): Promise<Result> =>
  new Promise((resolve) => {
    resolve(work())
  })
