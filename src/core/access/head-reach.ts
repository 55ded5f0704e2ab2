// What a guest may be told of a record that nobody can read here: whether it is in reach, as far as its head alone tells.
// Invariant: in doubt it is not; of what lies in a body that can't be read nothing is told.
import { isScoped, type Kinds, scopePrefix } from '../kind.ts'
import { isReserved, levels, type NamedRecord, type Reach, reachesName, seesAll } from './reach.ts'
import { scopeParts } from './scope.ts'

/** True when a record with this head is in reach whatever its body says. */
export function isHeadInReach(reach: Reach, head: Omit<NamedRecord, 'body'>, kinds: Kinds): boolean {
  const { agent, session, resource } = head
  const kind = kinds.get(head.kind)
  if (!kind || !isScoped(kind)) return false
  // What policies decide about follows from the body.
  if (kind.byPolicy) return false
  if (seesAll(reach)) return true
  // What its kind would say of the body decides: a record without any name of its own is in nobody's reach.
  if (kind.scopeNames) return false
  const names = [`agent:${agent}`]
  if (session != null) names.push(`session:${session}`)
  if (resource != null && !isReserved(scopeParts(resource)[0] ?? '', kinds)) names.push(resource)
  const prefix = scopePrefix(kind)
  return levels(reach).every((level) => reachesName(level, names) || reachesEvery(level, prefix))
}

/** True when every name that begins with `prefix` is in reach. */
function reachesEvery({ allow, deny }: Reach, prefix: string): boolean {
  const every = new Set(['**', '*:**', `${prefix}:**`])
  return deny.length === 0 && allow.some(({ text }) => every.has(text))
}
