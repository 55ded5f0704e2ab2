// Permissions of tokens. A capability declares the one right that it needs; without a right, only the owner may call
// it.
import { coversScope, matchesScope, parseScope } from './scope.ts'

/**
 * Rights that capabilities need. Each permission of a token is a right, a pattern over capability ids
 * (`kstar:query_traces`, `kstar:*`, `**`), or a word of the owner (`evaluate`) that permits no capability.
 */
export const rights = ['read', 'write', 'propose', 'forget', 'export', 'sync', 'delegation'] as const
export type Right = (typeof rights)[number]

/** Fields of a capability that decide who may call it. */
export interface GuardedVerb {
  readonly id: string
  readonly permission?: Right | undefined
}

/** True if one of `permissions` is the right of the capability, or a pattern that matches its id. */
export function permits(permissions: readonly string[], { id, permission }: GuardedVerb): boolean {
  if (permission === undefined) return false
  return permissions.some((one) => one === permission || (isPattern(one) && matches(one, id)))
}

/** True if `permissions` include forgetting. Without it, a guest may not seal what others read either. */
export const permitsForget = (permissions: readonly string[]): boolean =>
  permits(permissions, { id: 'kstar:forget', permission: 'forget' })

/** True if one of `permissions` permits at least as much as `wanted`. */
export function permitsAll(permissions: readonly string[], wanted: string): boolean {
  return permissions.some((one) => one === wanted || one === '**' || coversPattern(one, wanted))
}

/** True if the permission is a pattern: capability ids have a colon, rights and the owner's words have none. */
function isPattern(permission: string): boolean {
  return permission === '**' || permission.includes(':')
}

function matches(permission: string, id: string): boolean {
  const pattern = parseScope(permission)
  return pattern !== undefined && matchesScope(pattern, id)
}

function coversPattern(wide: string, narrow: string): boolean {
  if (!wide.includes(':') || !narrow.includes(':')) return false
  const one = parseScope(wide)
  const other = parseScope(narrow)
  return one !== undefined && other !== undefined && coversScope(one, other)
}
