// Calls capabilities at the mirror, for decisions that all devices share: only the mirror hands out an item, and only
// once.
// Invariant: a call without an answer is stored. The next call of the same capability and agent repeats the stored
// call, with its input and requestId, and returns its answer: the mirror hands out no item twice, and no item is
// lost. The answer belongs to the local call that got it: only that one gets it again when it is repeated.
import type { AbortSignalLike } from '../../core/abort.ts'
import { isDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Carrier, Random } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface MirrorCallOptions {
  /** RequestId of the local call. If the local call is repeated, the mirror repeats its answer. */
  readonly requestId?: string | undefined
  /** Time of the local call, canonical UTC text. */
  readonly now: string
  readonly signal: AbortSignalLike
}

/** Calls the capability `id` at the mirror for `agent`. Rejects with the mirror's error, or `offline`. */
export type MirrorCall = (
  id: string,
  agent: string,
  input: JsonObject,
  options: MirrorCallOptions,
) => Promise<unknown>

interface PendingCall {
  /** RequestId at the mirror. */
  readonly requestId: string
  readonly input: JsonObject
}

/** Returns undefined if `carrier` is missing or can't call capabilities. */
export function createMirrorCall(
  carrier: Carrier | undefined,
  store: Pick<BookStore, 'requests' | 'settings' | 'writes'>,
  random: Random,
): MirrorCall | undefined {
  const ask = carrier?.call?.bind(carrier)
  if (!ask) return undefined
  const { requests, settings, writes } = store
  /** The last call of each capability and agent: the next one starts after it. */
  const turns = new Map<string, Promise<unknown>>()

  const once = async (
    name: string,
    id: string,
    input: JsonObject,
    { requestId, now, signal }: MirrorCallOptions,
  ): Promise<unknown> => {
    const local =
      requestId === undefined ? undefined : { requestId: `${requestId}/${id}`, capability: id, input, now }
    const answered = local && (requests.find(local)?.answer as PendingCall | undefined)
    if (answered) return ask(id, answered.input, answered.requestId, signal)
    const stored = settings.get(name)
    const pending: PendingCall = stored
      ? (JSON.parse(stored) as PendingCall)
      : { requestId: toHex(random.bytes(16)), input }
    if (!stored) await writes.write(() => settings.set(name, JSON.stringify(pending)))
    try {
      const answer = await ask(id, pending.input, pending.requestId, signal)
      await writes.write(() => {
        settings.remove(name)
        if (local) requests.once(local, () => pending)
      })
      return answer
    } catch (error) {
      // An error without `retry` is final: the call had no effect, and is not repeated.
      if (isDaybookError(error) && !error.retry && error.code !== 'aborted')
        await writes.write(() => settings.remove(name))
      throw error
    }
  }

  return (id, agent, input, options) => {
    // The name of a setting. Stored, so don't change it.
    const name = `asked:${JSON.stringify([id, agent])}`
    const before = turns.get(name) ?? Promise.resolve()
    const turn = before.catch(() => undefined).then(() => once(name, id, input, options))
    turns.set(name, turn)
    const leave = () => {
      if (turns.get(name) === turn) turns.delete(name)
    }
    turn.then(leave, leave)
    return turn
  }
}

/**
 * Returns a function that calls a read at the mirror; undefined if `carrier` is missing or can't call capabilities.
 */
export function createMirrorRead(
  carrier: Carrier | undefined,
  random: Random,
): ((id: string, input: object, signal: AbortSignalLike) => Promise<unknown>) | undefined {
  const ask = carrier?.call?.bind(carrier)
  return ask && ((id, input, signal) => ask(id, input, toHex(random.bytes(16)), signal))
}
