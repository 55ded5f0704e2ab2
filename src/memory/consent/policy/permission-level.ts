// What a policy lets an agent do, from least to most: each level has all that those before it have. How much may be read
// follows a reading level where one is named, so that whoever may read little and propose does not thereby read much.
import { namesCategory, type GovernedRule } from '../../../core/access/governed.ts'
import { type PermissionLevel, permissionLevels } from '../../../core/access/policy-decision.ts'
import type { ScopePattern } from '../../../core/access/scope.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { memoryTypes } from './memory-scope.ts'

const rank = (level: PermissionLevel): number => permissionLevels.indexOf(level)
const isReading = (level: PermissionLevel) => level.startsWith('read_')

/** The highest of several; `none` where there is none. */
export function highestLevel(levels: readonly PermissionLevel[]): PermissionLevel {
  return levels.reduce((most, one) => (rank(one) > rank(most) ? one : most), 'none')
}

/** True when `levels` have what `wanted` is. */
export function hasLevel(levels: readonly PermissionLevel[], wanted: PermissionLevel): boolean {
  return rank(highestLevel(levels)) >= rank(wanted)
}

/** How much may be read: the highest reading level that is named, else what the highest level has in it. */
export function readingLevel(levels: readonly PermissionLevel[]): PermissionLevel {
  const named = levels.filter(isReading)
  if (named.length > 0) return highestLevel(named)
  return hasLevel(levels, 'read_full') ? 'read_full' : 'none'
}

/**
 * What may be read within `allow` at these levels: public memories; those up to standard; or all that are not restricted. A
 * restricted one only where a scope names its category word for word.
 */
export function readingRules(
  levels: readonly PermissionLevel[],
  allow: readonly ScopePattern[],
  place: number,
): GovernedRule[] {
  const rule = (patterns: readonly ScopePattern[], upTo: Sensitivity): GovernedRule[] =>
    patterns.length > 0 ? [{ place, allow: patterns, upTo }] : []
  switch (readingLevel(levels)) {
    case 'read_public':
      return rule(allow, 'public')
    case 'read_scoped':
      return rule(allow, 'standard')
    case 'read_full': {
      const named = allow.filter((one) => namesCategory(one, memoryTypes))
      const others = allow.filter((one) => !namesCategory(one, memoryTypes))
      return [...rule(named, 'restricted'), ...rule(others, 'sensitive')]
    }
    default:
      return []
  }
}
