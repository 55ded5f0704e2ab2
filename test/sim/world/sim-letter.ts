// The post of a simulated world: requests and answers under way, each of which moves only when told.
import { DaybookError, type ErrorShape, isDaybookError } from '../../../src/core/errors.ts'
import type { SyncRequest, SyncResponse } from '../../../src/sync/wire/protocol.ts'
import type { SimDevice, SimMirror } from './sim-site.ts'

interface Sending {
  readonly from: SimDevice
  readonly text: string
  readonly isAwaited: () => boolean
  readonly resolve: (answer: unknown) => void
  readonly reject: (why: DaybookError) => void
}

/** A request under way, and then its answer. */
export interface Letter {
  readonly from: SimDevice
  readonly text: string
  /** Who sent it still runs. */
  isAwaited(): boolean
  /** The mirror has answered, and the answer is under way. */
  answered(): boolean
  /** One hop on: to the mirror, or from there to the device. `without` its first op: something took it out on the way. */
  carry(without?: 'first-op'): Promise<void>
  /** The same request once more, whose answer nobody waits for. */
  copy(): void
  /** The device waits no longer. */
  drop(): void
}

export interface SimPost {
  /** In the order in which they were sent. */
  readonly letters: Letter[]
  /** Resolves with the answer once its letter has been carried there and back. */
  ask(from: SimDevice, request: SyncRequest): Promise<unknown>
  /** Sends a request whose answer `resolve` gets, though nobody waits for it. */
  leave(from: SimDevice, request: SyncRequest, resolve: (answer: unknown) => void): void
}

export interface PostEvents {
  /** Called with each request and the mirror's answer to it. */
  onAnswer(request: SyncRequest, response: SyncResponse): void
  /** Called when the mirror died over a request: nobody knows what it had done. */
  onSilence(): void
}

export function createSimPost(mirror: SimMirror, events: PostEvents): SimPost {
  const letters: Letter[] = []
  const send = ({ from, text, isAwaited, resolve, reject }: Sending) => {
    let answer: { ok: SyncResponse } | { refused: ErrorShape } | undefined
    const leave = () => void letters.splice(letters.indexOf(letter), letters.includes(letter) ? 1 : 0)
    const letter: Letter = {
      from,
      text,
      isAwaited,
      answered: () => answer !== undefined,
      async carry(without) {
        if (!answer) {
          answer = await deliver(text, without === 'first-op' ? 1 : 0)
          return
        }
        leave()
        if ('ok' in answer) return resolve(answer.ok)
        reject(DaybookError.from(answer.refused))
      },
      copy: () =>
        send({ from, text, isAwaited: () => false, resolve: () => undefined, reject: () => undefined }),
      drop() {
        leave()
        reject(new DaybookError('offline'))
      },
    }
    letters.push(letter)
  }

  const deliver = async (
    text: string,
    skip: number,
  ): Promise<{ ok: SyncResponse } | { refused: ErrorShape }> => {
    const whole = JSON.parse(text) as SyncRequest
    const request = { ...whole, ops: whole.ops.slice(skip) }
    try {
      const ok = await mirror.exchange(request)
      events.onAnswer(request, ok)
      return { ok }
    } catch (error) {
      // A mirror that died in the middle answers nothing.
      if (!mirror.isRunning()) events.onSilence()
      const isOurs = isDaybookError(error) && mirror.isRunning()
      if (isOurs && error.code === 'internal') throw error
      return { refused: isOurs ? error.toJSON() : new DaybookError('offline').toJSON() }
    }
  }

  return {
    letters,
    ask(from, request) {
      const { handle } = from.run()
      return new Promise((resolve, reject) => {
        send({ from, text: JSON.stringify(request), isAwaited: handle.alive, resolve, reject })
      })
    },
    leave: (from, request, resolve) =>
      send({
        from,
        text: JSON.stringify(request),
        isAwaited: () => false,
        resolve,
        reject: () => undefined,
      }),
  }
}
