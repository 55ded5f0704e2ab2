// Calls that only the mirror can decide, because other devices make them too: what is handed out once is handed out there.
// Invariant: a call that was made and not answered is made again, under its number, before any other of its kind: the mirror
// gives the answer that was lost, and nothing that it has handed out is missed or handed out twice.
import type { AbortSignalLike } from '../../core/abort.ts'
import { isDaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Carrier, Random } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface MirrorCallOptions {
  /** Of the call that this is for: when that is made again, it is given the same answer. */
  readonly requestId?: string | undefined
  readonly signal: AbortSignalLike
}

/** Calls the capability `id` at the mirror for `who`; rejects with what the mirror refuses, or `offline`. */
export type MirrorCall = (
  id: string,
  who: string,
  input: JsonObject,
  options: MirrorCallOptions,
) => Promise<unknown>

interface Asked {
  readonly requestId: string
  readonly input: JsonObject
}

/** Undefined where there is no mirror, or none that can be asked. */
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
    const known = settings.get(name)
    const asked: Asked = known ? (JSON.parse(known) as Asked) : { requestId: numberFor(requestId), input }
    if (!known) await writes.write(() => settings.set(name, JSON.stringify(asked)))
    try {
      const answer = await ask(id, asked.input, asked.requestId, signal)
      await writes.write(() => settings.remove(name))
      return answer
    } catch (error) {
      // What was refused for good was not done, and is not to be asked again.
      if (isDaybookError(error) && !error.retry && error.code !== 'aborted')
        await writes.write(() => settings.remove(name))
      throw error
    }
  }

  return (id, who, input, options) => {
    const name = `asked:${JSON.stringify([id, who])}`
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

/** Calls a capability at the mirror that changes nothing, as often as it is asked; undefined where there is none to ask. */
export function createMirrorRead(
  carrier: Carrier | undefined,
  random: Random,
): ((id: string, input: object, signal: AbortSignalLike) => Promise<unknown>) | undefined {
  const ask = carrier?.call?.bind(carrier)
  return ask && ((id, input, signal) => ask(id, input, toHex(random.bytes(16)), signal))
}
