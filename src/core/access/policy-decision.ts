// What the policies of a book say to a call of an agent, as the door asks it and the chapter of consent tells it.
import type { Governed } from './governed.ts'
import type { ScopePattern } from './scope.ts'

/** From least to most: each has all that those before it have. */
export const permissionLevels = [
  'none',
  'read_public',
  'read_scoped',
  'read_full',
  'propose',
  'write',
] as const
export type PermissionLevel = (typeof permissionLevels)[number]

/** How a call comes: over a network, safely or not, or not over any. */
export type Way = 'here' | 'https' | 'http'

export type UnmetCondition = 'unknown' | 'requireHttps' | 'timeOfDay' | 'rateLimit'

export interface PolicyDecision {
  readonly governed: Governed
  /** The policies that match the agent, and those of them that allow something now; by priority. */
  readonly matched: readonly string[]
  readonly allowing: readonly string[]
  /** The levels of those that allow. */
  readonly permissions: readonly PermissionLevel[]
  /** Memories of these names may be proposed by an agent that no token or key lets propose. */
  readonly proposes: readonly ScopePattern[]
  /** What keeps policies that match from allowing anything. */
  readonly unmet: readonly { readonly id: string; readonly condition: UnmetCondition }[]
  /** How long the agent may keep what it reads, by each policy that says so. */
  readonly retention: readonly string[]
}
