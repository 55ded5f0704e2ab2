// Lets go of every citation of a record that is being forgotten. What merely pointed at it loses the pointer and stays;
// what rested on it alone, as its kind declares, is forgotten with it, and so on. What was made from it keeps naming it
// until it is told anew: by that it is known to be outdated.
import type { Citing } from '../../../core/capability/port/record-port.ts'
import { citedIds, type Kinds, sourceIds } from '../../../core/kind.ts'
import type { PutRequest } from '../../../core/put-request.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'

export interface ReleaseParts {
  readonly kinds: Kinds
  get(id: string): Stored<JsonObject> | undefined
  citing(id: string): Citing[]
  put(request: PutRequest): string
  forget(id: string): boolean
}

export interface Released {
  readonly changed: string[]
  readonly forgotten: string[]
}

/** Releases `id`, inside the transaction that forgets it. Each record is written once, however much it cited. */
export function release({ kinds, get, citing, put, forget }: ReleaseParts, id: string): Released {
  const changed = new Map<string, { readonly kind: string; readonly body: JsonObject }>()
  const forgotten = new Set<string>()
  const waiting = [id]
  for (let target = waiting.pop(); target !== undefined; target = waiting.pop()) {
    for (const { id: from, kind: name, path } of citing(target)) {
      const kind = kinds.get(name)
      const record = from === id || forgotten.has(from) ? undefined : get(from)
      if (!record || !kind || sourceIds(kind, bodyOf(record), from).includes(target)) continue
      const body = without(changed.get(from)?.body ?? bodyOf(record), path.split('.'), target)
      const rule = kind.cites?.find((one) => one.path === path)
      changed.set(from, { kind: name, body })
      if (!rule?.rests?.(body) || citedIds(body, path).length > 0) continue
      forgotten.add(from)
      waiting.push(from)
    }
  }
  for (const one of forgotten) {
    changed.delete(one)
    forget(one)
  }
  // A record that belonged to a forgotten one is gone with it.
  for (const [from, { kind, body }] of changed) if (get(from)) put({ kind, id: from, body })
  return { changed: [...changed.keys()], forgotten: [...forgotten] }
}

/** `value` without `id` at `steps`: out of the list there, or without the field that is it. */
function without(value: JsonObject, [step = '', ...rest]: readonly string[], id: string): JsonObject {
  const member = value[step]
  if (rest.length > 0) return isJsonObject(member) ? { ...value, [step]: without(member, rest, id) } : value
  if (Array.isArray(member)) return { ...value, [step]: member.filter((one: Json) => one !== id) }
  if (member !== id) return value
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step))
}
