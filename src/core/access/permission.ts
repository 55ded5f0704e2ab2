// What a token permits. A capability declares the one right it needs; one that declares none is the owner's alone.
import { coversScope, matchesScope, parseScope } from './scope.ts'

/**
 * The rights that capabilities need. A token's permissions are such rights, patterns over capability ids
 * (`kstar:query_traces`, `kstar:*`, `**`), or words of the book's owner (`evaluate`), which permit nothing here.
 */
export const rights = ['read', 'write', 'propose', 'forget', 'export', 'sync', 'delegation'] as const
export type Right = (typeof rights)[number]

/** What of a capability decides who may call it. */
export interface Guarded {
  readonly id: string
  readonly permission?: Right | undefined
}

/** True when one of `permissions` is the right that the capability needs, or a pattern over its id. */
export function permits(permissions: readonly string[], { id, permission }: Guarded): boolean {
  if (permission === undefined) return false
  return permissions.some((one) => one === permission || (isPattern(one) && matches(one, id)))
}

/** True when one of `permissions` permits at least what `wanted` does. */
export function permitsAll(permissions: readonly string[], wanted: string): boolean {
  return permissions.some((one) => one === wanted || one === '**' || coversPattern(one, wanted))
}

/** A right and a word of the owner have no colon; every capability id has one. */
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
