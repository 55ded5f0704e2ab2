// Calls at the mirror, for decisions that all devices share: what is handed out once is handed out there.
// Invariant: a call without an answer is repeated, under the same number, before the next of its name: the mirror repeats the lost
// answer, and nothing is handed out twice or missed.
import type { AbortSignalLike } from '../../core/abort.ts'
import { isDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Carrier, Random } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface MirrorCallOptions {
  /** Of the call that asks: when it is repeated, it gets the same answer. */
  readonly requestId?: string | undefined
  readonly signal: AbortSignalLike
}

/** Calls the capability `id` at the mirror for `agent`; rejects with the mirror's error, or `offline`. */
export type MirrorCall = (
  id: string,
  agent: string,
  input: JsonObject,
  options: MirrorCallOptions,
) => Promise<unknown>

interface PendingCall {
  readonly requestId: string
  readonly input: JsonObject
}

/** Undefined without a mirror that can be called. */
export function createMirrorCall(
  carrier: Carrier | undefined,
  store: Pick<BookStore, 'device' | 'settings' | 'writes'>,
  random: Random,
): MirrorCall | undefined {
  const ask = carrier?.call?.bind(carrier)
  if (!ask) return undefined
  const { settings, writes } = store
  const turns = new Map<string, Promise<unknown>>()

  const numberFor = (requestId: string | undefined) => {
    const own = `${store.device}:${requestId ?? ''}`
    return requestId !== undefined && /^[\x21-\x7e]{1,200}$/.test(own) ? own : toHex(random.bytes(16))
  }

  const once = async (
    name: string,
    id: string,
    input: JsonObject,
    { requestId, signal }: MirrorCallOptions,
  ): Promise<unknown> => {
    const stored = settings.get(name)
    const pending: PendingCall = stored
      ? (JSON.parse(stored) as PendingCall)
      : { requestId: numberFor(requestId), input }
    if (!stored) await writes.write(() => settings.set(name, JSON.stringify(pending)))
    try {
      const answer = await ask(id, pending.input, pending.requestId, signal)
      await writes.write(() => settings.remove(name))
      return answer
    } catch (error) {
      // A final refusal had no effect, and is not repeated.
      if (isDaybookError(error) && !error.retry && error.code !== 'aborted')
        await writes.write(() => settings.remove(name))
      throw error
    }
  }

  return (id, agent, input, options) => {
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

/** Calls a read at the mirror; undefined without a mirror that can be called. */
export function createMirrorRead(
  carrier: Carrier | undefined,
  random: Random,
): ((id: string, input: object, signal: AbortSignalLike) => Promise<unknown>) | undefined {
  const ask = carrier?.call?.bind(carrier)
  return ask && ((id, input, signal) => ask(id, input, toHex(random.bytes(16)), signal))
}
